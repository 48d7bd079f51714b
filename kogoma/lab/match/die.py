"""The die of Dice-Shogi, which the lab throws."""

from __future__ import annotations

import random
from collections.abc import Iterator

from kogoma.rules.dice.die import FACES


def throws(seed: int) -> Iterator[int]:
    """The throws of a game, one for every ply after the book; games with the same seed have the same throws."""
    die = random.Random(f"dice {seed}")
    while True:
        yield die.randint(1, FACES)
