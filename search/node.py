"""What every node begins with: counting, the stop flag, and games that are over."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.game import has_legal_move, immediate_win, may_declare, over, repetition
from rules.kernel import kernel
from rules.repetition import DRAWS, GOES_ON, WINS
from search.stack import MATE, RULE_WIN

NOT_ENDED = 1 << 20


@kernel
def enter(stack: Any, ply: Any) -> Any:
    """Count the node; True if the search is to stop."""
    stack.nodes += 1
    if ply > stack.seldepth:
        stack.seldepth = ply
    if stack.node_limit != 0 and stack.nodes >= stack.node_limit:
        stack.stop = 1
    return stack.stop != 0


@kernel
def won_at_once(rules: Any, position: Any, stack: Any, ply: Any) -> Any:
    """The score where a move ends the game (by capturing the master, say), with that move as the variation."""
    move = immediate_win(rules, position)
    if move == 0:
        return np.int64(NOT_ENDED)
    stack.pv[ply, np.int64(0)] = np.uint16(move)
    stack.pv_length[ply] = np.int64(1)
    return MATE - ply - 1


@kernel
def ended(rules: Any, position: Any, stack: Any, ply: Any) -> Any:
    """The score, for the side to move, of a game that some rule ends, or the next move wins, or NOT_ENDED."""
    if over(rules, position):
        return -MATE + ply
    if may_declare(rules, position):
        return RULE_WIN - ply
    result = repetition(rules, position, np.int64(stack.root_ply))
    if result != GOES_ON and result != DRAWS:
        return RULE_WIN - ply if result == WINS else ply - RULE_WIN
    if result == GOES_ON:
        if stack.max_plies == 0 or position.game_ply + np.int64(position.ply) < stack.max_plies:
            return won_at_once(rules, position, stack, ply)
        if not has_legal_move(rules, position):
            return -MATE + ply
    return stack.draw_value[position.side]
