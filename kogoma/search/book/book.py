"""A book of moves by position, in YaneuraOu's text format, which other shogi programs and their editors read.

A file begins with HEAD. A line `sfen BOARD TURN HANDS NUMBER` opens a position; below it a move a line, the best one
first: `move reply score depth count`. Scores are centipawns for the side to move; `reply` is `none` where none is
known, `count` how often the move was played. Lines that begin with `#` or `//` are comments.
The format is that of https://github.com/yaneurao/YaneuraOu.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import Variant

HEAD = "#YANEURAOU-DB2016 1.00"
NO_REPLY = "none"
MOST_BYTES = 1 << 30  # of a file; a longer one is refused
MOST_WARNINGS = 20  # that are told one by one
LIMIT = 10**9  # of any number in a file
_MOVE = re.compile(r"(?:\+?[A-Z]\*|[1-9][a-z])[1-9][a-z][+-]?|[0-9]{1,2}:(?:pass|(?:[a-z][1-9]){2})")


class BookError(Exception):
    """A book that can't be read or written; the text is one line."""


@dataclass(frozen=True)
class BookMove:
    """A move in USI notation, the reply that is expected ("" if none is known), the score in centipawns for the side to
    move, the depth in plies that it was searched to, and how often it was played."""

    move: str
    reply: str = ""
    score: int = 0
    depth: int = 0
    count: int = 1


def key_of(sfen: str) -> str:
    """What a position is filed under: its SFEN without the number of the move."""
    return " ".join(sfen.split()[:3])


class Book:
    """Positions and their moves, the best one first. `warnings` names the lines of a file that were skipped."""

    def __init__(self) -> None:
        self._moves: dict[str, list[BookMove]] = {}
        self._numbers: dict[str, int] = {}  # of the next move, as the file has it
        self.warnings: list[str] = []

    def __len__(self) -> int:
        return len(self._moves)

    def __iter__(self) -> Iterator[tuple[str, list[BookMove]]]:
        """Every position as an SFEN, with its moves."""
        for key, moves in self._moves.items():
            yield f"{key} {self._numbers[key]}", moves

    def moves(self, sfen: str) -> list[BookMove]:
        """What the book has for a position, by whatever number of moves it was reached; [] if it has nothing."""
        return list(self._moves.get(key_of(sfen), ()))

    def set(self, sfen: str, moves: Iterable[BookMove]) -> None:
        """File a position anew, its moves in the order of their scores."""
        key, number = key_of(sfen), sfen.split()[3:]
        self._moves[key] = sorted(moves, key=lambda move: -move.score)
        self._numbers[key] = min(int(number[0]) if number else 1, self._numbers.get(key, LIMIT))

    def add(self, sfen: str, move: BookMove) -> None:
        """File one more move, in place of what the book has of the same move."""
        self.set(sfen, [*(other for other in self.moves(sfen) if other.move != move.move), move])

    def write(self, path: Path) -> None:
        """Write a file, whole or not at all, positions in the order of their SFENs. BookError."""
        unfinished = path.with_name(f"{path.name}.part")
        try:
            with open(unfinished, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(f"{line}\n" for line in self.lines())
                file.flush()
                os.fsync(file.fileno())
            os.replace(unfinished, path)
        except OSError as error:
            raise BookError(f"cannot write {path}: {error.strerror}") from None

    def lines(self) -> Iterator[str]:
        """The lines of its file."""
        yield HEAD
        for sfen, moves in sorted(self):
            yield f"sfen {sfen}"
            for one in moves:
                yield f"{one.move} {one.reply or NO_REPLY} {one.score} {one.depth} {one.count}"


def read_book(path: Path) -> Book:
    """A book from its file. Lines that make no sense are skipped and named in `warnings`; BookError for a file that
    can't be read, or is no book."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise BookError(f"{path} has more than {MOST_BYTES >> 20} MB")
        with open(path, encoding="utf-8-sig", errors="replace") as file:
            return parse_book(file, str(path))
    except OSError as error:
        raise BookError(f"cannot read {path}: {error.strerror}") from None


def parse_book(lines: Iterable[str], name: str) -> Book:
    """A book from the lines of its file, which messages call `name`. BookError if it does not begin as a book does."""
    book, skipped = Book(), 0
    sfen: str | None = None
    moves: list[BookMove] = []
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if number == 1 and not line.startswith("#YANEURAOU-DB2016"):
            raise BookError(f"{name} is no book: its first line is not {HEAD}")
        if not line or line.startswith(("#", "//")):
            continue
        try:
            if line.startswith("sfen "):
                _file(book, sfen, moves)
                sfen, moves = None, []
                sfen = _position(line[5:])
            elif sfen is None:
                raise ValueError("a move below no position")
            else:
                moves.append(_move(line))
        except ValueError as error:
            skipped += 1
            if skipped <= MOST_WARNINGS:
                book.warnings.append(f"{name}: line {number} is skipped: {error}")
    _file(book, sfen, moves)
    if skipped > MOST_WARNINGS:
        book.warnings.append(f"{name}: {skipped - MOST_WARNINGS} more lines are skipped")
    return book


def _file(book: Book, sfen: str | None, moves: list[BookMove]) -> None:
    """File a position; one that a file has twice keeps the moves of both."""
    if sfen is not None and moves:
        named = {move.move for move in moves}
        book.set(sfen, [*(move for move in book.moves(sfen) if move.move not in named), *moves])


def _position(text: str) -> str:
    """An SFEN with a number; whether it is a position of the game is seen where it is played. ValueError."""
    words = text.split()
    if len(words) not in (3, 4) or words[1] not in ("b", "w") or "/" not in words[0]:
        raise ValueError(f"no position: {text[:60]!r}")
    number = int(words[3]) if len(words) == 4 and re.fullmatch("[0-9]{1,9}", words[3]) else 1
    return f"{' '.join(words[:3])} {number}"


def _move(line: str) -> BookMove:
    """A line of a move; numbers that are left out at its end are 0, or a count of 1. ValueError."""
    words = line.split()
    if not _MOVE.fullmatch(words[0]) or len(words) > 5:
        raise ValueError(f"no move of a book: {line[:60]!r}")
    if not all(re.fullmatch(r"[+-]?[0-9]{1,9}", word) for word in words[2:]):
        raise ValueError(f"not a number: {line[:60]!r}")
    reply = words[1] if len(words) > 1 and _MOVE.fullmatch(words[1]) else ""
    score, depth, count = [*map(int, words[2:]), *(0, 0, 1)[len(words[2:]) :]]
    return BookMove(words[0], reply, score, depth, count)


FOLDER = Path(__file__).parent / "files"


def shipped(variant: Variant) -> Path | None:
    """The book that comes with the engine for a game, or for one with the same pieces and start; None if there is none.
    Games with a die have none: a throw leaves little choice."""
    from kogoma.eval.weights import family

    if variant.die:
        return None
    names = (game.name for game in family(variant) if not game.die)
    return next((path for name in names if (path := FOLDER / f"{name}.db").is_file()), None)


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
