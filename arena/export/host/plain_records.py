"""In an exported file of the Python flavor: `rules.native.record`, with objects that hold lists."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.native.layout import MAX_MOVES, PLIES, SEEN

Record = Any  # `Record` of the translated kernels
Fields = Any


def new_record(kind: Callable[[], Record]) -> Record:
    """A record of zeros."""
    return kind()


def fields(record: Record) -> Fields:
    """The record's fields by name: the record itself."""
    return record


def clear(record: Record) -> None:
    """All zeros again."""
    record.__init__()


def move_list() -> list[int]:
    """Room for the moves of one position."""
    return [0] * MAX_MOVES


def bits(bitboard: int) -> int:
    """A bitboard as an integer, which it is."""
    return bitboard


def drop_oldest(record: Record, entries: int) -> None:
    """Make room for more plies in a position's record by forgetting its oldest entries."""
    for name in record.__slots__:
        row = record[name]
        if isinstance(row, list) and len(row) == PLIES:
            row[:-entries] = row[entries:]
    record["ply"] -= entries
    record["game_ply"] += entries
    if "seen" in record.__slots__:
        record["seen"] = [0] * SEEN
        for key in record["key"][: record["ply"] + 1]:
            record["seen"][key & SEEN - 1] += 1
