"""A fuzzed conversation with the engine, judged line by line. As a command, from the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.fuzz_usi --lines 1000000

Every `go` must get one legal `bestmove`, every `isready` one `readyok`; the engine must neither
end nor hang, and hold the position that it was told. The seed that is printed first repeats what was sent.
"""

from __future__ import annotations

import argparse
import random
import sys
import time

from support.fuzz.judge import Wrong, converse
from support.usi_client import UsiClient

PART = 20_000  # lines for one engine


def main() -> int:
    """Talk to engines, one after the other; returns 1 at the first wrong answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=PART, metavar="N", help=f"lines in all (default {PART})")
    parser.add_argument("--seed", type=int, metavar="N", help="the first part's seed (default: another one every time)")
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
