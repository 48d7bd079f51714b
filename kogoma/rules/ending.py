"""Ends of a game while the side to move may still have moves: a captured king, a king on its goal, a check that wins,
and declarations."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, load_bb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.native.types import Flag
from kogoma.rules.attacks import attacked
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.outcome import Ending
from kogoma.rules.types import Position, Rules, Side

PIECES_IN_ZONE = 11  # the king and ten others, for a declaration
NONE = int(Ending.NONE)
KING_CAPTURED = int(Ending.KING_CAPTURED)
GOAL_REACHED = int(Ending.GOAL_REACHED)
GOAL_HELD = int(Ending.GOAL_HELD)
CHECK_GIVEN = int(Ending.CHECK_GIVEN)


@kernel
def safe_on_goal(rules: Rules, position: Position, side: Side) -> Flag:
    """Return whether the king of `side` is on a goal square and not attacked."""
    if not any_of(load_bb(position.by_type, rules.king) & load_bb(position.by_side, side) & load_bb(rules.goal, side)):
        return False
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return not attacked(rules, position, side ^ ONE, np.uint64(position.king[side, ZERO]), occupied)


@kernel
def ending(rules: Rules, position: Position) -> Any:
    """Return how the game has ended (`rules.outcome.Ending`), or NONE. Mate and repetition are not considered."""
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
def wins_without_move(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move would win if it had no legal move. This is so if it is not in check, in variants
    in which stalemate is a win."""
    return rules.stalemate_wins != 0 and not any_of(load_bb(position.checkers, position.ply))


@kernel
def over(rules: Rules, position: Position) -> Flag:
    """Return whether the position on the board has ended the game, even if there are legal moves."""
    return rules.sudden_end != 0 and ending(rules, position) != NONE


@kernel
def may_declare(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move may declare a win by the 27-point rule
    (https://en.wikipedia.org/wiki/Shogi#Impasse). Its conditions are: the king and at least ten other pieces are in the
    promotion zone, the king is not in check, and the pieces in the zone and in hand are worth 28 points for Black or 27
    for White. Rooks and bishops count 5, other pieces 1, the king 0."""
    us = position.side
    needed = rules.declaration[us]
    if needed == 0:
        return False
    own = load_bb(position.by_side, us) & load_bb(rules.zone, us)
    if not any_of(own & load_bb(position.by_type, rules.king)) or any_of(load_bb(position.checkers, position.ply)):
        return False
    if popcount(own) < PIECES_IN_ZONE:
        return False
    points = np.int64(0)
    while any_of(own):
        points += rules.points[np.uint64(position.board[lsb(own)]) & TYPE_MASK]
        own = clear_lsb(own)
    for kind in range(ONE, rules.hand_types + ONE):
        points += rules.points[kind] * np.int64(position.hand[us, kind])
    return points >= needed
