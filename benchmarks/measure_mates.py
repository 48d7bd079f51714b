"""The figures of docs/mate.md: how long the solver, this engine's alpha-beta, Fairy-Stockfish and cshogi's df-pn need
for the mates of the tests' suite. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_mates [--least 9] [--count 40] [--seconds 5]

Each problem is given to one after the other, so that whatever else the machine does falls on all alike. A search that
has not told the mate within the time counts with that time.
"""

from __future__ import annotations

import argparse
import statistics
import time

from rules.position import new_position
from search.mate.solver import MATE, MateLimits, MateSolver
from search.table import Table
from support import referee
from support.mates import Problem, problems
from support.usi_client import UsiClient


def until_mate(engine: UsiClient, sfen: str, seconds: float) -> float:
    """Seconds from `go` to the first line with a mate for the side to move; at most `seconds`."""
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
    """Seconds that the solver needs, the solution's moves included."""
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


def shogi(chosen: list[Problem], seconds: float) -> None:
    import cshogi

    solver, peer, board = MateSolver(Table(64)), cshogi.DfPn(), cshogi.Board()
    until_proof(solver, chosen[0], seconds)
    times: dict[str, list[float]] = {"solver": [], "cshogi.DfPn": []}
    for problem in chosen:
        times["solver"].append(until_proof(solver, problem, seconds))
        board.set_sfen(problem.sfen)
        started = time.perf_counter()
        found = peer.search(board)
        times["cshogi.DfPn"].append(time.perf_counter() - started if found else seconds)
    tell(f"shogi, {len(chosen)} mates", times, seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=9, help="plies of minishogi's mates")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=5.0)
    given = parser.parse_args()
    mates = [problem for problem in problems() if problem.verdict == MATE]
    small = [problem for problem in mates if problem.game == "minishogi" and problem.plies >= given.least]
    minishogi(small[: given.count], given.seconds)
    shogi([problem for problem in mates if problem.game == "shogi"], given.seconds)


if __name__ == "__main__":
    main()
