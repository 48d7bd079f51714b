"""The settings of an arena's bot, from the command line or from an exported file, which contains them."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN = 20  # ms
HASH_MB = 16  # enough for searches of 100 ms, and quick to allocate


@dataclass(frozen=True)
class Settings:
    """`margin` is the time margin in ms, `hash_mb` the size of the transposition table in MB. With `chat`, answers
    include depth and score. `book` is an opening book as bytes (`arena.codingame.book`)."""

    margin: int = MARGIN
    hash_mb: int = HASH_MB
    chat: bool = False
    book: bytes = b""


STANDARD = Settings()
