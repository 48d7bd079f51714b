"""The few names that the translator knows: everything else is found by following the kernels.

To be looked at when one of these is renamed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native import bitboard, clock, memory
from kogoma.rules.rules_struct import ZOBRIST_SEED
from kogoma.search import abdada, transposition

# What is translated by what it does, and not by its source, by what it is called here.
OPERATIONS: dict[int, str] = {
    id(getattr(module, name)): name
    for module, names in (
        (bitboard, "lsb clear_lsb popcount any_of more_than_one empty_like up_to_lowest down_to_highest"),
        (bitboard, "load_bb store_bb"),
        (transposition, "peek poke"),
        (memory, "peek_int16"),  # of `eval.relations`: in a list of their own
        (clock, "now"),  # time.perf_counter_ns
    )
    for name in names.split()
}
# What threads tell each other, where there is but one, and what a processor is told.
OPERATIONS[id(abdada.is_taken)] = "never"
OPERATIONS |= dict.fromkeys(map(id, (abdada.take, abdada.give_back, transposition.fetch)), "nothing")
CASTS: dict[int, Any] = {
    id(kind): np.dtype(kind)
    for kind in (np.uint64, np.int64, np.uint32, np.int32, np.uint16, np.int16, np.uint8, np.int8)
}

KEY_SEED = ZOBRIST_SEED  # of the stream from which tables of keys are drawn
CHANGED = {"CLOCK_EVERY": 8}  # constants that are others here: so many nodes are a millisecond


def operation(thing: Any) -> str | None:
    """The name of an operation that has a translation of its own, or None."""
    return OPERATIONS.get(id(thing))


def cast(thing: Any) -> Any:
    """The dtype to which numba's functions of that name convert, or None."""
    return CASTS.get(id(thing))


def is_kernel(thing: Any) -> bool:
    """Whether it is marked `@kernel` or `@entry`."""
    return hasattr(thing, "py_func") or is_entry(thing)


def is_entry(thing: Any) -> bool:
    """Whether it is marked `@entry`."""
    return hasattr(thing, "kernel") and hasattr(thing, "arguments")


def is_inlined(thing: Any) -> bool:
    """Whether it is marked `@inlined`."""
    return bool(getattr(thing, "targetoptions", {}).get("forceinline"))


def is_named_tuple(thing: Any) -> bool:
    """Whether it is a class of named tuples."""
    return isinstance(thing, type) and issubclass(thing, tuple) and hasattr(thing, "_fields")


def choice(thing: Any, with_cards: bool) -> Any:
    """The kernel that a name made by `by_field` stands for; anything else is itself."""
    pair = getattr(thing, "kernels", None)
    return thing if pair is None else pair.get("cards" if with_cards else None, pair[None])
