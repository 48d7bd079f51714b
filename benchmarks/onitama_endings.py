"""Compute Onitama's endings for random sets of cards, for docs/tablebase.md. Run it in the checkout:

    .venv/bin/python -m benchmarks.onitama_endings [--sets 20] [--men 4] [--seed 1]

For each set it prints the processor time, the largest distance, and the share of positions with each result. It ends
with their extremes, with the memory, and with the time of a look-up.
"""

from __future__ import annotations

import argparse
import random
import time

from kogoma.rules.onitama_cards import CARDS, IN_PLAY
from kogoma.rules.position import new_position
from kogoma.search.tablebase.onitama.values import Endings

PROBES = 100_000
LOOKED_UP = "2m2/5/5/5/2M1S b {},{}/{},{}/{} 1"


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--sets", type=int, default=20)
    words.add_argument("--men", type=int, default=4)
    words.add_argument("--seed", type=int, default=1)
    given = words.parse_args()
    rng, times, longest, drawn = random.Random(given.seed), [], [], []
    for _ in range(given.sets):
        cards = sorted(rng.sample(range(len(CARDS)), IN_PLAY))
        before = time.thread_time()
        endings = Endings(cards, given.men)
        endings.solve()
        times.append(time.thread_time() - before)
        counts = endings.counts()
        positions, won, lost = sum(counts), sum(counts[1::2]), sum(counts[2::2])
        longest.append(len(counts) - 1)
        drawn.append(counts[0])
        shares = f"won {won / positions:.2%} (at once {counts[1] / positions:.2%}), lost {lost / positions:.2%}"
        names = " ".join(CARDS[card].name for card in cards)
        print(f"{names}: {times[-1]:.2f} s, longest {longest[-1]}, {shares}, drawn {counts[0]:,}", flush=True)
    print(f"\n{positions:,} positions, {endings.size / 1e6:.1f} MB")
    print(f"processor time {min(times):.2f} to {max(times):.2f} s, on average {sum(times) / len(times):.2f} s")
    print(f"longest {min(longest)} to {max(longest)} plies; drawn {min(drawn):,} to {max(drawn):,}")
    position = new_position("onitama", LOOKED_UP.format(*cards))
    before = time.thread_time()
    for _ in range(PROBES):
        endings.value(position)
    print(f"a look-up from Python: {(time.thread_time() - before) / PROBES * 1e6:.1f} microseconds")


if __name__ == "__main__":
    main()
