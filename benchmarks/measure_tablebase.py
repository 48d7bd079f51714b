"""Check the tablebase of Dobutsu, and measure how long a look-up takes, for docs/tablebase.md. Run it in the checkout:

    ./engine.sh solve dobutsu -o FOLDER
    .venv/bin/python -m benchmarks.measure_tablebase FOLDER [--positions 10000]

The value of random positions is compared with the values after each move, and with a search by the mate solver. The
command also tells how much the web page loads to show the values after all moves of a position.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator

from kogoma.api import position as api
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS
from kogoma.search.mate.solver import MateLimits, MateSolver
from kogoma.search.table_memory import Table
from kogoma.search.tablebase.dobutsu.blocks import BLOCK, packed_block
from kogoma.search.tablebase.dobutsu.values import Tablebase, open_tablebase
from kogoma.search.tablebase.root import known_moves

DOBUTSU = VARIANTS["dobutsu"]
PROBES = 100_000
NEAR = 11  # plies
MOST_NODES = 1_000_000  # of the mate solver


def random_positions(number: int) -> Iterator[Position]:
    """Yield random positions that have not ended, without the games before them."""
    rng = random.Random(9)
    while number:
        position = Position(DOBUTSU)
        for _ in range(rng.randrange(80)):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        if position.outcome() is None:
            yield Position(DOBUTSU, position.sfen())
            number -= 1


def check(tablebase: Tablebase, number: int) -> None:
    """Compare the values of random positions with the values after each move, by the rules of games."""
    compared = 0
    for position in random_positions(number):
        value, known = tablebase.value(position), known_moves(tablebase, position)
        if value is not None and known is not None:
            assert value == known[0].value, position.sfen()
            compared += 1
    print(f"{compared:,} random positions: each value is the best of those after its moves")
    print(f"{number - compared} had no entry, or a move to a position without one", flush=True)


def compare(tablebase: Tablebase, number: int) -> None:
    """Compare the values of random positions with the mate solver's answers: a win in at most NEAR plies is a mate, and
    other positions are not. The solver's mates end one move of each side earlier, unless the lion reaches its goal."""
    solver, agreed, undecided = MateSolver(Table(64)), 0, 0
    for position in random_positions(number):
        value = tablebase.value(position)
        if value is None:
            continue
        verdict = solver.solve(position, MateLimits(nodes=MOST_NODES, plies=NEAR)).verdict
        if verdict == "timeout" or NEAR < (value or 0) <= NEAR + 2:
            undecided += 1
            continue
        assert (verdict == "mate") == (0 < value <= NEAR), (position.sfen(), value, verdict)
        agreed += 1
    print(
        f"{agreed:,} random positions: the mate solver finds a win within {NEAR} plies where there is one, and no other"
    )
    print(f"{undecided} were not decided within {MOST_NODES:,} nodes, or are won two plies later", flush=True)


def load(tablebase: Tablebase, number: int) -> None:
    """Print how many bytes of blocks the page loads for a position."""
    sizes: dict[int, int] = {}
    loaded = []
    for position in random_positions(number):
        blocks = set()
        for move in position.legal_moves():
            position.push(move)
            if position.outcome() is None and (place := tablebase.number(position)) is not None:
                blocks.add(place // BLOCK)
            position.pop()
        for block in blocks - sizes.keys():
            sizes[block] = len(packed_block(tablebase.values, block))
        loaded.append(sum(sizes[block] for block in blocks))
    loaded.sort()
    print(
        f"the page loads {loaded[len(loaded) // 2] / 1000:.1f} kB (median) to {loaded[-1] / 1000:.1f} kB for a position"
    )


def _microseconds(call: Callable[[], object]) -> float:
    """Return the processor time of a call, the mean of PROBES calls."""
    before = time.process_time()
    for _ in range(PROBES):
        call()
    return (time.process_time() - before) / PROBES * 1e6


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("folder")
    words.add_argument("--positions", type=int, default=10_000)
    given = words.parse_args()
    tablebase = open_tablebase(given.folder, DOBUTSU)
    if tablebase is None:
        raise SystemExit(f"{given.folder} has no tablebase: ./engine.sh solve dobutsu -o {given.folder}")
    check(tablebase, given.positions)
    compare(tablebase, given.positions)
    load(tablebase, given.positions // 10)
    position = Position(DOBUTSU)
    print(f"a look-up from Python: {_microseconds(lambda: tablebase.value(position)):.1f} microseconds")
    of_users = api.Position("dobutsu")
    if of_users.tablebase() is not None:  # this reads the table in the cache folder
        print(f"Position.tablebase(): {_microseconds(of_users.tablebase):.1f} microseconds")


if __name__ == "__main__":
    main()
