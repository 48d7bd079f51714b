"""The opening book during play: chosen by options, and probed before each search."""

from __future__ import annotations

from pathlib import Path
from random import Random

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import Variant
from kogoma.search.book.book import Book, BookError, BookMove, choose, read_book, shipped_book
from kogoma.search.limits import Limits
from kogoma.usi_engine.options import SHIPPED_BOOK, Options
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.tasks import Task

NONE = ("", "<empty>", "no_book")  # values that mean "no book" in GUIs and YaneuraOu


class OpeningBook:
    """The book that the options select, if any."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._path: Path | None = None
        self._book = Book()

    def load(self, options: Options, variant: Variant) -> None:
        """Read the book that the options select, unless it is loaded already. If it cannot be read, report this once
        and play without a book."""
        path = _path(options, variant) if options.flag("USI_OwnBook") else None
        if path == self._path:
            return
        self._path, self._book = path, Book()
        if path is None:
            return
        try:
            self._book = read_book(path)
        except BookError as error:
            self._output.error(f"BookFile: {error}; played without a book")
        for warning in self._book.warnings:
            self._output.note(f"BookFile: {warning}")

    def move(self, position: BasePosition, limits: Limits, options: Options, generator: Random) -> BookMove | None:
        """Return the book's answer to a `go`, or None if the position must be searched. Analysis, pondering,
        `searchmoves` and die rolls always need a search."""
        if not len(self._book) or limits.infinite or limits.ponder or limits.searchmoves or limits.dice is not None:
            return None
        if position.ply >= options.number("BookMoves"):
            return None
        return choose(self._book, position, options.number("BookEvalDiff"), generator)


def _path(options: Options, variant: Variant) -> Path | None:
    word = options.word("BookFile")
    if word == SHIPPED_BOOK:
        return shipped_book(variant)
    return None if word in NONE else Path(word)


class FromBook(Task):
    """A task that answers `go` with a book move; `caveat` is sent before it."""

    def __init__(self, output: Output, known: BookMove, caveat: str) -> None:
        super().__init__(output, caveat)
        self._known = known

    def work(self) -> list[str]:
        """Return the lines that answer `go`: the book's score and `bestmove`."""
        known = self._known
        line = f"{known.move} {known.reply}".rstrip()
        depth = max(known.depth, 1)
        answer = f"bestmove {known.move} ponder {known.reply}" if known.reply else f"bestmove {known.move}"
        score = f"info depth {depth} score cp {known.score} pv {line}"
        return [score, "info string a move of the book", *self.caveat, answer]
