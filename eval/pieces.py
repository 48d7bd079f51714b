"""One walk over a side's pieces: what they attack, how freely they move, and how they press on the enemy king."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import attacks
from rules.native.bitboard import ONE, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb, popcount
from rules.native.kernel import kernel
from rules.native.layout import TYPE_MASK


@kernel
def king_zone(rules: Any, position: Any, side: Any) -> Any:
    """The king's square and its neighbours."""
    king = np.uint64(position.king[side, ZERO])
    return load_bb(rules.steps, side, king, rules.king) | load_bb(rules.square, king)


@kernel
def walk_pieces(rules: Any, weights: Any, position: Any, side: Any) -> Any:
    """(squares attacked by any piece, by any but the king, mobility, promotion threats, king attack) of a side."""
    own = load_bb(position.by_side, side)
    occupied = own | load_bb(position.by_side, side ^ ONE)
    zone = king_zone(rules, position, side ^ ONE)
    promotion_zone = load_bb(rules.zone, side)
    attacked = empty_like(own)
    guarded = empty_like(own)
    mobility = np.int64(0)
    threats = np.int64(0)
    pressure = np.int64(0)
    pieces = own
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        reach = attacks(rules, side, kind, square, occupied)
        attacked = attacked | reach
        if kind != rules.king:
            guarded = guarded | reach
            mobility += weights.mobility[kind] * np.int64(popcount(reach & ~own))
            pressure += weights.king_attack[kind] * np.int64(popcount(reach & zone))
            if rules.promoted[kind] != 0 and any_of(reach & ~own & promotion_zone):
                threats += weights.promotion_threat[kind]
    return attacked, guarded, mobility, threats, pressure
