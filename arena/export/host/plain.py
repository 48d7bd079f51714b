"""In an exported file of plain Python: what stands for the engine's records, libraries and table."""

from __future__ import annotations

from typing import Any

from arena.export.host.kernels import ENTRIES, Position, memory
from rules.native.layout import MAX_MOVES, PLIES, SEEN

BUCKET_WORDS = 8


class Constant:
    """A record that the translated kernels hold. `prefix` names the entries made for it."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix


RULES, SEARCH_RULES, WEIGHTS = Constant(), Constant("search_"), Constant()


class Library:
    """The entries, whatever library of the engine they belong to."""

    def __init__(self, name: str, modules: tuple[str, ...], layout: str) -> None:
        pass

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call an entry."""
        prefix = max(argument.prefix for argument in arguments if isinstance(argument, Constant))
        entry = ENTRIES.get(prefix + name) or ENTRIES[name]
        return entry(*(argument for argument in arguments if not isinstance(argument, Constant)))


class PositionRecord(Position):
    """A position that can be copied."""

    def copy(self) -> PositionRecord:
        """Another record with the same content."""
        twin = PositionRecord()
        for name in Position.__slots__:
            value = self[name]
            if isinstance(value, list):
                value = [part.copy() if isinstance(part, list) else part for part in value]
            twin[name] = value
        return twin


def new_record(kind: type[Position]) -> Any:
    """A record of zeros."""
    return kind()


def fields(record: Any) -> Any:
    """The record's fields by name: the record itself."""
    return record


def clear(record: Any) -> None:
    """All zeros again."""
    record.__init__()


def move_list() -> list[int]:
    """Room for the moves of one position."""
    return [0] * MAX_MOVES


def bits(bitboard: int) -> int:
    """A bitboard as an integer, which it is."""
    return bitboard


def drop_oldest(record: Any, entries: int) -> None:
    """Make room for more plies in a position's record by forgetting its oldest entries."""
    for name in Position.__slots__:
        row = record[name]
        if isinstance(row, list) and len(row) == PLIES:
            row[:-entries] = row[entries:]
    record["ply"] -= entries
    record["game_ply"] += entries
    if "seen" in Position.__slots__:
        record["seen"] = [0] * SEEN
        for key in record["key"][: record["ply"] + 1]:
            record["seen"][key & SEEN - 1] += 1


class Table:
    """The transposition table, in the list that the kernels know; its size was chosen when the file was made."""

    def __init__(self, megabytes: int) -> None:
        self.buckets, self.address = len(memory) // BUCKET_WORDS, 0
        self.clear()

    def clear(self) -> None:
        """Forget everything."""
        memory[:] = [0] * len(memory)
        self.generation = 0

    def wait(self) -> None:
        """Nothing is under way."""

    def next_generation(self) -> None:
        """A new search begins: entries of earlier ones are replaced first."""
        self.generation = (self.generation + 1) & 63
