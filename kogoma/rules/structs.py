"""Records and move lists as Python makes them: the one place that needs numpy for it.

A record is an array of one, which is what entries take; `fields(record)` reads and writes it by names, whose arrays
are indexed one dimension at a time: `fields(record)["hand"][side][kind]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.rules.layout import MAX_MOVES, PLIES, SEEN

Struct = Any  # an array of one numpy record
Fields = Any  # its fields by name


def new_struct(dtype: np.dtype[np.void]) -> Struct:
    """A record of zeros."""
    return np.zeros(1, dtype)


def fields(record: Struct) -> Fields:
    """The record's fields by name: a view of it, not a copy."""
    return record[0]


def clear(record: Struct) -> None:
    """All zeros again. This touches all pages, so that no search has to wait for them."""
    record.view(np.uint8).fill(0)


def move_list() -> Any:
    """Room for the moves of one position."""
    return np.empty(MAX_MOVES, np.uint16)


def bits(bitboard: Any) -> int:
    """A bitboard of either width as one integer."""
    return sum(int(word) << 64 * index for index, word in enumerate(np.atleast_1d(bitboard)))


def drop_oldest(record: Struct, entries: int) -> None:
    """Make room for more plies in a position's record by forgetting its oldest entries."""
    position = record[0]
    names = position.dtype.names or ()
    for name in names:
        if position[name].shape[:1] == (PLIES,):
            position[name][:-entries] = position[name][entries:].copy()
    position["ply"] -= entries
    position["game_ply"] += entries
    if "seen" in names:
        position["seen"][:] = 0
        np.add.at(position["seen"], position["key"][: int(position["ply"]) + 1] & np.uint64(SEEN - 1), 1)
