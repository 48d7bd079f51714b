"""Games that end while there are moves: a king captured, one that has reached its goal, or a check that wins."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, load_bb
from kogoma.native.kernel import kernel
from kogoma.rules.attacks import attacked
from kogoma.rules.outcome import Ending

NONE = int(Ending.NONE)
KING_CAPTURED = int(Ending.KING_CAPTURED)
GOAL_REACHED = int(Ending.GOAL_REACHED)
GOAL_HELD = int(Ending.GOAL_HELD)
CHECK_GIVEN = int(Ending.CHECK_GIVEN)


@kernel
def safe_on_goal(rules: Any, position: Any, side: Any) -> Any:
    """True if the king of `side` stands on its goal and is not attacked there."""
    if not any_of(load_bb(position.by_type, rules.king) & load_bb(position.by_side, side) & load_bb(rules.goal, side)):
        return False
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return not attacked(rules, position, side ^ ONE, np.uint64(position.king[side, ZERO]), occupied)


@kernel
def ending(rules: Any, position: Any) -> Any:
    """How the game has ended (`rules.outcome.Ending`), in a variant where it can."""
    us = position.side
    them = us ^ ONE
    if not any_of(load_bb(position.by_type, rules.king) & load_bb(position.by_side, us)):
        return KING_CAPTURED
    if safe_on_goal(rules, position, them):
        return GOAL_REACHED
    if safe_on_goal(rules, position, us):
        return GOAL_HELD
    if rules.check_wins != 0 and any_of(load_bb(position.checkers, position.ply)):
        return CHECK_GIVEN
    return NONE


@kernel
def wins_without_move(rules: Any, position: Any) -> Any:
    """True if the side to move wins where it has no legal move: a stalemate in games in which that wins."""
    return rules.stalemate_wins != 0 and not any_of(load_bb(position.checkers, position.ply))


@kernel
def over(rules: Any, position: Any) -> Any:
    """True if the game has ended although there may be moves."""
    return rules.sudden_end != 0 and ending(rules, position) != NONE
