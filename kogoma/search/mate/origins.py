"""From where a piece could come to give check: what spares most pieces a look when checks are generated."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.rules.layout import TYPES
from kogoma.rules.record import Fields


def fill_origins(rules: Fields, origins: Any) -> None:
    """Fill `origins`, bitboards by side, square of the enemy king, and type: all squares from where a piece of the type
    gets to one on which it, or what it is promoted to, attacks that king, if nothing else is on the board.

    No matrix product: numpy's runs on threads of its own, which wait for each other by spinning. Where other processes
    keep the processors busy, that took 200 ms.
    """
    squares = origins.shape[1]
    steps, reach = (_as_booleans(rules[name])[..., :squares] for name in ("steps", "reach"))
    for side in (0, 1):
        attacks = [steps[side, :, kind] | reach[side, rules["slide_set"][kind]] for kind in range(TYPES)]  # [from, to]
        for kind in range(1, TYPES):
            if kind != rules["king"]:
                giving = attacks[kind] | attacks[int(rules["promoted"][kind])]  # [to, king]
                attackers = _as_bitboards(attacks[kind].T, origins).reshape(squares, -1)  # [to, word] of from
                coming = np.where(giving.T[:, :, None], attackers, np.uint64(0))  # [king, to, word]
                origins[side, :, kind] = np.bitwise_or.reduce(coming, axis=1).reshape(origins[side, :, kind].shape)


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
