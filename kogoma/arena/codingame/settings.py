"""The settings of a bot for an arena. They come from the command line; an exported file contains its settings."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from kogoma.console.arguments import whole_number

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


def add_settings(parser: argparse._ActionsContainer, defaults: Settings = STANDARD) -> None:
    """Add the arguments for all settings except the book."""
    parser.add_argument(
        "--margin",
        type=whole_number(0, 1000),
        default=defaults.margin,
        metavar="MS",
        help="ms of every turn's time that are reserved for the transfer to the referee (%(default)s)",
    )
    parser.add_argument(
        "--hash",
        type=whole_number(1, 65536),
        default=defaults.hash_mb,
        metavar="MB",
        help="size of the transposition table (%(default)s)",
    )
    parser.add_argument(
        "--chat", action="store_true", default=defaults.chat, help="send depth and score with each action"
    )
