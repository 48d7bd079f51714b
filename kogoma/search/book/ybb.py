"""YaneuraOu's binary format of opening books (.ybb), for 9x9 shogi only. All numbers are little-endian.

The header has 32 bytes: MAGIC, the number of records (8 bytes) and flags (8 bytes; bit 0: moves have a depth). A record
of 44 bytes per position follows, in the order of their first field: the position (`packed_sfen`), the offset of its
moves in the part after the records (8 bytes), its move number (2 bytes) and the number of its moves (2 bytes). A move
has 4 or 6 bytes: its code, its score in centipawns for the side to move (signed) and, if the flag is set, its depth.

Bits 0 to 6 of a code are the target square, bits 7 to 13 the origin, and bit 15 says that the move is a promotion. If
bit 14 is set, bits 7 to 13 are the number of the dropped piece in DROPS. Codes in WORDS are not moves.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from kogoma.search.book.packed_sfen import FILES, RANKS, SIZE, packed, unpacked

MAGIC = b"YANE-BINBOOK-V1\0"
HEADER, RECORD = struct.Struct("<16sQQ"), struct.Struct(f"<{SIZE}sQHH")
MOVE, MOVE_WITH_DEPTH = struct.Struct("<Hh"), struct.Struct("<HhH")
HAS_DEPTH = 1  # a flag
DROPS = " PLNSBRG"
DROP, PROMOTION, ORIGIN_SHIFT = 1 << 14, 1 << 15, 7
WORDS = {0: "none", 1 << 7 | 1: "null", 2 << 7 | 2: "resign", 3 << 7 | 3: "win"}
MOST = (1 << 16) - 1  # of a move number, a depth, or the moves of a position
SCORES = range(-(1 << 15), 1 << 15)


class Entry(NamedTuple):
    """A move with its score in centipawns and its depth in plies, None if it is unknown. As in ShogiHome, a depth of 0
    is unknown."""

    move: str
    score: int
    depth: int | None = None


@cache
def _texts() -> dict[int, str]:
    """Return the text of each code."""
    names = [f"{file}{rank}" for file in range(1, FILES + 1) for rank in "abcdefghi"[:RANKS]]
    texts = dict(WORDS)
    for to, target in enumerate(names):
        for origin, name in enumerate(names):
            if to != origin:
                texts[origin << ORIGIN_SHIFT | to] = name + target
                texts[origin << ORIGIN_SHIFT | to | PROMOTION] = f"{name}{target}+"
        for piece, letter in enumerate(DROPS):
            if piece:
                texts[piece << ORIGIN_SHIFT | to | DROP] = f"{letter}*{target}"
    return texts


@cache
def codes() -> dict[str, int]:
    """Return the code of each move that a .ybb book can store."""
    return {text: code for code, text in _texts().items() if code not in WORDS}


def read_ybb(data: bytes) -> Iterator[tuple[str, list[Entry]]]:
    """Yield (SFEN, moves) for each position of a book. The text of a move may also be one of WORDS. Raises ValueError
    if the book is damaged."""
    if data[: len(MAGIC)] != MAGIC:
        raise ValueError(f"it does not begin with {MAGIC[:-1].decode()}")
    if len(data) < HEADER.size:
        raise ValueError("it ends in its header")
    _, records, flags = HEADER.unpack_from(data)
    if flags & ~HAS_DEPTH:
        raise ValueError(f"its flags are {flags:#x}, of which only the lowest is known")
    start = HEADER.size + records * RECORD.size
    if start > len(data):
        raise ValueError(f"it ends in its {records:,} records")
    form, texts = MOVE_WITH_DEPTH if flags else MOVE, _texts()
    for number, (position, offset, ply, moves) in enumerate(RECORD.iter_unpack(data[HEADER.size : start]), 1):
        begin = start + offset
        if begin + moves * form.size > len(data):
            raise ValueError(f"the moves of record {number:,} are beyond its end")
        try:
            sfen = f"{unpacked(position)} {ply or 1}"
            entries = [
                Entry(texts[code], score, depth[0] or None if depth else None)
                for code, score, *depth in form.iter_unpack(data[begin : begin + moves * form.size])
            ]
        except ValueError as error:
            raise ValueError(f"record {number:,} has an impossible position: {error}") from None
        except KeyError as error:
            raise ValueError(f"record {number:,} has an impossible move, {error.args[0]:#06x}") from None
        yield sfen, entries


def ybb_bytes(positions: Iterable[tuple[str, list[Entry]]]) -> bytes:
    """Return a book of positions (SFEN, moves) as bytes. Moves have depths if one of them is known. Move
    numbers are at most MOST. Raises ValueError if a position is not one of 9x9 shogi."""
    found: dict[bytes, tuple[int, list[Entry]]] = {}
    for sfen, entries in positions:
        # Two SFENs that list the pieces in hand in different orders are the same position.
        try:
            position = packed(sfen)
        except ValueError as error:
            raise ValueError(f"{sfen!r} is not a position of it: {error}") from None
        ply, old = found.get(position, (MOST, []))
        named = {one.move for one in entries}
        found[position] = min(ply, int(sfen.split()[3])), [*entries, *(one for one in old if one.move not in named)]
    with_depth = any(one.depth for _, entries in found.values() for one in entries)
    form, code_of = MOVE_WITH_DEPTH if with_depth else MOVE, codes()
    index, moves = bytearray(), bytearray()
    for position, (ply, entries) in sorted(found.items()):
        index += RECORD.pack(position, len(moves), ply, len(entries))
        for one in entries:
            numbers = (code_of[one.move], one.score, one.depth or 0)
            moves += form.pack(*(numbers if with_depth else numbers[:2]))
    return HEADER.pack(MAGIC, len(found), HAS_DEPTH if with_depth else 0) + bytes(index) + bytes(moves)
