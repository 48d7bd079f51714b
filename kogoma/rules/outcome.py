"""The outcome of a game: who has won, and why."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Ending(IntEnum):
    """Ways in which a game ends."""

    NONE = 0
    # By the position on the board, even if there are legal moves:
    KING_CAPTURED = 1  # the side to move has lost its king
    GOAL_REACHED = 2  # the king of the side that moved last stands on its goal, where it is not attacked
    GOAL_HELD = 3  # the king of the side to move stands on its goal and is attacked no longer
    CHECK_GIVEN = 4  # the side to move is in check, in a variant where checks win
    MASTER_CAPTURED = 5  # in Onitama
    SHRINE_REACHED = 6
    # In other ways:
    CHECKMATE = 7
    STALEMATE = 8
    REPETITION = 9
    PERPETUAL_CHECK = 10
    MAX_PLIES = 11


REASONS = (
    *("", "king_captured", "goal", "goal", "check", "master_captured", "shrine"),
    *("checkmate", "stalemate", "repetition", "perpetual_check", "max_plies"),
)
"""The reasons of outcomes, by the numbers of `Ending`."""

RESULT_SHIFT = 4
"""The entry point `outcome` returns result << RESULT_SHIFT | ending."""


@dataclass(frozen=True)
class Outcome:
    """The result of a finished game. `winner` is 0 for Black, 1 for White, None for a draw. `reason` is one of REASONS;
    in Onitama it is master_captured, shrine or max_plies."""

    winner: int | None
    reason: str


def decoded(code: int, turn: int) -> Outcome:
    """Return the outcome that the entry point `outcome` has returned as a number, not 0. `turn` is the side to
    move."""
    winner = (turn, 1 - turn, None)[(code >> RESULT_SHIFT) - 1]  # the side to move wins, loses, or draws
    return Outcome(winner, REASONS[code & (1 << RESULT_SHIFT) - 1])
