"""Print facts about Dobutsu from its tablebase, for docs/tablebase.md. Run it in the checkout:

    ./engine.sh solve dobutsu -o FOLDER
    .venv/bin/python -m benchmarks.tablebase_facts FOLDER [--positions 10000]

It also checks the value of random positions against the values after each move, and measures how long a look-up takes.
"""

from __future__ import annotations

import argparse
import random
import time

from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.tablebase.dobutsu.values import Tablebase, open_tablebase
from kogoma.search.tablebase.root import known_moves

DOBUTSU = VARIANTS["dobutsu"]
ROW = 10  # distances in a row of the table
PROBES = 100_000


def distances(tablebase: Tablebase) -> None:
    """Print how many positions have each result and distance."""
    counts = tablebase.counts()
    won, lost = sum(counts[1::2]), sum(counts[2::2])
    print(f"entries: {sum(counts):,}; won {won:,} (at once: {counts[1]:,}), lost {lost:,}, drawn {counts[0]:,}\n")
    print("| plies | won | lost |\n|---|---|---|")
    for first in range(1, len(counts), ROW):
        part = counts[first : first + ROW]
        print(f"| {first} to {first + ROW - 1} | {sum(part[::2]):,} | {sum(part[1::2]):,} |")
    most = len(counts) - 1
    longest = tablebase.numbers(most)
    print(f"\nlongest: {most} plies, {len(longest)} positions, for example {tablebase.sfen(int(longest[0]))}")


def start(tablebase: Tablebase) -> None:
    """Print the values of the first moves, and best play."""
    position = Position(DOBUTSU)
    for one in known_moves(tablebase, position) or ():
        print(f"{one.move}: {one.value}")
    while position.outcome() is None:
        known = known_moves(tablebase, position)
        assert known, position.sfen()
        position.push(known[0].move)
    print(f"best play, {len(position.moves)} plies: {' '.join(position.moves)}; {position.outcome()}")


def check(tablebase: Tablebase, number: int) -> None:
    """Compare the values of random positions with the values after each move, by the rules of games."""
    rng, compared, absent = random.Random(9), 0, 0
    while compared + absent < number:
        position = Position(DOBUTSU)
        for _ in range(rng.randrange(80)):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        if position.outcome() is not None:
            continue
        position = Position(DOBUTSU, position.sfen())  # without the game before it
        value, known = tablebase.value(position), known_moves(tablebase, position)
        if value is None or known is None:
            absent += 1
            continue
        assert value == known[0].value, position.sfen()
        compared += 1
    print(f"{compared:,} random positions: each value is the best of those after its moves; {absent} without an entry")


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder")
    words.add_argument("--positions", type=int, default=10_000)
    given = words.parse_args()
    tablebase = open_tablebase(given.folder, DOBUTSU)
    if tablebase is None:
        raise SystemExit(f"{given.folder} has no tablebase: ./engine.sh solve dobutsu -o {given.folder}")
    distances(tablebase)
    start(tablebase)
    check(tablebase, given.positions)
    position, before = Position(DOBUTSU), time.process_time()
    for _ in range(PROBES):
        tablebase.value(position)
    print(f"a look-up from Python: {(time.process_time() - before) / PROBES * 1e6:.1f} microseconds")


if __name__ == "__main__":
    main()
