"""Counting the leaves of the game tree: the test and the yardstick of a move generator."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import entry
from kogoma.rules.dispatch import count_legal, generate, make, unmake
from kogoma.rules.layout import moves_dtype, position_dtype, rules_dtype


@entry(rules=rules_dtype, position=position_dtype, moves=moves_dtype, depth=int)
def perft(rules: Any, position: Any, moves: Any, depth: Any) -> Any:
    """How many games of `depth` plies there are from here; the last ply is counted in bulk."""
    if depth <= 1:
        return np.int64(count_legal(rules, position)) if depth == 1 else np.int64(1)
    row = moves.list[depth]
    n = generate(rules, position, row)
    total = np.int64(0)
    i = ZERO
    while i < n:
        make(rules, position, np.uint64(row[i]))
        total += perft(rules, position, moves, depth - 1)
        unmake(rules, position)
        i += np.uint64(1)
    return total
