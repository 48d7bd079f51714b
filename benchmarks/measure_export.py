"""Measure exported files: their size, their speed relative to the engine, and their first answers and games under load.

    .venv/bin/python -m benchmarks.measure_export [GAME ...] [--games 200] [--busy other|same|none] [--rounds 8]
    .venv/bin/python -m benchmarks.measure_export [GAME ...] --sizes   # of all flavors, for docs/arena.md

Searches of the file and of the engine alternate, so that other load affects both. The games are played against a random
mover, and the file runs on one processor. With `--busy other`, the other processors are kept busy; with `--busy same`,
the file gets half of its own processor. An answer is late if it comes less than 10 ms before the arena's limit, or
after it.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from kogoma.arena.codingame.turn_writer import turn_writer
from kogoma.arena.export import check
from kogoma.arena.export.command import FLAVORS, compose
from kogoma.arena.export.targets import GAMES, Game

SAFETY = 0.010  # seconds before the arena's limit
DEPTHS = {"minishogi": 10, "dice": 3, "onitama": 9, "generals": 9}
POSITIONS = 12

# The exported file's program is OF_FILE + RACE, and the engine's program is OF_ENGINE + RACE. The first part defines
# start, which forgets earlier searches and returns a position, and search. RACE searches all positions once for each
# line on standard input.
OF_FILE = """
import runpy, sys
inside = runpy.run_path(sys.argv[1], run_name="exported")
from kogoma.arena.export.native_bot import load
from kogoma.arena.export.native_engine import Engine
engine = Engine(load(inside), 16)
def start(sfen):
    engine.new_game()
    return engine.position(sfen)
def search(position, depth):
    return engine.find(position, roll=6 if position.variant.die else 0, depth_limit=depth)
"""
OF_ENGINE = """
import sys
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
variant = VARIANTS[sys.argv[2]]
searcher = Searcher(16, variant=variant)
def start(sfen):
    searcher.new_game()
    return new_position(variant, sfen)
def search(position, depth):
    return searcher.search(position, Limits(depth=depth, dice=6 if variant.die else None))
"""
RACE = """
import json, sys, time
sfens, depth = json.loads(sys.argv[3])
print(flush=True)
for line in sys.stdin:
    nodes, seconds = 0, 0.0
    for sfen in sfens:
        position = start(sfen)
        time.sleep(0.02)  # a thread clears the transposition table
        began = time.process_time()
        nodes += search(position, depth).nodes
        seconds += time.process_time() - began
    print(nodes, seconds, flush=True)
