"""The die of Dice-Shogi, which the lab throws."""

from __future__ import annotations

import random
from collections.abc import Iterator

from rules.base import BasePosition
from rules.dice import FACES, allowed
from rules.position import Position


def throws(seed: int) -> Iterator[int]:
    """The throws of a game, one for every ply after the book; games with the same seed have the same throws."""
    die = random.Random(f"dice {seed}")
    while True:
        yield die.randint(1, FACES)


def playable(position: BasePosition, throw: int | None) -> list[str]:
    """The legal moves in USI notation, only those that the throw allows if there is one."""
    if throw is None or not isinstance(position, Position):
        return position.legal_moves()
    return allowed(position, throw)
