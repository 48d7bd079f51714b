"""YaneuraOu's text format of opening books (https://github.com/yaneurao/YaneuraOu), which other shogi programs use too.

The first line is HEAD. A line `sfen BOARD TURN HANDS NUMBER` starts a position; a line per move follows, best first:
`move reply score depth count`. Scores are centipawns for the side to move, `count` is how often the move was played.
Unknown values are `none`; the last values of a line may be missing. Lines that start with `#` or `//` are comments. As
in ShogiHome, they belong to the move or position before them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from kogoma.rules.move_text import read_move
from kogoma.search.book.book import Book, BookError, BookMove

HEAD = "#YANEURAOU-DB2016 1.00"
NONE = "none"
NO_MOVES = (NONE, "resign")  # words instead of a reply
MOST_WARNINGS = 20  # so many skipped lines are reported one by one
COMMENT = ("#", "//")
_NAME = "#YANEURAOU-"
_OTHER_HEAD = re.compile(r"#[A-Za-z][\w-]*\s+[0-9]+\.[0-9]+")
ENTRIES = " NOE:"  # begins YaneuraOu's comment with the number of positions; a `Book` keeps it without the number
_ENTRIES = re.compile(r"\s*NOE\s*[:=]?\s*[0-9,]+\s*", re.IGNORECASE)
_VALUE = re.compile(rf"([+-]?[0-9]{{1,9}})|{NONE}", re.IGNORECASE)
_COMMENT_AT_END = re.compile(r"\s(?:#|//)(.*)")
_NUMBER = re.compile("[0-9]{1,9}")


def text_of(book: Book) -> Iterator[str]:
    """Yield the lines of a book's file, without line ends, sorted by SFEN."""
    yield HEAD
    for line in book.comments:
        yield f"#{line}{len(book) if line == ENTRIES else ''}"
    for sfen, moves in sorted(book):
        yield f"sfen {sfen}"
        yield from (f"#{line}" for line in book.comments_on(sfen))
        for one in moves:
            yield _move_line(one)
            yield from (f"#{line}" for line in one.comments)


def _move_line(one: BookMove) -> str:
    """Return the line of a move. An unknown count is left out: YaneuraOu reads it as 1, but `none` as 0."""
    score, depth = (NONE if value is None else value for value in (one.score, one.depth))
    line = f"{one.move} {one.reply or NONE} {score} {depth}"
    return line if one.count is None else f"{line} {one.count}"


def parse_book(lines: Iterable[str], name: str) -> Book:
    """Return the book that the lines of a file contain. `name` is the name of the file for messages. Invalid lines are
    skipped and listed in the book's `warnings`. Raises BookError if the file is not a book, or one of another format
    or version."""
    reader = _Reader(name)
    for number, line in enumerate(lines, 1):
        reader.read(number, line.strip())
    return reader.finished()


