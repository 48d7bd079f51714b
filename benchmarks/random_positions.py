"""Random positions for measurements of speed."""

from __future__ import annotations

import random

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant


def random_positions(variant: Variant, count: int, seed: str) -> list[BasePosition]:
    """Return positions after 4 to 19 plies of random games that have not ended. The same seed gives the same
    positions."""
    rng, found = random.Random(seed), list[BasePosition]()
    while len(found) < count:
        position = new_position(variant)
        for _ in range(rng.randrange(4, 20)):
            if position.outcome() is None:
                position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome() is None:
            found.append(position)
    return found
