"""In an exported file of plain Python: replacements of the engine's structs, native libraries and memory."""

from __future__ import annotations

from typing import Any

from kogoma.arena.export.host.data import ENTRIES, memory
from kogoma.arena.export.host.library import RULES, SEARCH_RULES, WEIGHTS, Constant  # noqa: F401 (the bundle's)
from kogoma.arena.export.host.structs import bits, drop_oldest, fields, new_struct  # noqa: F401 (the bundle's)
from kogoma.rules.layout import MAX_MOVES

BUCKET_BYTES = 64
MAX_MEGABYTES = 16  # more than a search in Python fills


class Library:
    """The entry points of all native libraries."""

    def struct_addresses(self, *structs: Any) -> tuple[Any, ...]:
        """Return `structs` unchanged, because calls accept structs instead of addresses."""
        return structs

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call the entry point `name` and return its result. Constant structs are not passed, because they are part of
        the entry point's code."""
        prefix = max(argument.prefix for argument in arguments if isinstance(argument, Constant))
        entry = ENTRIES.get(prefix + name) or ENTRIES[name]
        return entry(*(argument for argument in arguments if not isinstance(argument, Constant)))


def new_library(name: str, layout: str, *modules: str) -> Library:
    """Return the only library of an exported file, with all entry points; the arguments are ignored."""
    return Library()


def rules_library(layout: str) -> Library:
    """Return the only library of an exported file, which contains the entry points of the rules too."""
    return Library()


def clear(struct: Any) -> None:
    """Reset a struct to zeros."""
    struct.__init__()


def move_list() -> list[int]:
    """Return a list of zeros with room for the moves of one position."""
    return [0] * MAX_MOVES


class Table:
    """The transposition table. Its entries are in the global list `memory`, so there can be only one table."""

    address = 0

    def __init__(self, megabytes: int) -> None:
        """Allocate the buckets of a table of `megabytes` MB, but at most of MAX_MEGABYTES. The number of buckets is the
        same as in the engine."""
        self.buckets = 1 << (min(max(megabytes, 1), MAX_MEGABYTES) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self.clear()

    def clear(self) -> None:
        """Delete all entries."""
        memory[:] = [0]
        memory.__imul__(self.buckets * BUCKET_BYTES // 8)  # in place, without a second list of that length
        self.generation = 0

    def wait(self) -> None:
        """Return at once, because `clear` returns only when the table is empty."""

    def next_generation(self) -> None:
        """Increment the table's generation, because a new search begins. Entries of older generations are replaced
        before others."""
        self.generation = (self.generation + 1) & 63
