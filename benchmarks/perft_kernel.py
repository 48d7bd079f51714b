"""A kernel that counts the leaves of the game tree by kind. It is separate from the engine's perft, which stays
simple."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import entry_point
from kogoma.rules.dispatch import count_legal, generate, has_legal_move, is_in_check, make, over, unmake
from kogoma.rules.layout import moves_dtype, position_dtype, rules_dtype
from kogoma.rules.move_encoding import DROP, PROMOTION, SQUARE_MASK
from kogoma.rules.types import Depth, MoveLists, Position, Rules

CAPTURES, DROPS, PROMOTIONS = np.uint64(1), np.uint64(2), np.uint64(3)
CHECKS, MATES, BESIDES = np.uint64(4), np.uint64(5), np.uint64(6)
KINDS = 7


def counts_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of an array with one count for each kind of move. The first count is for all moves."""
    return np.dtype([("of", np.int64, (KINDS,))])


@entry_point(
    rules=rules_dtype, loose=rules_dtype, position=position_dtype, moves=moves_dtype, counts=counts_dtype, depth=int
)
def perft_kinds(rules: Rules, loose: Rules, position: Position, moves: MoveLists, counts: Any, depth: Depth) -> Any:
    """Count the move sequences of `depth` plies (at least 1) by the kind of their last move, and add the numbers to
    `counts`. The kinds are: all moves, captures, drops, promotions, checks, moves that mate or win in another way, and
    moves that are legal only under the rules `loose`. In Onitama, passes count as drops, and moves with the higher card
    count as promotions, because the bits of Onitama's moves have other meanings. Always return 0."""
    row = moves.list[depth]
    n = generate(rules, position, row)
    i = ZERO
    if depth > 1:
        while i < n:
            make(rules, position, np.uint64(row[i]))
            perft_kinds(rules, loose, position, moves, counts, depth - 1)
            unmake(rules, position)
            i += np.uint64(1)
        return np.int64(0)
    counts.of[ZERO] += np.int64(n)
    counts.of[BESIDES] += np.int64(count_legal(loose, position)) - np.int64(n)
    while i < n:
        move = np.uint64(row[i])
        if move & DROP:
            counts.of[DROPS] += 1
        elif position.board[move & SQUARE_MASK] != 0:
            counts.of[CAPTURES] += 1
        if move & PROMOTION:
            counts.of[PROMOTIONS] += 1
        make(rules, position, move)
        if over(rules, position):
            counts.of[MATES] += 1
        elif is_in_check(position):
            counts.of[CHECKS] += 1
            if not has_legal_move(rules, position):
                counts.of[MATES] += 1
        unmake(rules, position)
        i += np.uint64(1)
    return np.int64(0)
