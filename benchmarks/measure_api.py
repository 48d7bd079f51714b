"""Measure the speed of the Python API in 9x9 shogi, and compare it with cshogi and python-shogi:

    .venv/bin/python -m benchmarks.measure_api [--rounds N]

The packages alternate. In each round, a Python loop lists the legal moves of 80 positions of a game as text, and plays
the game, asking for the outcome after each move. For cshogi, asking for the outcome means a test for repetition and a
test for mate; for python-shogi, it means a call of `is_game_over`. Both packages are optional. The command prints the
medians of calls per second.
"""

from __future__ import annotations

import argparse
import importlib
import random
import statistics
import time
from collections.abc import Callable

from kogoma import Position

PLIES = 80


def game() -> list[str]:
    """Return the moves of a random game of PLIES plies."""
    generator, position = random.Random(3), Position("shogi")
    while len(position.moves) < PLIES:
        position.push(generator.choice(sorted(position.legal_moves())))
    return position.moves


def of_kogoma(moves: list[str]) -> dict[str, Callable[[], object]]:
    """Return the two functions to measure for Kogoma: the first lists the legal moves of each position, and the second
    plays the game."""
    positions = [Position("shogi", moves=moves[:ply]) for ply in range(PLIES)]

    def play() -> None:
        position = Position("shogi")
        for move in moves:
            position.push(move)
            position.outcome()

    return {"lists": lambda: [position.legal_moves() for position in positions], "pushes": play}


def of_cshogi(moves: list[str]) -> dict[str, Callable[[], object]]:
    """Return the two functions to measure for cshogi: the first lists the legal moves of each position, and the second
    plays the game."""
    cshogi = importlib.import_module("cshogi")
    boards = [cshogi.Board(Position("shogi", moves=moves[:ply]).sfen()) for ply in range(PLIES)]

    def play() -> None:
        board = cshogi.Board()
        for move in moves:
            board.push_usi(move)
            board.is_draw()
            board.is_game_over()

    text = cshogi.move_to_usi
    return {"lists": lambda: [[text(move) for move in board.legal_moves] for board in boards], "pushes": play}


def of_python_shogi(moves: list[str]) -> dict[str, Callable[[], object]]:
    """Return the two functions to measure for python-shogi: the first lists the legal moves of each position, and the
    second plays the game."""
    shogi = importlib.import_module("shogi")
    boards = [shogi.Board(Position("shogi", moves=moves[:ply]).sfen()) for ply in range(PLIES)]

    def play() -> None:
        board = shogi.Board()
        for move in moves:
            board.push_usi(move)
            board.is_game_over()

    return {"lists": lambda: [[move.usi() for move in board.legal_moves] for board in boards], "pushes": play}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    rounds, moves, tasks = parser.parse_args().rounds, game(), dict[str, dict[str, Callable[[], object]]]()
    for name, make in (("kogoma", of_kogoma), ("cshogi", of_cshogi), ("python-shogi", of_python_shogi)):
        try:
            tasks[name] = make(moves)
        except ImportError:
            print(f"{name} is not installed")
    rates: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        for name, each in tasks.items():
            for task, run in each.items():
                started = time.perf_counter()
                run()
                rates.setdefault((name, task), []).append(PLIES / (time.perf_counter() - started))
    for name in tasks:
        lists, pushes = (statistics.median(rates[name, task]) for task in ("lists", "pushes"))
        print(f"{name:12}  {lists:10,.0f} lists of legal moves/s  {pushes:10,.0f} moves with outcome/s")


if __name__ == "__main__":
    main()
