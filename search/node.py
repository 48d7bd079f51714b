"""What every node begins with: counting, the stop flag, and games that are over."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.checks import has_legal_move
from rules.declaration import may_declare
from rules.ending import over
from rules.kernel import kernel
from rules.repetition import DRAWS, GOES_ON, WINS, repetition
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
def ended(rules: Any, position: Any, stack: Any, ply: Any) -> Any:
    """The score, for the side to move, of a game that some rule ends while there are moves, or NOT_ENDED."""
    if over(rules, position):
        return -MATE + ply
    if may_declare(rules, position):
        return RULE_WIN - ply
    result = repetition(rules, position, np.int64(stack.root_ply))
    if result != GOES_ON and result != DRAWS:
        return RULE_WIN - ply if result == WINS else ply - RULE_WIN
    if result == GOES_ON:
        if stack.max_plies == 0 or position.game_ply + np.int64(position.ply) < stack.max_plies:
            return np.int64(NOT_ENDED)
        if not has_legal_move(rules, position):
            return -MATE + ply
    return stack.draw_value[position.side]
