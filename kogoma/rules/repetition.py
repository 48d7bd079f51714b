"""Repetition inside a search, by the rules of the variant."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, any_of, load_bb
from kogoma.native.kernel import kernel
from kogoma.native.types import Int
from kogoma.rules.make_move import SEEN_MASK
from kogoma.rules.types import Ply, Position, Rules
from kogoma.rules.variants import CheckRule, RepetitionResult

GOES_ON, WINS, LOSES, DRAWS = 0, 1, 2, 3  # for the side to move

NO_REPETITION = int(RepetitionResult.NONE)
BLACK_LOSES = int(RepetitionResult.BLACK_LOSES)
REPEATER_LOSES = int(RepetitionResult.REPEATER_LOSES)
PERPETUAL = int(CheckRule.PERPETUAL)
STANDING = int(CheckRule.STANDING)


@kernel
def repeated(rules: Rules, position: Position, distance: Ply) -> Int:
    """Return WINS, LOSES or DRAWS for the side to move, after a repetition of the position of `distance` plies ago."""
    ply = position.ply
    if rules.check_rule == STANDING and any_of(load_bb(position.checkers, ply)):
        return WINS
    if rules.check_rule == PERPETUAL:
        moves = distance // np.int64(2)
        by_opponent = np.int64(position.checks_run[ply]) >= moves
        by_mover = np.int64(position.checks_run[ply - ONE]) >= moves
        if by_opponent != by_mover:  # if both sides gave check with every move, neither loses
            return WINS if by_opponent else LOSES
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
