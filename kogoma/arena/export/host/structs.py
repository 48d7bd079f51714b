"""In an exported file: the replacement of `rules.structs`, with ctypes structures instead of numpy's."""

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


class NativeStruct(ctypes.Structure):
    """A struct of the kernels, with its fields as attributes and as items."""

    _layout_ = "ms"
    _pack_ = 1

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: int) -> None:
        setattr(self, name, value)

    def copy(self) -> Self:
        """Return a copy."""
        return type(self).from_buffer_copy(self)


def struct_type(described: str) -> type[NativeStruct]:
    """Return a struct type. `described` lists its fields, such as `name:u8:2x64`, separated by spaces."""
    shapes: dict[str, Any] = {}
    for word in described.split():
        name, kind, dimensions = word.split(":")
        member: Any = KINDS[kind]
        for length in reversed(dimensions.split("x") if dimensions else []):
            member = member * int(length)
        shapes[name] = member
    members = {"_layout_": "ms", "_pack_": 1, "_fields_": list(shapes.items()), "shapes": shapes}
    return type("Shape", (NativeStruct,), members)


def new_struct(kind: Callable[[], Any]) -> Any:
    """Return a struct of type `kind` that is filled with zeros."""
    return kind()


def fields(struct: Any) -> Any:
    """Return an object with the struct's fields as attributes: the struct itself."""
    return struct


def clear(struct: NativeStruct) -> None:
    """Reset a struct to zeros."""
    ctypes.memset(ctypes.addressof(struct), 0, ctypes.sizeof(struct))


def move_list() -> Any:
    """Return an array of zeros with room for the moves of one position."""
    return (ctypes.c_uint16 * MAX_MOVES)()


def bits(bitboard: int) -> int:
    """Return `bitboard` unchanged, because bitboards are integers in exported files."""
    return bitboard


def drop_oldest(struct: Any, entries: int) -> None:
    """Remove the oldest `entries` plies from a position's stack, to make room for new ones."""
    for name in struct.shapes:
        row = struct[name]
        if not isinstance(row, int) and len(row) == PLIES:
            row[:-entries] = row[entries:]
    struct.ply -= entries
    struct.game_ply += entries
    if "seen" in struct.shapes:
        struct.seen[:] = [0] * SEEN
        for key in struct.key[: struct.ply + 1]:
            struct.seen[key & SEEN - 1] += 1
