"""A brute-force search for mates, which tries all legal moves and uses no table. Tests compare the engine's mates with
it. It is compiled with the search without pruning (`support.dice_search.plain_library`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point
from kogoma.rules.layout import MAX_MOVES, position_dtype, rules_dtype
from kogoma.rules.make_move import make, unmake
from kogoma.rules.movegen import generate, has_legal_move
from kogoma.rules.types import Ply, Position, Rules

LONGEST = 7  # maximum plies of the search


def lists_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of a struct with a list of moves for each ply."""
    return np.dtype([("list", np.uint16, (LONGEST + 1, MAX_MOVES))])


@entry_point(rules=rules_dtype, position=position_dtype, lists=lists_dtype, plies=int)
def forced_mate(rules: Rules, position: Position, lists: Any, plies: Ply) -> Any:
    """If `plies` is odd, return whether the side to move can force mate within that many plies. If `plies` is even,
    return whether every defence of the side to move ends in mate within that many plies. The result is 1 or 0."""
    if plies == 0:
        return np.int64(not has_legal_move(rules, position))
    attacks = np.int64(plies % 2)
    count = generate(rules, position, lists.list[plies])
    i = ZERO
    while i < count:
        make(rules, position, np.uint64(lists.list[plies, i]))
        mate = forced_mate(rules, position, lists, plies - 1)
        unmake(rules, position)
        if mate == attacks:
            return attacks
        i += ONE
    return np.int64(1 - attacks)
