"""The win by declaration of 9x9 shogi, once the king has entered the promotion zone (the 27-point rule).

https://en.wikipedia.org/wiki/Shogi#Impasse describes it: the king and at least ten other
pieces stand in the zone, the king is not in check, and the pieces there and in hand are worth 28 points for Black or
27 for White, where rooks and bishops count 5 and all others but the king 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, any_of, clear_lsb, load_bb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.rules.layout import TYPE_MASK

PIECES_IN_ZONE = 11  # the king and ten others


@kernel
def may_declare(rules: Any, position: Any) -> Any:
    """True if the side to move may declare that it has won."""
    us = position.side
    needed = rules.declaration[us]
    if needed == 0:
        return False
    own = load_bb(position.by_side, us) & load_bb(rules.zone, us)
    if not any_of(own & load_bb(position.by_type, rules.king)) or any_of(load_bb(position.checkers, position.ply)):
        return False
    if popcount(own) < PIECES_IN_ZONE:
        return False
    points = np.int64(0)
    while any_of(own):
        points += rules.points[np.uint64(position.board[lsb(own)]) & TYPE_MASK]
        own = clear_lsb(own)
    kind = ONE
    while kind <= rules.hand_types:
        points += rules.points[kind] * np.int64(position.hand[us, kind])
        kind += ONE
    return points >= needed
