"""Positions from random games of minishogi, with their properties computed during those games."""

from __future__ import annotations

import random
from functools import cache
from typing import NamedTuple

from kogoma.rules.position import Position
from support.scope import count


class Sample(NamedTuple):
    """A position of a random game, with its legal moves, key and checkers. These properties were computed during the
    game, not from the SFEN."""

    sfen: str
    legal_moves: list[str]
    key: int
    checkers: list[str]


def samples() -> list[Sample]:
    """Return 20,000 different positions (3,000 without --all) from random games of at most 150 plies. Every call
    returns the same positions."""
    return _samples(count(20_000, 3_000))


@cache
def _samples(most: int) -> list[Sample]:
    rng, found, position = random.Random(20_000), dict[str, Sample](), Position("minishogi")
    while len(found) < most:
        moves = sorted(position.legal_moves())
        sfen = position.sfen()
        found.setdefault(sfen.rsplit(" ", 1)[0], Sample(sfen, moves, position.key, position.checkers))
        if not moves or len(position.moves) >= 150:
            position = Position("minishogi")
        else:
            position.push(rng.choice(moves))
    return list(found.values())
