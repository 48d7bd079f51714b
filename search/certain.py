"""Proofs that a dice game is decided: won or lost whatever the dice say."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE
from rules.kernel import entry, kernel
from rules.make_move import make, unmake
from rules.movegen import ZERO, generate
from rules.recursion import recursion
from search.chance import CHANCE_RECORDS, FULL
from search.expectimax import sort_by_file
from search.leaf import NOT_OVER, plies_left, repeated_value, stuck_value

below = recursion("decided")
"""`decided`, for its own calls."""


@kernel
def some_move(rules: Any, weights: Any, position: Any, stack: Any, plies: Any, ply: Any, file: Any) -> Any:
    """True if a move to the file wins within `plies`, its own included."""
    i = stack.first[ply, file]
    while i < stack.end[ply, file]:
        make(rules, position, np.uint64(stack.move[ply, i]))
        won = below(rules, weights, position, stack, plies - 1, ply + 1, np.int64(0))
        unmake(rules, position)
        if won != 0:
            return True
        i += ONE
    return False


@entry(**CHANCE_RECORDS, plies=int, ply=int, winning=int)
def decided(rules: Any, weights: Any, position: Any, stack: Any, plies: Any, ply: Any, winning: Any) -> Any:
    """1 if the side to move, which has not thrown yet, wins within so many plies whatever the dice say (`winning`), or
    loses whatever they say and it plays; 0 if not, or if stack.proof_nodes is used up or stack.stop is set."""
    stack.proof_nodes -= 1
    if stack.proof_nodes < 0 or stack.stop != 0:
        return np.int64(0)
    wanted = np.int64(FULL) if winning != 0 else np.int64(-FULL)
    value = repeated_value(rules, position, stack)
    if value != NOT_OVER:
        return np.int64(value == wanted)
    count = generate(rules, position, stack.list[ply])
    if count == 0:
        return np.int64(stuck_value(rules, position) == wanted)
    if plies <= 0 or plies_left(position, stack) <= 0:
        return np.int64(0)
    i = ZERO
    if winning == 0:
        while i < count:
            make(rules, position, np.uint64(stack.list[ply, i]))
            won = below(rules, weights, position, stack, plies - 1, ply + 1, np.int64(1))
            unmake(rules, position)
            if won == 0:
                return np.int64(0)
            i += ONE
        return np.int64(1)
    files = sort_by_file(rules, position, stack, ply, count)
    while i < files:
        if not some_move(rules, weights, position, stack, plies, ply, stack.turn[ply, i]):
            return np.int64(0)
        i += ONE
    return np.int64(1)


@entry(**CHANCE_RECORDS, plies=int, winning=int)
def certain(rules: Any, weights: Any, position: Any, stack: Any, plies: Any, winning: Any) -> Any:
    """1 if stack.root_best wins within so many plies whatever the dice say (`winning`), or if every move in
    stack.root_move loses; otherwise 0, as `decided`."""
    i = ZERO
    count = stack.root_count
    if winning != 0:
        count = ONE
    while i < count:
        make(rules, position, stack.root_best if winning != 0 else np.uint64(stack.root_move[i]))
        sure = below(rules, weights, position, stack, plies - 1, np.int64(1), 1 - winning)
        unmake(rules, position)
        if sure == 0:
            return np.int64(0)
        i += ONE
    return np.int64(1)
