"""The settings of a bot for an arena. They come from the command line; an exported file contains its settings."""

from __future__ import annotations

from dataclasses import dataclass

MARGIN = 20  # ms
HASH_MB = 16  # enough for searches of 100 ms, and quick to allocate


@dataclass(frozen=True)
class Settings:
    """The settings of a bot. `margin` is the time margin in ms, and `hash_mb` is the size of the transposition table in
    MB. With `chat`, each answer includes the depth and score of the search. `book` is an opening book in the format of
    `arena.codingame.book`; it is empty if the bot has none."""

    margin: int = MARGIN
    hash_mb: int = HASH_MB
    chat: bool = False
    book: bytes = b""


STANDARD = Settings()
