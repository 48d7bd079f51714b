"""Repetition, by the rules of the variant: inside a search, and at the end of a game."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, any_of, load_bb
from kogoma.native.kernel import kernel
from kogoma.native.types import Int, IntArray
from kogoma.rules.make_move import SEEN_MASK
from kogoma.rules.outcome import RESULT_SHIFT, Ending
from kogoma.rules.types import Ply, Position, Rules
from kogoma.rules.variants import CheckRule, RepetitionResult

GOES_ON, WINS, LOSES, DRAWS = 0, 1, 2, 3  # for the side to move

NO_REPETITION = int(RepetitionResult.NONE)
BLACK_LOSES = int(RepetitionResult.BLACK_LOSES)
REPEATER_LOSES = int(RepetitionResult.REPEATER_LOSES)
REPETITION, PERPETUAL_CHECK = int(Ending.REPETITION), int(Ending.PERPETUAL_CHECK)
PERPETUAL = int(CheckRule.PERPETUAL)
STANDING = int(CheckRule.STANDING)


@kernel
def perpetual_check(rules: Rules, position: Position, distance: Ply) -> Int:
    """Return WINS or LOSES for the side to move if checks decide a repetition of the position of `distance` plies ago,
    otherwise GOES_ON."""
    ply = position.ply
    if rules.check_rule == STANDING and any_of(load_bb(position.checkers, ply)):
        return WINS
    if rules.check_rule == PERPETUAL:
        moves = distance // np.int64(2)
        by_opponent = np.int64(position.checks_run[ply]) >= moves
        by_mover = np.int64(position.checks_run[ply - ONE]) >= moves
        if by_opponent != by_mover:  # if both sides gave check with every move, neither loses
            return WINS if by_opponent else LOSES
    return GOES_ON


@kernel
def repeated(rules: Rules, position: Position, distance: Ply) -> Int:
    """Return WINS, LOSES or DRAWS for the side to move, after a repetition of the position of `distance` plies ago."""
    result = perpetual_check(rules, position, distance)
    if result != GOES_ON:
        return result
    if rules.repetition_result == REPEATER_LOSES:
        return WINS
    if rules.repetition_result == BLACK_LOSES:
        return LOSES if position.side == 0 else WINS
    return DRAWS


@kernel
def repetition(rules: Rules, position: Position, root: Ply) -> Any:
    """Return GOES_ON, WINS, LOSES or DRAWS for the side to move, by the repetition rule. One earlier occurrence in
    the search, at an index above `root`, counts as a full repetition, because the cycle could be played again. An
    occurrence at or before `root` counts only if the position has occurred `repetition_fold` times."""
    ply = np.int64(position.ply)
    key = position.key[position.ply]
    if position.seen[key & SEEN_MASK] < 2 or rules.repetition_result == NO_REPETITION:
        return GOES_ON
    times = np.int64(1)
    entry = ply - np.int64(2)
    while entry >= 0:
        at = np.uint64(entry)
        if position.move[at + ONE] == 0 or position.move[at + np.uint64(2)] == 0:
            break  # positions before a null move cannot recur
        if position.key[at] == key:
            times += np.int64(1)
            if entry > root or times >= rules.repetition_fold:
                return repeated(rules, position, ply - entry)
        entry -= np.int64(2)
    return GOES_ON


@kernel
def repetition_in_game(rules: Rules, position: Position, earlier: IntArray, count: Int) -> Int:
    """Return how a game has ended by repetition, as result << RESULT_SHIFT | ending (`rules.outcome`), where WINS,
    LOSES and DRAWS are results for the side to move. Return 0 if it has not ended. `earlier` holds the keys of the
    game's first `count` positions, which the struct does not contain any more."""
    ply = np.int64(position.ply)
    key = position.key[position.ply]
    if rules.repetition_result == NO_REPETITION or (count == 0 and position.seen[key & SEEN_MASK] < 2):
        return GOES_ON
    times = np.int64(1)
    for distance in range(2, ply + count + 1, 2):
        at = ply - distance
        if (position.key[at] if at >= 0 else earlier[count + at]) == key:
            times += np.int64(1)
            if times >= rules.repetition_fold:
                by_checks = perpetual_check(rules, position, distance) != GOES_ON
                ending = PERPETUAL_CHECK if by_checks else REPETITION
                return repeated(rules, position, distance) << RESULT_SHIFT | ending
    return GOES_ON