"""


def sfens(game: Game) -> list[str]:
    """Return the SFENs of POSITIONS positions from random games."""
    import random

    from kogoma.rules.position import new_position

    rng, found = random.Random(game.name), list[str]()
    while len(found) < POSITIONS:
        position = new_position(game.variant)
        for _ in range(rng.randrange(2, 24)):
            moves = sorted(position.legal_moves())
            if not moves or position.outcome() is not None:
                break
            position.push(rng.choice(moves))
        if position.legal_moves() and position.outcome() is None:
            found.append(position.sfen())
    return found


def race(game: Game, path: Path, rounds: int) -> tuple[float, float]:
    """Let the exported file and the engine search in turn. Return the search speed of each in nodes per second."""
    words = [str(path), game.variant.name, json.dumps([sfens(game), DEPTHS[game.name]])]
    sides = [[*check.interpreter("native"), "-c", OF_FILE + RACE], [sys.executable, "-c", OF_ENGINE + RACE]]
    with contextlib.ExitStack() as stack:
        racers = []
        for side in sides:
            racer = subprocess.Popen([*side, *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            stack.callback(racer.kill)
            racers.append(racer)
        totals = [[0, 0.0] for _ in racers]
        for racer in racers:
            assert racer.stdout is not None
            racer.stdout.readline()
        for _ in range(rounds):
            for racer, total in zip(racers, totals):
                assert racer.stdin is not None and racer.stdout is not None
                racer.stdin.write("\n")
                racer.stdin.flush()
                nodes, seconds = racer.stdout.readline().split()
                total[0] += int(nodes)
                total[1] += float(seconds)
    assert totals[0][0] == totals[1][0], "file and engine searched different trees"
    return totals[0][0] / totals[0][1], totals[1][0] / totals[1][1]


@contextlib.contextmanager
def busy(where: str, own: int) -> Iterator[None]:
    """Within this context, keep some processors busy. If `where` is "other", these are all processors except `own`; if
    it is "same", only `own`; and if it is "none", no processor is kept busy."""
    cores = sorted(os.sched_getaffinity(0))
    loaded = {"none": [], "same": [own], "other": [core for core in cores if core != own]}[where]
    workers = [
        subprocess.Popen(["nice", "taskset", "-c", str(core), sys.executable, "-c", "while True: pass"])
        for core in loaded
    ]
    try:
        yield
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


def games(game: Game, flavor: str, path: Path, count: int, where: str) -> str:
    """Let the exported file play games, and return a line with the number of wins, the slowest answers, and the number
    of late answers."""
    own = min(os.sched_getaffinity(0))
    command = ["taskset", "-c", str(own), *check.interpreter(flavor), str(path.resolve())]
    limit = turn_writer(game.variant).turn_ms / 1000 - SAFETY
    first, later, working, won = list[float](), list[float](), list[float](), 0
    with busy(where, own), tempfile.TemporaryDirectory() as folder:
        for number in range(count):
            waits: list[float] = []
            winner, times = check.play_game(game, command, Path(folder), number, waits)
            won += winner == number % 2
            first.append(times[0])
            later += times[1:]
            working += [seconds - wait for seconds, wait in zip(times[1:], waits[1:])]
    late = sum(seconds > limit for seconds in later)
    return (
        f"{count} games, {won} won, {len(later)} later answers: first at most {max(first) * 1000:.0f} ms, "
        f"later at most {max(later) * 1000:.0f} ms, {late} over {limit * 1000:.0f} ms "
        f"({sum(seconds > limit for seconds in working)} without the time that bot or referee stood in line), "
        f"{sum(seconds > 0.5 for seconds in first)} first ones over 500 ms"
    )


def print_sizes(names: list[str]) -> None:
    """Print a table of file sizes in characters and bytes. It has a cell for the file that `export` writes by default
    for each game in each flavor."""
    print("| variant |", " | ".join(FLAVORS), "|\n" + "|---" * (len(FLAVORS) + 1) + "|")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "bot")
        for name in names:
            cells = []
            for flavor in FLAVORS:
                command = [sys.executable, "-m", "kogoma", "export", name, "--flavor", flavor, "-o", str(path)]
                subprocess.run(command, check=True, capture_output=True)
                cells.append(f"{len(path.read_text(encoding='utf-8')):,} ({path.stat().st_size:,})")
            print(f"| {name} |", " | ".join(cells), "|", flush=True)


def main() -> None:
    """Run the measurements, and print the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", choices=[*GAMES, []], default=[], metavar="GAME")
    parser.add_argument("--flavor", choices=FLAVORS, default="native")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--busy", choices=("other", "same", "none"), default="other")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--sizes", action="store_true", help="only print the sizes of all flavors")
    given = parser.parse_args()
    if given.sizes:
        print_sizes(given.names or list(GAMES))
        return
    for name in given.names or GAMES:
        game = GAMES[name]
        text = compose(name, given.flavor)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{name}.py")
            path.write_text(text, encoding="utf-8")
            print(f"{name}: {len(text)} characters, {len(text.encode())} bytes", flush=True)
            if given.rounds and given.flavor == "native":
                own, engine = race(game, path, given.rounds)
                print(f"  {own / engine:.2f} of the engine's nodes/s ({own:,.0f}/s)", flush=True)
            if given.games and game.arena:
                began = time.perf_counter()
                told = games(game, given.flavor, path, given.games, given.busy)
                print(f"  busy: {given.busy}; {told} ({time.perf_counter() - began:.0f} s)", flush=True)


if __name__ == "__main__":
    main()
