"""A bot's opening book: one move for each position that the bot can reach by playing the book's best moves."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.rules.variants import Variant
    from kogoma.search.book.book import Book

ENTRY = "<IH"  # the low half of the position's hash key, and the move's code
KEY = (1 << 32) - 1
SHIPPED, NO_BOOK = "shipped", "none"  # names of the book that comes with the engine, and of none


def load_book(name: str, variant: Variant) -> bytes:
    """Return the moves of the book file `name` as bytes for `unpacked_book`. The name SHIPPED stands for the book that
    comes with the engine. Raises BookError if the book cannot be used."""
    from kogoma.search.book.book import BookError, read_book, shipped_book

    if variant.die or variant.cards:
        raise BookError(f"a book cannot be used for {variant.name}: its games have different start positions, or a die")
    path = shipped_book(variant) if name == SHIPPED else Path(name)
    if path is None:
        raise BookError(f"no book comes with the engine for {variant.name}")
    packed = packed_book(read_book(path), variant)
    if not packed:
        raise BookError(f"{name}: there is no move for the start position of {variant.name}")
    return packed


def packed_book(book: Book, variant: Variant) -> bytes:
    """Return the best moves of a book as bytes for `unpacked_book`. They are included for each position that a bot of
    either colour can reach from the variant's start position by playing the book's best moves."""
    from kogoma.rules.position import new_position
    from kogoma.search.book.book import probe

    entries: dict[int, int] = {}

    def visit(position: BasePosition, player: int, seen: set[int]) -> None:
        """Add the book's best move in `position` to `entries` if the bot, `player`, is to move. Then visit the
        positions that follow."""
        seen.add(position.key)
        moves = position.legal_moves()
        if position.turn == player:
            moves = [known.move for known in probe(book, position)[:1]]
            entries.update((position.key & KEY, position.code(move)) for move in moves)
        for move in moves:
            position.push(move)
            if position.key not in seen and (position.turn != player or book.moves(position.sfen())):
                visit(position, player, seen)
            position.pop()

    for player in (0, 1):
        visit(new_position(variant), player, set())
    return b"".join(struct.pack(ENTRY, *entry) for entry in sorted(entries.items()))


def unpacked_book(data: bytes) -> dict[int, int]:
    """Return a dict that maps the low half of each position's hash key to the code of the book move."""
    return dict(struct.iter_unpack(ENTRY, data))
