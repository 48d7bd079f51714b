"""An arena's description, and a parsed turn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kogoma.arena.codingame.turn_reader import Form, RawTurn

FIRST_TURN = 750  # ms: arenas allow 1000, but Python's start is not measured


@dataclass(frozen=True)
class Turn:
    """A parsed turn; a field is None if its lines could not be read. `player` is 0 or 1, `sfen` the position without
    the move number, `dice` the die roll. `last` is the opponent's last move in USI notation, None at the start or if
    the arena does not send it. `actions` maps the referee's legal moves in USI notation to the referee's notation."""

    player: int | None
    sfen: str | None
    last: str | None
    dice: int | None
    actions: dict[str, str]


@dataclass(frozen=True)
class Arena:
    """One game of CodinGame: the variant's name, the time per turn in ms, and the format of its turns. `read` parses a
    turn for a player: 0, 1, or None if unknown. `to_action` writes a USI move of a player."""

    variant: str
    clock: int
    form: Form
    read: Callable[[RawTurn, int | None], Turn]
    to_action: Callable[[str, int], str]
    dice: bool = False
    one_start: bool = True  # every game begins with the variant's start position

    def time(self, first: bool) -> int:
        """Return the time limit for an answer in ms."""
        return FIRST_TURN if first else self.clock
