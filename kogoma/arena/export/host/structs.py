"""In an exported file: `rules.structs`, with ctypes structures instead of numpy's arrays. What is said of any record
here serves those of plain Python, too."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Self

from kogoma.rules.layout import MAX_MOVES, PLIES, SEEN

KINDS = {
    "u8": ctypes.c_uint64,
    "i8": ctypes.c_int64,
    "u4": ctypes.c_uint32,
    "i4": ctypes.c_int32,
    "u2": ctypes.c_uint16,
    "i2": ctypes.c_int16,
    "u1": ctypes.c_uint8,
}


class Record(ctypes.Structure):
    """A record of the kernels; its fields by name."""

    _layout_ = "ms"
    _pack_ = 1

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: int) -> None:
        setattr(self, name, value)

    def copy(self) -> Self:
        """Another record with the same content."""
        return type(self).from_buffer_copy(self)


def shape(described: str) -> type[Record]:
    """The structure of a record described as `name:kind:2x64` a field, with spaces between them."""
    shapes: dict[str, Any] = {}
    for word in described.split():
        name, kind, dimensions = word.split(":")
        member: Any = KINDS[kind]
        for length in reversed(dimensions.split("x") if dimensions else []):
            member = member * int(length)
        shapes[name] = member
    members = {"_layout_": "ms", "_pack_": 1, "_fields_": list(shapes.items()), "shapes": shapes}
    return type("Shape", (Record,), members)


def new_struct(kind: Callable[[], Any]) -> Any:
    """A record of zeros."""
    return kind()


def fields(record: Any) -> Any:
    """The record's fields by name: the record itself."""
    return record


def clear(record: Record) -> None:
    """All zeros again."""
    ctypes.memset(ctypes.addressof(record), 0, ctypes.sizeof(record))


def move_list() -> Any:
    """Room for the moves of one position."""
    return (ctypes.c_uint16 * MAX_MOVES)()


def bits(bitboard: int) -> int:
    """A bitboard as an integer, which it is."""
    return bitboard


def drop_oldest(record: Any, entries: int) -> None:
    """Make room for more plies in a position's record by forgetting its oldest entries."""
    for name in record.shapes:
        row = record[name]
        if not isinstance(row, int) and len(row) == PLIES:
            row[:-entries] = row[entries:]
    record.ply -= entries
    record.game_ply += entries
    if "seen" in record.shapes:
        record.seen[:] = [0] * SEEN
        for key in record.key[: record.ply + 1]:
            record.seen[key & SEEN - 1] += 1
