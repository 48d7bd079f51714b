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
        word, path = options.word("BookFile"), None
        if options.flag("USI_OwnBook") and word not in NONE:
            path = shipped_book(variant) if word == SHIPPED_BOOK else Path(word)
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

    def answer(self, known: BookMove, caveat: str) -> None:
        """Answer a `go` with a move of the book and its score. `caveat` is a note to send before the move, or ""."""
        line = f"{known.move} {known.reply}".rstrip()
        with self._output.lock:
            self._output.line(f"info depth {max(known.depth, 1)} score cp {known.score} pv {line}")
            self._output.note("a move of the book")
            if caveat:
                self._output.note(caveat)
            self._output.line(
                f"bestmove {known.move} ponder {known.reply}" if known.reply else f"bestmove {known.move}"
            )
