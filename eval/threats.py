"""Pieces that are attacked and not defended."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.native.bitboard import any_of, clear_lsb, load_bb, lsb
from rules.native.kernel import kernel
from rules.native.layout import TYPE_MASK


@kernel
def hanging(rules: Any, weights: Any, position: Any, side: Any, attacked: Any, defended: Any) -> Any:
    """Centipawns that the side stands to lose; more where it is not its turn to save them."""
    loose = load_bb(position.by_side, side) & attacked & ~defended
    loss = np.int64(0)
    while any_of(loose):
        kind = np.uint64(position.board[lsb(loose)]) & TYPE_MASK
        loose = clear_lsb(loose)
        if side == position.side:
            loss += weights.hanging_to_move[kind]
        else:
            loss += weights.hanging[kind]
    return loss
