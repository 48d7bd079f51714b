"""Measure the figures of docs/mate.md: the times in which the mate solver, alpha-beta, Fairy-Stockfish and cshogi's
df-pn solve the mates of the tests' suite. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_mates [--least 9] [--count 40] [--seconds 5] [--rounds 5]

The programs solve each problem in turn, so that other load affects all of them. In minishogi, a search that finds no
mate in time counts with the whole time.
"""

from __future__ import annotations

import argparse
import math
import statistics
import time
from functools import partial

from kogoma.rules.position import new_position
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.table_memory import Table
from support import referee
from support.mates import Problem, problems
from support.usi_client import UsiClient

PAIRS = (("solver, verdict", "cshogi.DfPn, verdict"), ("solver, moves", "cshogi.DfPn, moves"))


def until_mate(engine: UsiClient, sfen: str, seconds: float) -> float:
    """Return the seconds from `go` to the first line that shows a mate for the side to move, or `seconds` if no such
    line comes in that time."""
    engine.send("usinewgame", f"position sfen {sfen}")
    engine.ready()
    started = time.perf_counter()
    engine.send("go infinite")
    while (left := seconds - (time.perf_counter() - started)) > 0:
        try:
            text = engine.read(left).text or ""
        except TimeoutError:
            break
        if " score mate " in text and " score mate -" not in text and "upperbound" not in text:
            break
    taken = min(time.perf_counter() - started, seconds)
    engine.send("stop")
    engine.read_until("bestmove ")
    return taken


def until_proof(solver: MateSolver, problem: Problem, seconds: float) -> float:
    """Return the time in seconds that the solver needs to find a mate and its moves, or `seconds` if it finds no mate
    in time."""
    started = time.perf_counter()
    answer = solver.solve(new_position(problem.game, problem.sfen), MateLimits(milliseconds=int(seconds * 1000)))
    return time.perf_counter() - started if answer.verdict == MATE else seconds


def tell(name: str, times: dict[str, list[float]], seconds: float) -> None:
    print(name)
    for who, taken in times.items():
        missed = sum(one >= seconds for one in taken)
        print(f"  {who}: median {statistics.median(taken) * 1000:.2f} ms, sum {sum(taken):.2f} s, not in time {missed}")


def minishogi(chosen: list[Problem], seconds: float) -> None:
    solver = MateSolver(Table(64))
    times: dict[str, list[float]] = {"solver": [], "alpha-beta": [], "Fairy-Stockfish": []}
    path = referee.find_fairy_stockfish()
    assert path is not None, "fairy-stockfish is not installed"
    with UsiClient() as own, UsiClient([path], variant=None) as peer:
        peer.send("usi", "setoption name UCI_Variant value minishogi", "setoption name Hash value 64")
        for engine in (own, peer):
            engine.ready()
        until_proof(solver, chosen[0], seconds)
        for problem in chosen:
            times["solver"].append(until_proof(solver, problem, seconds))
            times["alpha-beta"].append(until_mate(own, problem.sfen, seconds))
            times["Fairy-Stockfish"].append(until_mate(peer, problem.sfen, seconds))
    tell(f"minishogi, {len(chosen)} mates", times, seconds)


def shogi(chosen: list[Problem], rounds: int) -> None:
    """Compare the solver with cshogi in 9x9 shogi, and print the times. Two tasks are timed: finding the verdict, and
    finding the verdict and the moves as text. For each problem, the shortest time of all rounds counts. Setting up the
    position is not timed. cshogi has its default limits of 31 plies and 1,048,576 nodes."""
    import cshogi

    solver, peer, board = MateSolver(Table(64)), cshogi.DfPn(), cshogi.Board()
    times: dict[str, list[float]] = {name: [math.inf] * len(chosen) for pair in PAIRS for name in pair}

    def moves_of_peer() -> list[str]:
        return [cshogi.move_to_usi(move) for move in peer.get_pv(board)] if peer.search(board) else []

    # All verdicts are found before the first moves. If the moves of a problem were asked for directly after its
    # verdict, the answer would come from a cache.
    asked = (
        (lambda position: solver.verdict(position) == MATE, lambda: peer.search(board)),
        (lambda position: bool(solver.solve(position).moves), moves_of_peer),
    )
    for _ in range(rounds):
        for (own, other), (ask_own, ask_other) in zip(PAIRS, asked, strict=True):
            for row, problem in enumerate(chosen):
                position = new_position(problem.game, problem.sfen)
                board.set_sfen(problem.sfen)
                for who, ask in ((own, partial(ask_own, position)), (other, ask_other)):
                    started = time.perf_counter()
                    found = ask()
                    times[who][row] = min(times[who][row], time.perf_counter() - started)
                    assert found, problem
    print(f"shogi, {len(chosen)} mates, least of {rounds} rounds: median ms, sum ms; median of the ratios")
    for plies in (0, *sorted({problem.plies for problem in chosen})):
        rows = [row for row, problem in enumerate(chosen) if plies in (0, problem.plies)]
        print(f"{f'{plies} plies' if plies else 'all'}, {len(rows)} mates")
        for own, other in PAIRS:
            for who in (own, other):
                taken = [times[who][row] * 1000 for row in rows]
                print(f"  {who}: {statistics.median(taken):.3f}, {sum(taken):.1f}")
            print(f"  ratio: {statistics.median(times[own][row] / times[other][row] for row in rows):.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=9, help="minimum plies of minishogi's mates")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=5, help="of the mates on 9x9")
    given = parser.parse_args()
    mates = [problem for problem in problems() if problem.verdict == MATE]
    small = [problem for problem in mates if problem.game == "minishogi" and problem.plies >= given.least]
    minishogi(small[: given.count], given.seconds)
    shogi([problem for problem in mates if problem.game == "shogi"], given.rounds)


if __name__ == "__main__":
    main()
