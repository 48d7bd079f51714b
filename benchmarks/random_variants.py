"""Games with random boards, pieces and flags, each compared with the naive rule book. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.random_variants --count 3000

Legal moves and results along random games, perft 2, searches to depth 3, and the mate solver. Every difference is told
with the seed of its game, which `--seed N --count 1` repeats. Nothing is compiled for a game: one library a layout
plays them all.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from kogoma.rules.custom.writer import write_game
from support.random_variants import random_variant
from support.variant_judge import Difference, judge

TELL_EVERY = 100  # games


def main() -> int:
    """Judge one game after the other; returns 1 if there was a difference."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="games (default 1000)")
    parser.add_argument("--seed", type=int, metavar="N", help="the first game's (default: another one every time)")
    parser.add_argument("--largest", type=int, default=9, metavar="N", help="files and ranks at most (default 9)")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    started, wrong = time.process_time(), 0
    for number in range(given.count):
        variant = random_variant(seed + number, given.largest)
        try:
            judge(variant, seed + number)
        except (Difference, ValueError) as failure:
            wrong += 1
            print(f"DIFFERENCE, seed {seed + number}: {failure}\n{write_game(variant)}", flush=True)
        if (number + 1) % TELL_EVERY == 0 or number + 1 == given.count:
            used = time.process_time() - started
            print(f"{number + 1} games, {wrong} differences; {used:.0f} s of processor time", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
