"""Create and access, from Python, the structs and move lists that kernels work on.

A struct is a numpy array of one element, the form that entry points take. `fields(struct)` gives access by field name:
`fields(struct)["hand"][side][kind]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.rules.layout import MAX_MOVES

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
