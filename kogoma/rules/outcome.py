"""The outcome of a game: no legal move, repetition with or without perpetual check, or the length limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

from kogoma.rules.variants import CheckRule, RepetitionResult, Variant


class Ending(IntEnum):
    """Ways in which a game ends at once by the position on the board, even if there are legal moves."""

    NONE = 0
    KING_CAPTURED = 1  # the side to move has lost its king
    GOAL_REACHED = 2  # the king of the side that moved last stands on its goal, where it is not attacked
    GOAL_HELD = 3  # the king of the side to move stands on its goal and is attacked no longer
    CHECK_GIVEN = 4  # the side to move is in check, in a variant where checks win


@dataclass(frozen=True)
class Outcome:
    """The result of a finished game. `winner` is 0 for Black, 1 for White, None for a draw. `reason` is checkmate,
    stalemate, king_captured, goal, check, repetition, perpetual_check or max_plies; in Onitama master_captured, shrine
    or max_plies."""

    winner: int | None
    reason: str


def outcome(
    variant: Variant, keys: Sequence[int], checks: Sequence[bool], turn: int, ply: int, can_move: bool
) -> Outcome | None:
    """Return the outcome of a game, or None if it goes on. `keys` holds the hash key of every position of the game, the
    current one last. `checks` tells for each of these positions whether the side to move was in check. `turn` is the
    side to move now, and `ply` the number of plies played."""
    if not can_move:
        if checks[-1]:
            return Outcome(1 - turn, "checkmate")
        return Outcome(turn if variant.stalemate_wins else 1 - turn, "stalemate")
    if variant.repetition_result is not RepetitionResult.NONE:
        newest = len(keys) - 1
        same = [index for index, key in enumerate(keys) if key == keys[newest]]
        if len(same) >= variant.repetition_fold:
            return _repeated(variant, checks, turn, same[-variant.repetition_fold], newest)
    if variant.max_plies and ply >= variant.max_plies:
        return Outcome(None, "max_plies")
    return None


def _repeated(variant: Variant, checks: Sequence[bool], turn: int, first: int, newest: int) -> Outcome:
    if variant.check_rule is CheckRule.STANDING and checks[newest]:
        return Outcome(turn, "perpetual_check")
    if variant.check_rule is CheckRule.PERPETUAL:
        # checks[i] tells whether the move to position i gave check. The opponent's moves led to newest, newest - 2, ...
        by_opponent, by_mover = all(checks[newest:first:-2]), all(checks[newest - 1 : first : -2])
        if by_opponent != by_mover:  # if both sides gave check with every move, neither loses
            return Outcome(turn if by_opponent else 1 - turn, "perpetual_check")
    winners = {RepetitionResult.BLACK_LOSES: 1, RepetitionResult.REPEATER_LOSES: turn}
    return Outcome(winners.get(variant.repetition_result), "repetition")
