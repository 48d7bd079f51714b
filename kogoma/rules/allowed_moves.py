"""The legal moves of a position, or those of them that a die roll allows."""

from __future__ import annotations

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import kernel
from kogoma.native.types import Int
from kogoma.rules.dispatch import generate_drops, generate_quiet, generate_tactical, is_in_check, over
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.types import MoveList, Position, Rules
from kogoma.rules.variants import FREE, Die

UNLESS_IN_CHECK = int(Die.UNLESS_IN_CHECK)


@kernel
def allowed_moves(rules: Rules, position: Position, moves: MoveList, roll: Int) -> Int:
    """Write the legal moves that the die roll `roll` allows into `moves` (0: there is no roll), captures and promotions
    first, and return their number. A roll from 1 to 5 names a file; it allows all moves if no legal move ends there."""
    if over(rules, position):
        return np.int64(0)
    n = generate_tactical(rules, position, moves, ZERO)
    n = generate_quiet(rules, position, moves, n)
    count = np.int64(generate_drops(rules, position, moves, n))
    if roll == 0 or roll == FREE or (rules.die == UNLESS_IN_CHECK and is_in_check(position)):
        return count
    column = rules.files - np.uint64(roll)
    kept = np.int64(0)
    for i in range(count):
        if (np.uint64(moves[i]) & SQUARE_MASK) % rules.files == column:
            moves[kept] = moves[i]
            kept += 1
    return kept if kept > 0 else count
