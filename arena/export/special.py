"""The few names that the translator knows: everything else is found by following the kernels.

To be looked at when one of these is renamed.
"""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from rules import bitboard
from rules.tables import ZOBRIST_SEED
from search import transposition

# Operations of one bitboard, by what they are called here.
BITBOARD: dict[int, str] = {
    id(getattr(bitboard, name)): name
    for name in (
        *("scan", "rest", "count", "any_of", "several", "none_of", "up_to_lowest", "down_to_highest"),
        *("load", "store"),
    )
}
MEMORY: dict[int, str] = {id(getattr(transposition, name)): name for name in ("peek", "poke", "fetch")}
CASTS: dict[int, Any] = {
    id(kind): np.dtype(kind)
    for kind in (np.uint64, np.int64, np.uint32, np.int32, np.uint16, np.int16, np.uint8, np.int8)
}

KEY_SEED = ZOBRIST_SEED  # of the stream from which tables of keys are drawn
NODES, STOP = "nodes", "stop"  # fields: counts the nodes; ends the search where it is not 0


def operation(thing: Any) -> str | None:
    """The name of an operation that has a translation of its own, or None."""
    return BITBOARD.get(id(thing)) or MEMORY.get(id(thing))


def cast(thing: Any) -> Any:
    """The dtype to which numba's functions of that name convert, or None."""
    return CASTS.get(id(thing))


def is_kernel(thing: Any) -> bool:
    """Whether it is marked `@kernel` or `@entry`."""
    return hasattr(thing, "py_func")


def choice(thing: Any, with_cards: bool) -> Any:
    """The kernel that a name made by `by_game` stands for, or None if it is no such name."""
    pair = getattr(thing, "kernels", None)
    return None if pair is None else pair[int(with_cards)]


def recursion_name(thing: Any) -> str | None:
    """The entry that `recursion(name)` calls, or None."""
    definition = getattr(thing, "_defn", None)
    if definition is None:
        return None
    name = inspect.getclosurevars(definition).nonlocals.get("name")
    return name if isinstance(name, str) else None
