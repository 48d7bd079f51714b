"""The move encoding, 16 bits: destination 0-6, origin 7-13 (of a drop: the piece type), promotion 14, drop 15.

In Onitama bit 14 is set where the higher of the two cards is used, and bit 15 where a card is given up without a move.

0 is "no move". These functions serve Python and, compiled, the kernels, where a move is a uint64.
"""

from __future__ import annotations

import numpy as np

SQUARE_MASK = np.uint64(127)
ORIGIN_SHIFT = np.uint64(7)
PROMOTION = np.uint64(1 << 14)
DROP = np.uint64(1 << 15)

CARD = PROMOTION
PASS = DROP
