"""The opening book of a bot: one move for each position that the bot can reach by playing the book's best moves."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.rules.variants import Variant
    from kogoma.search.book.book import Book

ENTRY = "<IH"  # the low half of a position's hash key, and the code of the move to play
KEY = (1 << 32) - 1
SHIPPED, NO_BOOK = "shipped", "none"  # names that stand for the book that comes with the engine and for no book


def load_book(name: str, variant: Variant) -> bytes:
    """Return the best moves of the book file `name` as bytes that `unpacked_book` can read. The name SHIPPED stands for
    the book that comes with the engine. Raises BookError if the book cannot be used."""
    from kogoma.search.book.book import BookError
    from kogoma.search.book.book_file import read_book, shipped_book

    if variant.die or variant.cards:
        raise BookError(
            f"{variant.name} cannot be played with a book, because its games have a die or different start positions"
        )
    path = shipped_book(variant) if name == SHIPPED else Path(name)
    if path is None:
        raise BookError(f"the engine comes with no book for {variant.name}: name a book file")
    packed = packed_book(read_book(path), variant)
    if not packed:
        raise BookError(f"{name}: the book has no move for the start position of {variant.name}")
    return packed


def packed_book(book: Book, variant: Variant) -> bytes:
    """Return the best moves of a book as bytes that `unpacked_book` can read. These are the moves for all positions
    that a bot with either colour can reach from the variant's start position by playing the book's best moves."""
    from kogoma.rules.position import new_position
    from kogoma.search.book.book import probe

    entries: dict[int, int] = {}

    def visit(position: BasePosition, player: int, seen: set[int]) -> None:
        """If the bot, which is the side `player`, is to move, add the book's best move in `position` to `entries`. Then
        visit the positions after that move or, if the opponent is to move, after every legal move."""
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
    """Convert the result of `packed_book` to a dict that maps the low half of a position's hash key to the code of the
    book's move."""
    return dict(struct.iter_unpack(ENTRY, data))
