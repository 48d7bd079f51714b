"""Measure the speed of the search as WebAssembly under Node relative to the native search, and exported WebAssembly
files.

    PYTHONPATH=tests .venv/bin/python -m benchmarks.measure_wasm [GAME ...]

Node and the native search take turns on the same positions and depths, so that other load affects both. The first
search of each position warms up. For the exported file, its size and the time from the start of the process to the
first answer are printed.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.random_positions import random_positions
from kogoma.arena.export import wasm_flavor
from kogoma.arena.export.targets import GAMES, Game
from kogoma.search.library import warmup
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from support.node import Node

POSITIONS, ROUNDS = 6, 3
DEPTHS = {"minishogi": 14, "dice": 6, "onitama": 12, "generals": 9}
STARTS = 7
DATA = Path(__file__).parents[1] / "tests" / "data"


def measure(game: Game, folder: Path) -> str:
    """Return a line that compares the speed of the WebAssembly search under Node with the speed of the native
    search."""
    warmup(lambda text: print(text, file=sys.stderr), game.variant)
    searcher, node = Searcher(16, variant=game.variant), Node(game.variant, folder)
    native, wasm, nodes = 0.0, 0.0, 0
    for position in random_positions(game.variant, POSITIONS, game.name):
        for number in range(ROUNDS + 1):
            searcher.new_game()
            started = time.perf_counter()
            result = searcher.search(position, Limits(depth=DEPTHS[game.name]))
            taken = time.perf_counter() - started
            found = node.ask(
                "search", sfen=position.start_sfen, moves=position.moves, limits={"depth": DEPTHS[game.name]}, hash=16
            )
            assert (found["nodes"], found["score"]) == (result.nodes, result.score)
            if number:
                native, wasm, nodes = native + taken, wasm + found["elapsed"] / 1000, nodes + result.nodes
    node.close()
    return (
        f"{game.name}: {nodes / native / 1e6:.2f} million nodes/s native, {nodes / wasm / 1e6:.2f} under Node: "
        f"{native / wasm:.0%}"
    )


def first_answer(game: Game, folder: Path) -> str:
    """Return a text with the size of the exported file, and the milliseconds from the start of its process to the first
    answer."""
    text = wasm_flavor.write(game)
    path = folder / f"{game.name}.js"
    path.write_text(text, encoding="utf-8")
    if not game.arena:
        return f"  {len(text)} characters"
    turns = [json.loads(line) for line in (DATA / f"{game.name}_turns.jsonl").read_text().splitlines()]
    data = "".join(f"{line}\n" for line in next(turn for turn in turns if turn["first"])["input"]).encode()
    times = []
    for _ in range(STARTS):
        started = time.perf_counter()
        with subprocess.Popen(["node", path], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(data)
            process.stdin.flush()
            process.stdout.readline()
            times.append((time.perf_counter() - started) * 1000)
            process.stdin.close()
    return f"  {len(text)} characters; first answer after {median(times):.0f} ms, at most {max(times):.0f}"


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("games", nargs="*", metavar="GAME", choices=[[], *GAMES], help="by default all")
    given = words.parse_args()
    with tempfile.TemporaryDirectory() as name:
        for game in [GAMES[word] for word in given.games] or GAMES.values():
            print(measure(game, Path(name)), first_answer(game, Path(name)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
