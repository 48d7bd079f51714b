"""Opening books in YaneuraOu's text format (https://github.com/yaneurao/YaneuraOu), which other shogi programs read.

The first line is HEAD. A line `sfen BOARD TURN HANDS NUMBER` starts a position; a line per move follows, best first:
`move reply score depth count`. Scores are centipawns for the side to move, `reply` is `none` if unknown, `count` is how
often the move was played. Lines that start with `#` or `//` are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kogoma.output_file import error_text, reason, replacing
from kogoma.rules.base_position import BasePosition
from kogoma.rules.move_text import read_move
from kogoma.rules.variants import Variant

HEAD = "#YANEURAOU-DB2016 1.00"
NO_REPLY = "none"
MOST_BYTES = 1 << 30  # a larger file is refused
MOST_WARNINGS = 20  # so many are reported one by one
LIMIT = 10**9  # largest number in a file


class BookError(Exception):
    """A book that cannot be read or written; the message is one line."""


@dataclass(frozen=True)
class BookMove:
    """A book move in USI notation. `reply` is the expected reply or "". `score` is in centipawns for the side to move,
    `depth` is in plies, and `count` is the number of times the move was played."""

    move: str
    reply: str = ""
    score: int = 0
    depth: int = 0
    count: int = 1


def key_of(sfen: str) -> str:
    """Return the key under which a book stores a position: its SFEN without the move number."""
    return " ".join(sfen.split()[:3])


class Book:
    """Positions and their moves, best first. `warnings` lists the lines of a file that were skipped."""

    def __init__(self) -> None:
        self._moves: dict[str, list[BookMove]] = {}
        self._numbers: dict[str, int] = {}  # the move number of each position
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

    def set(self, sfen: str, moves: Iterable[BookMove]) -> None:
        """Replace the moves of a position by `moves`, sorted by score."""
        key, number = key_of(sfen), sfen.split()[3:]
        self._moves[key] = sorted(moves, key=lambda move: -move.score)
        self._numbers[key] = min(int(number[0]) if number else 1, self._numbers.get(key, LIMIT))

    def add(self, sfen: str, move: BookMove) -> None:
        """Add a move to a position, replacing an entry for the same move."""
        self.set(sfen, [*(other for other in self.moves(sfen) if other.move != move.move), move])

    def write(self, path: Path) -> None:
        """Write the book to a file atomically, sorted by SFEN. Raises BookError if the file cannot be written."""
        try:
            with replacing(path) as file:
                file.writelines(f"{line}\n".encode() for line in self.lines())
        except OSError as error:
            raise BookError(f"cannot write {error_text(error)}") from None

    def lines(self) -> Iterator[str]:
        """Yield the lines of the book's file, without line ends, sorted by SFEN."""
        yield HEAD
        for sfen, moves in sorted(self):
            yield f"sfen {sfen}"
            for one in moves:
                yield f"{one.move} {one.reply or NO_REPLY} {one.score} {one.depth} {one.count}"


def read_book(path: Path) -> Book:
    """Return the book in a file. Invalid lines are skipped and listed in the book's `warnings`. Raises BookError if the
    file cannot be read, is too large or is not a book."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BookError(f"cannot read {path}: an opening book may have at most {MOST_BYTES >> 20} MB")
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return parse_book(file, str(path))
    except OSError as error:
        raise BookError(f"cannot read {path}: {reason(error)}") from None


def parse_book(lines: Iterable[str], name: str) -> Book:
    """Return the book that the lines of a file contain. `name` is the name of the file for messages. Raises BookError
    if the first line is not that of a book."""
    book, skipped = Book(), 0
    sfen: str | None = None
    moves: list[BookMove] = []
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if number == 1 and not line.startswith("#YANEURAOU-DB2016"):
            raise BookError(f"{name} is not an opening book: its first line is not {HEAD}")
        if not line or line.startswith(("#", "//")):
            continue
        try:
            if line.startswith("sfen "):
                _add_position(book, sfen, moves)
                sfen, moves = None, []
                sfen = _position(line[5:])
            elif sfen is None:
                raise ValueError("a move is allowed only after a line 'sfen ...'")
            else:
                moves.append(_move(line))
        except ValueError as error:
            skipped += 1
            if skipped <= MOST_WARNINGS:
                book.warnings.append(f"{name}: line {number} is skipped: {error}")
    _add_position(book, sfen, moves)
    if skipped > MOST_WARNINGS:
        book.warnings.append(f"{name}: {skipped - MOST_WARNINGS} more lines are skipped")
    return book


def _add_position(book: Book, sfen: str | None, moves: list[BookMove]) -> None:
    """Add a position to the book. If the book already has the position, a new move replaces the old entry for the same
    move, and the other old moves are kept."""
    if sfen is not None and moves:
        named = {move.move for move in moves}
        book.set(sfen, [*(move for move in book.moves(sfen) if move.move not in named), *moves])


def _position(text: str) -> str:
    """Return the SFEN in `text`, with a move number. Whether the position is legal is tested only when the book is
    used. Raises ValueError if `text` does not look like an SFEN."""
    words = text.split()
    if len(words) not in (3, 4) or words[1] not in ("b", "w") or "/" not in words[0]:
        raise ValueError(f"{text[:60]!r} is not a position")
    number = int(words[3]) if len(words) == 4 and re.fullmatch("[0-9]{1,9}", words[3]) else 1
    return f"{' '.join(words[:3])} {number}"


def _move(line: str) -> BookMove:
    """Return the move on a line of a book. A missing score or depth is 0, a missing count is 1. Raises ValueError if
    the line does not contain a move."""
    words = line.split()
    move = read_move(words[0])
    if move is None or len(words) > 5:
        raise ValueError(f"{line[:60]!r} is not a book move")
    if not all(re.fullmatch(r"[+-]?[0-9]{1,9}", word) for word in words[2:]):
        raise ValueError(f"score, depth and count must be whole numbers, but the line is {line[:60]!r}")
    reply = (read_move(words[1]) if len(words) > 1 else None) or ""
    score, depth, count = [*map(int, words[2:]), *(0, 0, 1)[len(words[2:]) :]]
    return BookMove(move, reply, score, depth, count)


FOLDER = Path(__file__).parent / "files"


def shipped_book(variant: Variant) -> Path | None:
    """Return the path of the shipped book for a variant, or for another variant with the same pieces and start
    position. Return None if there is no such book. Variants with a die have no book, because a roll leaves few
    moves."""
    from kogoma.eval.weights import family

    if variant.die:
        return None
    names = (game.name for game in family(variant) if not game.die)
    return next((path for name in names if (path := FOLDER / f"{name}.db").is_file()), None)


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
        found.append(BookMove(one.move, reply, one.score, one.depth, one.count))
    return found


def choose(book: Book, position: BasePosition, diff: int, generator: Random) -> BookMove | None:
    """Return a random book move among those whose score is within `diff` centipawns of the best. Return None if the
    book has no move, or if the position has occurred before in the game, because a book does not consider
    repetitions."""
    if position.times_seen > 1:
        return None
    moves = probe(book, position)
    return generator.choice([move for move in moves if move.score >= moves[0].score - diff]) if moves else None
