"""Opening books: positions, their moves, and what is known about these moves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from random import Random

from kogoma.rules.base_position import BasePosition

LIMIT = 10**9  # more than the largest move number of a position


class BookError(Exception):
    """A book that cannot be read or written; the message is one line."""


@dataclass(frozen=True)
class BookMove:
    """A book move in USI notation. `reply` is the expected reply or "". `score` is in centipawns for the side to move,
    `depth` is in plies, and `count` is the number of times the move was played; each of them is None if it is unknown.
    `comments` are lines of text."""

    move: str
    reply: str = ""
    score: int | None = 0
    depth: int | None = 0
    count: int | None = 1
    comments: tuple[str, ...] = ()

    @property
    def value(self) -> int:
        """The score, with which moves are compared. An unknown score counts as 0, as in YaneuraOu."""
        return self.score or 0


def key_of(sfen: str) -> str:
    """Return the key under which a book stores a position: its SFEN without the move number."""
    return " ".join(sfen.split()[:3])


class Book:
    """Positions and their moves, best first. `comments` are lines of text about the whole book. `warnings` lists what
    was left out when the book was read."""

    def __init__(self) -> None:
        self._moves: dict[str, list[BookMove]] = {}
        self._numbers: dict[str, int] = {}  # the move number of each position
        self._comments: dict[str, tuple[str, ...]] = {}  # of positions that have some
        self.comments: tuple[str, ...] = ()
        self.warnings: list[str] = []

    def __len__(self) -> int:
        return len(self._moves)

    def __iter__(self) -> Iterator[tuple[str, list[BookMove]]]:
        """Yield (SFEN, moves) for every position."""
        for key, moves in self._moves.items():
            yield f"{key} {self._numbers[key]}", moves

    def moves(self, sfen: str) -> list[BookMove]:
        """Return the moves of a position, or [] if it is not in the book. The move number of `sfen` is ignored."""
        return list(self._moves.get(key_of(sfen), ()))

    def comments_on(self, sfen: str) -> tuple[str, ...]:
        """Return the comments on a position. The move number of `sfen` is ignored."""
        return self._comments.get(key_of(sfen), ())

    def set(self, sfen: str, moves: Iterable[BookMove], comments: tuple[str, ...] = ()) -> None:
        """Replace the moves of a position by `moves`, sorted by score, and its comments by `comments`, if there are
        any."""
        key, number = key_of(sfen), sfen.split()[3:]
        self._moves[key] = sorted(moves, key=lambda move: -move.value)
        self._numbers[key] = min(int(number[0]) if number else 1, self._numbers.get(key, LIMIT))
        if comments:
            self._comments[key] = comments

    def add(self, sfen: str, move: BookMove) -> None:
        """Add a move to a position, replacing an entry for the same move."""
        self.set(sfen, [*(other for other in self.moves(sfen) if other.move != move.move), move])

    def extend(self, sfen: str, moves: list[BookMove], comments: tuple[str, ...] = ()) -> int:
        """Add moves and comments to a position. A new move replaces the old entry for the same move, and the other old
        moves are kept. Return the number of replaced entries."""
        old = self.moves(sfen)
        if not old:
            self.set(sfen, moves, comments)
            return 0
        named = {move.move for move in moves}
        kept = [move for move in old if move.move not in named]
        self.set(sfen, [*kept, *moves], joined(self.comments_on(sfen), comments))
        return len(old) - len(kept)

    def merge(self, other: Book) -> int:
        """Take over the positions and the comments of another book. If both have a position, its moves in `other`
        replace those in this book. Return the number of these positions."""
        before = len(self)
        for sfen, moves in other:
            self.set(sfen, moves, other.comments_on(sfen))
        self.comments = joined(self.comments, other.comments)
        return before + len(other) - len(self)


def joined(comments: tuple[str, ...], more: tuple[str, ...]) -> tuple[str, ...]:
    """Return comments with those lines of others that they do not have yet."""
    known = set(comments)
    return (*comments, *(line for line in more if line not in known))


def probe(book: Book, position: BasePosition) -> list[BookMove]:
    """Return the book's moves that are legal in the position, best first. An illegal reply is replaced by an empty
    one."""
    found = []
    for one in book.moves(position.sfen()):
        try:
            position.push(one.move)
        except ValueError:
            continue
        reply = one.reply if one.reply in position.legal_moves() else ""
        position.pop()
        found.append(replace(one, reply=reply))
    return found


def choose(book: Book, position: BasePosition, diff: int, generator: Random) -> BookMove | None:
    """Return a random book move among those whose score is within `diff` centipawns of the best. Return None if the
    book has no move, or if the position has occurred before in the game, because a book does not consider
    repetitions."""
    if position.times_seen > 1:
        return None
    moves = probe(book, position)
    return generator.choice([move for move in moves if move.value >= moves[0].value - diff]) if moves else None
