"""Check the tablebase of Dobutsu, and measure how long a look-up takes, for docs/tablebase.md. Run it in the checkout:

    ./engine.sh solve dobutsu -o FOLDER
    .venv/bin/python -m benchmarks.measure_tablebase FOLDER [--positions 10000]

The value of random positions is compared with the values after each move.
"""

from __future__ import annotations

import argparse
import random
import time

from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.tablebase.root import known_moves
from kogoma.search.tablebase.values import Tablebase, open_tablebase

DOBUTSU = VARIANTS["dobutsu"]
PROBES = 100_000


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
    check(tablebase, given.positions)
    position, before = Position(DOBUTSU), time.process_time()
    for _ in range(PROBES):
        tablebase.value(position)
    print(f"a look-up from Python: {(time.process_time() - before) / PROBES * 1e6:.1f} microseconds")


if __name__ == "__main__":
    main()
