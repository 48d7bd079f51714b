"""Repetition inside a search, judged by the rule set of the game."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, any_of, load_bb
from kogoma.native.kernel import kernel
from kogoma.rules.make_move import SEEN_MASK
from kogoma.rules.types import Position, Rules
from kogoma.rules.variants import CheckRule, RepetitionResult

GOES_ON, WINS, LOSES, DRAWS = 0, 1, 2, 3  # for the side to move

NO_REPETITION = int(RepetitionResult.NONE)
BLACK_LOSES = int(RepetitionResult.BLACK_LOSES)
REPEATER_LOSES = int(RepetitionResult.REPEATER_LOSES)
PERPETUAL = int(CheckRule.PERPETUAL)
STANDING = int(CheckRule.STANDING)


@kernel
def repeated(rules: Rules, position: Position, distance: Any) -> Any:
    """The result of a position that stood on the board `distance` plies ago."""
    ply = position.ply
    if rules.check_rule == STANDING and any_of(load_bb(position.checkers, ply)):
        return WINS
    if rules.check_rule == PERPETUAL:
        moves = distance // np.int64(2)
        by_opponent = np.int64(position.checks_run[ply]) >= moves
        by_mover = np.int64(position.checks_run[ply - ONE]) >= moves
        if by_opponent != by_mover:  # where both sides only gave checks, neither is the one to blame
            return WINS if by_opponent else LOSES
    if rules.repetition_result == REPEATER_LOSES:
        return WINS
    if rules.repetition_result == BLACK_LOSES:
        return LOSES if position.side == 0 else WINS
    return DRAWS


@kernel
def repetition(rules: Rules, position: Position, root: Any) -> Any:
    """What repetition makes of the present position: GOES_ON, WINS, LOSES or DRAWS, for the side to move.

    One earlier occurrence after the entry `root` is enough, since a cycle that can be gone through once can be gone
    through again; at or before it the rule's own number counts, since the players may leave the cycle.
    """
    ply = np.int64(position.ply)
    key = position.key[position.ply]
    if position.seen[key & SEEN_MASK] < 2 or rules.repetition_result == NO_REPETITION:
        return GOES_ON
    times = np.int64(1)
    entry = ply - np.int64(2)
    while entry >= 0:
        at = np.uint64(entry)
        if position.move[at + ONE] == 0 or position.move[at + np.uint64(2)] == 0:
            break  # a null move: what lies before can't come again
        if position.key[at] == key:
            times += np.int64(1)
            if entry > root or times >= rules.repetition_fold:
                return repeated(rules, position, ply - entry)
        entry -= np.int64(2)
    return GOES_ON
