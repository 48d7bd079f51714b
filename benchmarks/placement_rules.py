"""Compare the rules of 66-shogi with Fairy-Stockfish's and with the reference rules. Run it in the checkout:

    PYTHONPATH=tests .venv/bin/python -m benchmarks.placement_rules [--positions 500] [--games 10000]

Counts: perft 4 from random arrangements and from random positions of play, compared with Fairy-Stockfish, which counts
pawn drops that mate too. Games: random games from the first placement on, compared ply by ply with the reference rules
in plain Python. The first difference ends the command with an error.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from pathlib import Path

from benchmarks.perft_table import count
from kogoma.rules.position import Position
from support import referee
from support.placement import PEER, PEER_NAME, compare_with_reference_rules, placed

DEPTH = 4


def played(rng: random.Random) -> Position:
    """Return a random position of play, 1 to 60 plies after a random arrangement."""
    while True:
        position = placed(rng)
        for _ in range(rng.randint(1, 60)):
            if position.outcome() is None:
                position.push(rng.choice(position.legal_moves()))
        if position.outcome() is None:
            return position


def main() -> None:
    """Run the comparisons."""
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--arrangements", type=int, default=30)
    words.add_argument("--positions", type=int, default=500)
    words.add_argument("--games", type=int, default=10_000)
    given = words.parse_args()
    path = referee.find_fairy_stockfish()
    if path is None:
        raise SystemExit("fairy-stockfish is not installed")
    rng, nodes = random.Random(66), 0
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "variants.ini")
        config.write_text(PEER)
        with referee.FairyStockfish(path, PEER_NAME, config) as peer:
            for number in range(given.arrangements + given.positions):
                position = placed(rng) if number < given.arrangements else played(rng)
                row = count(position, DEPTH)
                theirs = sum(peer.divide(position.sfen(), DEPTH).values())
                assert row.nodes + row.drop_mates == theirs, position.sfen()
                nodes += row.nodes
    print(f"perft {DEPTH}: {number + 1} positions, {nodes:,} nodes, no difference", flush=True)
    for _ in range(given.games):
        compare_with_reference_rules(rng)
    print(f"{given.games:,} random games, no difference")


if __name__ == "__main__":
    main()
