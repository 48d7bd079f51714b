"""Compare the engine with the reference rules in random variants. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.random_variants --count 3000

It compares legal moves and results in random games, perft 2, searches to depth 3, and the mate solver. Every difference
is printed with the seed of its variant, which `--seed N --count 1` repeats. No variant needs compiling, because the
variants of a layout share one native library.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from kogoma.rules.custom.writer import write_game
from support.random_variants import random_variant
from support.variant_judge import Difference, judge

TELL_EVERY = 100  # variants between two lines of output


def main() -> int:
    """Test one random variant after another. Return 1 if the engine and the reference rules differed, and 0
    otherwise."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, metavar="N", help="number of variants (default 1000)")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first variant (default: a new one)")
    parser.add_argument("--largest", type=int, default=9, metavar="N", help="maximum files and ranks (default 9)")
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
