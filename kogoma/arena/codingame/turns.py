"""What an arena is, and a turn of it as the engine understands it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from kogoma.arena.codingame.turn_reader import Form, RawTurn

FIRST_TURN = 750  # ms: an arena allows 1000, of which Python needs some before it can look at a clock


@dataclass(frozen=True)
class Turn:
    """What is known of a turn; None where it could not be read.

    `sfen` comes without the move number. Moves are in USI notation: `last` is the opponent's (also None at the start,
    and where the arena doesn't tell), `actions` are those that the referee lists, with the way it writes them.
    """

    player: int | None
    sfen: str | None
    last: str | None
    dice: int | None
    actions: dict[str, str]


@dataclass(frozen=True)
class Arena:
    """One game: the engine's variant, the clock in ms, how its turns look and are read, and how it writes moves.

    `read` takes the player, 0 or 1, or None where the line that tells could not be read; so does `to_action`, after
    the move.
    """

    variant: str
    clock: int
    form: Form
    read: Callable[[RawTurn, int | None], Turn]
    to_action: Callable[[str, int], str]
    dice: bool = False
    one_start: bool = True  # every game begins with the variant's start position

    def time(self, first: bool) -> int:
        """The ms for an answer."""
        return FIRST_TURN if first else self.clock
