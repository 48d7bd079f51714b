"""Send random lines to the engine, and check every answer. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.fuzz_usi --lines 1000000

Every `go` must get one legal `bestmove`, and every `isready` one `readyok`. The engine must not end or hang, and must
keep the position that it was sent. To repeat a run, pass the seed that is printed at the start.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from support.fuzz.judge import Wrong, converse
from support.usi_client import UsiClient

PART = 20_000  # lines for each engine process


def main() -> int:
    """Test one engine process after another. Return 1 as soon as an answer is wrong, and 0 if all answers are right."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=PART, metavar="N", help=f"total number of lines (default {PART})")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the first engine's lines (default: a new one)")
    given = parser.parse_args()
    seed = random.SystemRandom().randrange(2**31) if given.seed is None else given.seed
    print(f"seed {seed}", flush=True)
    started, total = time.perf_counter(), [0, 0, 0, 0]
    for part, first in enumerate(range(0, given.lines, PART)):
        with UsiClient() as client:
            client.ready()
            try:
                judge = converse(client, min(PART, given.lines - first), seed + part)
            except (Wrong, EOFError, TimeoutError) as failure:
                print(f"FAILED, seed {seed + part}: {failure}")
                return 1
            if client.errors() or client.quit() != 0:
                print(f"FAILED, seed {seed + part}: the engine's end: {client.errors()}")
                return 1
        counts = (judge.lines, judge.searches, judge.set_up, judge.refused)
        total = [before + now for before, now in zip(total, counts, strict=True)]
        print(
            f"{total[0]} lines: {total[1]} searches, each with one legal move; {total[2]} positions set, "
            f"{total[3]} refused in part or wholly; {time.perf_counter() - started:.0f} s",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
