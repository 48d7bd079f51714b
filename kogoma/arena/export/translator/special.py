"""The names that the translator treats specially. Everything else is found by following the kernels.

Update this file if one of these names changes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native import bitboard, clock
from kogoma.rules.rules_struct import ZOBRIST_SEED
from kogoma.search import abdada, transposition

# Operations that have their own translation, by object.
OPERATIONS: dict[int, str] = {
    id(getattr(module, name)): name
    for module, names in (
        (bitboard, "lsb clear_lsb popcount any_of more_than_one empty_like up_to_lowest down_to_highest"),
        (bitboard, "load_bb store_bb"),
        (transposition, "peek poke"),
        (clock, "now"),  # time.perf_counter_ns
    )
    for name in names.split()
}
# Without effect in exported programs, which have one thread: communication between threads, and prefetching.
OPERATIONS[id(abdada.is_taken)] = "never"
OPERATIONS |= dict.fromkeys(map(id, (abdada.take, abdada.give_back, transposition.fetch)), "nothing")
CASTS: dict[int, Any] = {
    id(kind): np.dtype(kind)
    for kind in (np.uint64, np.int64, np.uint32, np.int32, np.uint16, np.int16, np.uint8, np.int8)
}

KEY_SEED = ZOBRIST_SEED  # seed of the random numbers that are the Zobrist keys
CHANGED = {"CLOCK_EVERY": 8}  # constants with other values in exported programs; there, 8 nodes take a millisecond


def operation(thing: Any) -> str | None:
    """Return the name of an operation that has its own translation, or None."""
    return OPERATIONS.get(id(thing))


def cast(thing: Any) -> Any:
    """Return the dtype if `thing` is a numpy integer type such as `np.int64`, otherwise None."""
    return CASTS.get(id(thing))


def is_kernel(thing: Any) -> bool:
    """Return whether an object is marked `@kernel` or `@entry_point`."""
    return hasattr(thing, "py_func") or is_entry(thing)


def is_entry(thing: Any) -> bool:
    """Return whether an object is marked `@entry_point`."""
    return hasattr(thing, "kernel") and hasattr(thing, "arguments")


def is_inlined(thing: Any) -> bool:
    """Return whether an object is marked `@inlined`."""
    return bool(getattr(thing, "targetoptions", {}).get("forceinline"))


def is_named_tuple(thing: Any) -> bool:
    """Return whether an object is a named tuple class."""
    return isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields")


def choice(thing: Any, with_cards: bool) -> Any:
    """If `thing` was made by `rules.dispatch.by_game`, return its kernel for variants with cards or without, as
    `with_cards` says. Return other objects unchanged."""
    pair = getattr(thing, "by_game", None)
    return thing if pair is None else pair[with_cards]
