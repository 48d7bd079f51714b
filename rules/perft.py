"""Counting the leaves of the game tree: the test and the yardstick of a move generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.kernel import entry, kernel
from rules.layout import moves_dtype, position_dtype, rules_dtype
from rules.make_move import make, unmake
from rules.movegen import ZERO, count_legal, generate


@kernel
def leaves(rules: Any, position: Any, moves: Any, depth: Any) -> Any:
    """Leaves `depth` >= 1 plies below; the last ply is counted in bulk."""
    if depth <= 1:
        return count_legal(rules, position)
    row = moves.list[depth]
    n = generate(rules, position, row)
    total = ZERO
    i = ZERO
    while i < n:
        make(rules, position, np.uint64(row[i]))
        total += leaves(rules, position, moves, depth - np.int64(1))
        unmake(rules, position)
        i += np.uint64(1)
    return total


@entry(rules=rules_dtype, position=position_dtype, moves=moves_dtype, depth=int)
def perft(rules: Any, position: Any, moves: Any, depth: Any) -> Any:
    """How many games of `depth` plies there are from here."""
    if depth <= 0:
        return np.int64(1)
    return np.int64(leaves(rules, position, moves, depth))
