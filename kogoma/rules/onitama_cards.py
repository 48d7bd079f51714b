"""Onitama's sixteen movement cards, with the numbers that CodinGame's referee uses."""

from __future__ import annotations

from dataclasses import dataclass

from kogoma.rules.variants import Vector

HELD = 2  # cards in a hand
IN_PLAY = 5


@dataclass(frozen=True)
class Card:
    """A card. `moves` are the steps that it allows, as its player sees the board."""

    name: str
    moves: tuple[Vector, ...]


CARDS: tuple[Card, ...] = (
    Card("eel", ((-1, 1), (-1, -1), (1, 0))),
    Card("crane", ((0, 1), (-1, -1), (1, -1))),
    Card("frog", ((-2, 0), (-1, 1), (1, -1))),
    Card("horse", ((0, 1), (0, -1), (-1, 0))),
    Card("boar", ((0, 1), (-1, 0), (1, 0))),
    Card("rooster", ((1, 1), (1, 0), (-1, 0), (-1, -1))),
    Card("crab", ((0, 1), (-2, 0), (2, 0))),
    Card("ox", ((0, 1), (0, -1), (1, 0))),
    Card("cobra", ((1, 1), (1, -1), (-1, 0))),
    Card("rabbit", ((2, 0), (1, 1), (-1, -1))),
    Card("dragon", ((-2, 1), (2, 1), (-1, -1), (1, -1))),
    Card("monkey", ((-1, 1), (1, 1), (-1, -1), (1, -1))),
    Card("goose", ((-1, 1), (-1, 0), (1, 0), (1, -1))),
    Card("elephant", ((-1, 1), (1, 1), (-1, 0), (1, 0))),
    Card("mantis", ((-1, 1), (1, 1), (0, -1))),
    Card("tiger", ((0, 2), (0, -1))),
)