class _Reader:
    """The book, and the position whose lines are being read."""

    def __init__(self, name: str) -> None:
        self.book, self.name = Book(), name
        self.sfen: str | None = None
        self.moves: list[BookMove] = []
        self.comments: tuple[str, ...] = ()
        self.texts: list[str] = []  # comments that were read after the last other line
        self.is_lost = False  # whether the last line that is no comment was skipped
        self.first = ""  # the first line that is not empty
        self.begun = False  # whether a line was read with which a book may begin
        self.skipped = self.replaced = self.empty = self.lost_replies = 0

    def read(self, number: int, line: str) -> None:
        """Read a line, without spaces at its ends, and remember it if it is skipped."""
        if not line:
            return
        if not self.begun:
            self._begin(line)
        try:
            if line.startswith(COMMENT):
                if " ".join(line.split()) == HEAD:
                    return
                if self.is_lost:
                    raise ValueError("it is a comment on a skipped line")
                self.texts.append(line[1:] if line[0] == "#" else line[2:])
                return
            self._end_comments()
            self.is_lost = True
            if line.startswith("sfen "):
                self._end_position()
                self.sfen = _position(line[5:])
            elif self.sfen is None:
                raise ValueError("a move is allowed only after a line 'sfen ...'")
            else:
                self.moves.append(self._move(line))
            self.is_lost = False
        except ValueError as error:
            self.skipped += 1
            if self.skipped <= MOST_WARNINGS:
                self.book.warnings.append(f"{self.name}: line {number} is skipped: {error}")

    def finished(self) -> Book:
        """Return the book after its last line."""
        self._end_comments()
        self._end_position()
        if self.first and not self.begun:
            raise self._no_book()
        if self.skipped > MOST_WARNINGS:
            self.book.warnings.append(f"{self.name}: {self.skipped - MOST_WARNINGS} more lines are skipped")
        for what, count in (
            ("positions without moves, left out", self.empty),
            ("moves replaced by later ones for the same position", self.replaced),
            ("replies that are not moves, left out", self.lost_replies),
        ):
            if count:
                self.book.warnings.append(f"{self.name}: {what}: {count:,}")
        return self.book

    def _begin(self, line: str) -> None:
        """Raise BookError if a line before the first position cannot be in a book."""
        words = " ".join(line.split())
        is_head = line.startswith(_NAME) or (not self.first and _OTHER_HEAD.fullmatch(line))
        if is_head and words != HEAD:
            raise BookError(
                f"{self.name} is a book of another format or version: its first line is {line[:60]!r}, not {HEAD}"
            )
        self.first = self.first or line
        if words == HEAD:
            self.begun = True
        elif line.startswith("sfen "):
            try:
                _position(line[5:])
            except ValueError:
                raise self._no_book() from None
            self.begun = True
        elif not line.startswith(COMMENT):
            raise self._no_book()

    def _no_book(self) -> BookError:
        return BookError(f"{self.name} is not an opening book: it begins with neither {HEAD} nor a position")

    def _end_comments(self) -> None:
        """Give the comments that were read to what they belong to: the last move, the position or the book."""
        if not self.texts:
            return
        texts, self.texts = tuple(self.texts), []
        if self.moves:
            last = self.moves[-1]
            self.moves[-1] = replace(last, comments=last.comments + texts)
        elif self.sfen is not None:
            self.comments = texts
        else:
            self.book.comments = tuple(ENTRIES if _ENTRIES.fullmatch(text) else text for text in texts)

    def _end_position(self) -> None:
        """Add the position to the book, if its line was valid and it has moves."""
        if self.sfen is not None:
            if self.moves:
                self.replaced += self.book.extend(self.sfen, self.moves, self.comments)
            else:
                self.empty += 1
        self.sfen, self.moves, self.comments = None, [], ()

    def _move(self, line: str) -> BookMove:
        """Return the move on a line. Values that are missing are unknown. Raises ValueError if the line does not
        contain a move."""
        comments: tuple[str, ...] = ()
        if ("#" in line or "//" in line) and (found := _COMMENT_AT_END.search(line)):
            line, comments = line[: found.start()], (found[1],)
        words = line.split()
        move = read_move(words[0])
        if move is None or len(words) > 5:
            raise ValueError(f"{line[:60]!r} is not a book move")
        values: list[int | None] = [None, None, None]
        for number, word in enumerate(words[2:]):
            value = _VALUE.fullmatch(word)
            if value is None:
                raise ValueError(f"score, depth and count must be whole numbers or none, but the line is {line[:60]!r}")
            values[number] = int(word) if value[1] else None
        reply = ""
        if len(words) > 1 and words[1] != NONE:
            reply = read_move(words[1]) or ""
            if not reply and words[1].lower() not in NO_MOVES:
                self.lost_replies += 1
        score, depth, count = values
        return BookMove(move, reply, score, depth, count, comments)


def _position(text: str) -> str:
    """Return the SFEN in `text`, with a move number. Whether the position is legal is tested only when the book is
    used. Raises ValueError if `text` does not look like an SFEN."""
    words = text.split()
    if len(words) not in (3, 4) or words[1] not in ("b", "w") or "/" not in words[0] or not text.isascii():
        raise ValueError(f"{text[:60]!r} is not a position")
    number = int(words[3]) if len(words) == 4 and _NUMBER.fullmatch(words[3]) else 1
    return f"{' '.join(words[:3])} {number}"
