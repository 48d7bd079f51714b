"""Which move of a book is played."""

from __future__ import annotations

from random import Random

from kogoma.rules.base_position import BasePosition
from kogoma.search.book.book import Book, BookMove


def probe(book: Book, position: BasePosition) -> list[BookMove]:
    """The book's moves that are legal in the position, the best one first; replies that are not legal are left out."""
    found = []
    for one in book.moves(position.sfen()):
        try:
            position.push(one.move)
        except ValueError:
            continue
        reply = one.reply if one.reply in position.legal_moves() else ""
        position.pop()
        found.append(BookMove(one.move, reply, one.score, one.depth, one.count))
    return found


def choose(book: Book, position: BasePosition, diff: int, generator: Random) -> BookMove | None:
    """A move to play: one of those within `diff` centipawns of the best, all as likely. None where the book has none,
    or where the game has been here before: a book knows nothing of repetitions."""
    if position.times_seen > 1:
        return None
    moves = probe(book, position)
    return generator.choice([move for move in moves if move.score >= moves[0].score - diff]) if moves else None
