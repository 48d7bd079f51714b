"""From where a piece could come to give check: what spares most pieces a look when checks are generated."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.native.layout import TYPES
from rules.native.record import Fields


def fill_origins(rules: Fields, origins: Any) -> None:
    """Fill `origins`, bitboards by side, square of the enemy king, and type: all squares from where a piece of the type
    gets to one on which it, or what it is promoted to, attacks that king, if nothing else is on the board."""
    squares = origins.shape[1]
    steps, reach = (_as_booleans(rules[name])[..., :squares] for name in ("steps", "reach"))
    for side in (0, 1):
        attacks = [steps[side, :, kind] | reach[side, rules["slide_set"][kind]] for kind in range(TYPES)]  # [from, to]
        for kind in range(1, TYPES):
            if kind != rules["king"]:
                giving = attacks[kind] | attacks[int(rules["promoted"][kind])]
                coming = attacks[kind].astype(np.float32) @ giving.astype(np.float32) > 0  # [from, king]
                origins[side, :, kind] = _as_bitboards(coming.T, origins)


def _as_booleans(boards: Any) -> Any:
    """Bitboards of either width; the last axis becomes that of the squares."""
    one_word = boards.ndim == 3
    octets = np.ascontiguousarray(boards[..., None] if one_word else boards).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").astype(bool)


def _as_bitboards(squares: Any, like: Any) -> Any:
    """Rows of booleans as bitboards of the width of `like`."""
    words = like.shape[3] if like.ndim == 4 else 1
    padded = np.zeros((len(squares), 64 * words), bool)
    padded[:, : squares.shape[1]] = squares
    boards = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return boards if like.ndim == 4 else boards[:, 0]
