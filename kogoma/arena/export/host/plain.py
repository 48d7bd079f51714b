"""In an exported file of plain Python: what stands for the engine's records, libraries and table."""

from __future__ import annotations

from typing import Any

from kogoma.arena.export.host.data import ENTRIES, memory
from kogoma.arena.export.host.library import RULES, SEARCH_RULES, WEIGHTS, Constant  # noqa: F401 (the bundle's)
from kogoma.arena.export.host.structs import bits, drop_oldest, fields, new_struct  # noqa: F401 (the bundle's)
from kogoma.rules.layout import MAX_MOVES

BUCKET_BYTES = 64
LARGEST = 16  # MB: more than a search in Python fills


class Library:
    """The entries, whatever library of the engine they belong to."""

    def located(self, *records: Any) -> tuple[Any, ...]:
        """The records themselves."""
        return records

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call an entry."""
        prefix = max(argument.prefix for argument in arguments if isinstance(argument, Constant))
        entry = ENTRIES.get(prefix + name) or ENTRIES[name]
        return entry(*(argument for argument in arguments if not isinstance(argument, Constant)))


def new_library(name: str, layout: str, *modules: str) -> Library:
    """The library."""
    return Library()


def rules_library(layout: str) -> Library:
    """The same."""
    return Library()


def clear(record: Any) -> None:
    """All zeros again."""
    record.__init__()


def move_list() -> list[int]:
    """Room for the moves of one position."""
    return [0] * MAX_MOVES


class Table:
    """The transposition table, in the list that the kernels know: there is only one."""

    address = 0

    def __init__(self, megabytes: int) -> None:
        """As many buckets as the engine's table of that many MB has, up to LARGEST."""
        self.buckets = 1 << (min(max(megabytes, 1), LARGEST) * (1 << 20) // BUCKET_BYTES).bit_length() - 1
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        memory[:] = [0]
        memory.__imul__(self.buckets * BUCKET_BYTES // 8)  # in place: without a second list of that length
        self.generation = 0

    def wait(self) -> None:
        """Nothing is under way."""

    def next_generation(self) -> None:
        """A new search begins: entries of earlier ones are replaced first."""
        self.generation = (self.generation + 1) & 63
