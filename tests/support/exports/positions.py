"""Positions of random games."""

from __future__ import annotations

import random

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position


def random_positions(name: str, count: int, seed: int) -> list[BasePosition]:
    """Return `count` positions from random games. The game has not ended in any of these positions."""
    rng, found = random.Random(seed), list[BasePosition]()
    while len(found) < count:
        position = new_position(name)
        wanted = rng.randrange(0, 60)
        while len(position.moves) < wanted and position.outcome() is None and (moves := sorted(position.legal_moves())):
            position.push(rng.choice(moves))
        if position.outcome() is None:
            found.append(position)
    return found
