"""Pieces that are attacked and not defended."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import TYPE_MASK
from rules.bitboard import any_of, load, rest, scan
from rules.kernel import kernel


@kernel
def hanging(rules: Any, weights: Any, position: Any, side: Any, attacked: Any, defended: Any) -> Any:
    """Centipawns that the side stands to lose; more where it is not its turn to save them."""
    loose = load(position.by_side, side) & attacked & ~defended
    loss = np.int64(0)
    while any_of(loose):
        kind = np.uint64(position.board[scan(loose)]) & TYPE_MASK
        loose = rest(loose)
        if side == position.side:
            loss += weights.hanging_to_move[kind]
        else:
            loss += weights.hanging[kind]
    return loss
