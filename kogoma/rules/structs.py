"""Create and access, from Python, the structs and move lists that kernels work on.

A struct is a numpy array of one element, the form that entry points take. `fields(struct)` gives access by field name:
`fields(struct)["hand"][side][kind]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.rules.layout import MAX_MOVES, PLIES, SEEN

Struct = Any  # an array of one structured element
Fields = Any  # its fields by name


def new_struct(dtype: np.dtype[np.void]) -> Struct:
    """Return a struct of the given dtype, filled with zeros."""
    return np.zeros(1, dtype)


def fields(struct: Struct) -> Fields:
    """Return a view of the struct's fields by name."""
    return struct[0]


def clear(struct: Struct) -> None:
    """Set the struct to zeros. This also makes the operating system provide the struct's memory pages, so that no
    search waits for them."""
    struct.view(np.uint8).fill(0)


def move_list() -> Any:
    """Return an uninitialised array with room for the moves of one position."""
    return np.empty(MAX_MOVES, np.uint16)


def bits(bitboard: Any) -> int:
    """Return a bitboard of either width as a Python integer."""
    return sum(int(word) << 64 * index for index, word in enumerate(np.atleast_1d(bitboard)))


def drop_oldest(struct: Struct, entries: int) -> None:
    """Remove the oldest `entries` plies from a position's struct, to make room for more."""
    position = struct[0]
    names = position.dtype.names or ()
    for name in names:
        if position[name].shape[:1] == (PLIES,):
            position[name][:-entries] = position[name][entries:].copy()
    position["ply"] -= entries
    position["game_ply"] += entries
    if "seen" in names:
        position["seen"][:] = 0
        np.add.at(position["seen"], position["key"][: int(position["ply"]) + 1] & np.uint64(SEEN - 1), 1)
