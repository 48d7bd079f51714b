"""The opening book during play: chosen by options, and probed before each search."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import NO_FILE, SHIPPED_BOOK, Settings
from kogoma.usi_engine.tasks import bestmove

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.book.book import Book, BookMove

NONE = ("", NO_FILE, "no_book")  # values that mean "no book" in GUIs and YaneuraOu


class OpeningBook:
    """The book that the options select, if any."""

    def __init__(self, output: Output, settings: Settings) -> None:
        self._output, self._settings = output, settings
        self._path: Path | None = None
        self._book: Book | None = None

    def load(self, variant: Variant) -> None:
        """Read the book that the options select, unless it is loaded already. If it cannot be read, report this once
        and play without a book."""
        from kogoma.search.book.book import BookError
        from kogoma.search.book.book_file import read_book, shipped_book

        word, path = self._settings["BookFile"], None
        if self._settings["USI_OwnBook"] and word not in NONE:
            path = shipped_book(variant) if word == SHIPPED_BOOK else Path(word)
        if path == self._path:
            return
        self._path, self._book = path, None
        if path is None:
            return
        try:
            self._book = read_book(path)
        except BookError as error:
            self._output.error(f"BookFile: {error}; played without a book")
            return
        for warning in self._book.warnings:
            self._output.note(f"BookFile: {warning}")

    def move(self, position: BasePosition, limits: Limits, generator: Random) -> BookMove | None:
        """Return the book's answer to a `go`, or None if the position must be searched. Analysis, pondering,
        `searchmoves` and die rolls always need a search."""
        from kogoma.search.book.book import choose

        if not self._book or limits.infinite or limits.ponder or limits.searchmoves or limits.dice is not None:
            return None
        if position.ply >= self._settings["BookMoves"]:
            return None
        return choose(self._book, position, self._settings["BookEvalDiff"], generator)

    def answer(self, known: BookMove, caveat: str) -> None:
        """Answer a `go` with a move of the book and, if it is known, its score. `caveat` is a note to send before the
        move, or ""."""
        line = f"{known.move} {known.reply}".rstrip()
        score = "" if known.score is None else f"score cp {known.score} "
        with self._output.lock:
            self._output.line(f"info depth {max(known.depth or 0, 1)} {score}pv {line}")
            self._output.note("a move of the book")
            self._output.block([bestmove(known.move, known.reply)], caveat)
