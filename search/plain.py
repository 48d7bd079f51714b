"""The plain expectimax: every face searched by itself, with no pruning and no table. What `search.expectimax` is held
against, in value and in speed."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE
from rules.kernel import entry, kernel
from rules.make_move import make, running_score, unmake
from rules.movegen import ZERO, generate
from rules.moves import SQUARE_MASK
from rules.recursion import recursion
from rules.throw import free_choice
from search.chance import CHANCE_RECORDS, FACES, FULL
from search.expectation import expected
from search.leaf import NOT_OVER, leaf_value, plies_left, repeated_value, stuck_value

below = recursion("plain_value")
"""`plain_value`, for its own calls."""


@kernel
def allows(rules: Any, position: Any, face: Any, move: Any) -> Any:
    """True if a throw of `face` names the file of the move's destination."""
    if face == FACES or free_choice(rules, position):
        return True
    return (move & SQUARE_MASK) % rules.files == rules.files - np.uint64(face)


@kernel
def best_value(rules: Any, weights: Any, position: Any, stack: Any, face: Any, count: Any, depth: Any, ply: Any) -> Any:
    """The value of the best move that a throw allows; -FULL - 1 if there is none."""
    best = np.int64(-FULL - 1)
    i = ZERO
    while i < count:
        move = np.uint64(stack.list[ply, i])
        if allows(rules, position, face, move):
            make(rules, position, move)
            best = max(best, -below(rules, weights, position, stack, depth - 1, ply + 1))
            unmake(rules, position)
        i += ONE
    return best


@entry(**CHANCE_RECORDS, depth=int, ply=int)
def plain_value(rules: Any, weights: Any, position: Any, stack: Any, depth: Any, ply: Any) -> Any:
    """The value of a position before the throw, for the side to move."""
    if ply == 0:
        position.score[position.ply] = np.int32(running_score(rules, position))
    stack.nodes += 1
    value = repeated_value(rules, position, stack)
    if value != NOT_OVER:
        return value
    if depth <= 0:
        return leaf_value(rules, weights, position, stack)
    count = generate(rules, position, stack.list[ply])
    if count == 0:
        return stuck_value(rules, position)
    if plies_left(position, stack) <= 0:
        return stack.draw_value[position.side]
    total = np.int64(0)
    for number in range(1, FACES + 1):
        face = np.int64(number)
        best = best_value(rules, weights, position, stack, face, count, depth, ply)
        if best < -FULL:
            best = best_value(rules, weights, position, stack, np.int64(FACES), count, depth, ply)
        total += best
    return expected(total)
