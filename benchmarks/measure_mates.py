"""Measure the figures of docs/mate.md: the times in which the mate solver, alpha-beta, Fairy-Stockfish and cshogi's
df-pn solve the mates of the tests' suite. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_mates [--least 9] [--count 40] [--seconds 5] [--rounds 5]
    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_mates --played 300

The programs solve each problem in turn, so that other load affects all of them. In minishogi, a search that finds no
mate in time counts with the whole time. `--played` takes positions of games of self-play in which a search of 6 plies
finds a mate by checks within 7 plies, and asks for the mates with `go mate`.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time
from collections.abc import Iterator
from functools import partial

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from support import referee
from support.mates import Problem, problems
from support.usi_client import UsiClient

GAMES = "minishogi", "kyoto", "judkins", "shogi"  # whose short mates are asked for
DEPTH, SHORT = 6, 7  # plies of the search and of the mates that it finds
GAME_NODES, MOST_NODES = 2000, 1_000_000  # for a move, and for the proof that a mate is the shortest
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


def short_mates(game: str, count: int) -> Iterator[tuple[str, int]]:
    """Yield positions of games of self-play, with the plies of a mate by checks that a search of 6 plies has found."""
    rng, searcher, solver = random.Random(1), Searcher(hash_mb=16, variant=VARIANTS[game]), MateSolver(Table(16))
    while count:
        position = new_position(game)
        for _ in range(6):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        while position.outcome() is None and count:
            found = searcher.search(position, Limits(depth=DEPTH))
            if found.score_kind == "mate" and 0 < found.score <= SHORT:
                limits = MateLimits(nodes=MOST_NODES, plies=found.score, shortest=True)
                if (answer := solver.solve(position, limits)).is_shortest:
                    yield position.sfen(), answer.plies
                    count -= 1
            move = searcher.search(position, Limits(nodes=GAME_NODES)).best
            if move is None:
                break
            position.push(move)


def played(count: int) -> None:
    """Ask for the short mates of games of self-play, and print how long the answers took, and whether they were as
    short."""
    times, longer = [], 0
    with UsiClient() as engine:
        for game in GAMES:
            engine.send(f"setoption name USI_Variant value {game}")
            engine.ready()
            engine.send("go mate 1000")  # loads the solver
            engine.read_until("checkmate ")
            for sfen, plies in short_mates(game, count // len(GAMES)):
                engine.send(f"position sfen {sfen}")
                engine.ready()
                started = time.perf_counter()
                engine.send("go mate 10000")
                answer = engine.read_until("checkmate ")[-1].split()[1:]
                times.append((time.perf_counter() - started) * 1000)
                longer += len(answer) > plies or answer == ["timeout"]
    times.sort()
    print(f"{len(times)} short mates of games: {longer} answers were longer")
    print(f"ms: median {times[len(times) // 2]:.1f}, 99% {times[len(times) * 99 // 100]:.1f}, longest {times[-1]:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--least", type=int, default=9, help="minimum plies of minishogi's mates")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--rounds", type=int, default=5, help="of the mates on 9x9")
    parser.add_argument("--played", type=int, help="number of short mates of games, instead of the other figures")
    given = parser.parse_args()
    if given.played:
        played(given.played)
        return
    mates = [problem for problem in problems() if problem.verdict == MATE]
    small = [problem for problem in mates if problem.game == "minishogi" and problem.plies >= given.least]
    minishogi(small[: given.count], given.seconds)
    shogi([problem for problem in mates if problem.game == "shogi"], given.rounds)


if __name__ == "__main__":
    main()
