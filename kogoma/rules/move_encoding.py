"""Moves as 16 bits: destination in bits 0-6, origin in 7-13 (for a drop, the piece type), promotion in 14, drop in 15.

0 is "no move". In Onitama bit 14 means that the higher of the two cards is used, and bit 15 that a card is given up
without moving a piece. Kernels hold moves as uint64.
"""

from __future__ import annotations

import numpy as np

SQUARE_MASK = np.uint64(127)
ORIGIN_SHIFT = np.uint64(7)
PROMOTION = np.uint64(1 << 14)
DROP = np.uint64(1 << 15)

CARD = PROMOTION
PASS = DROP
