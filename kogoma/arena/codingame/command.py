"""`codingame`: a bot that reads the turns of a CodinGame arena from standard input and prints its actions.

Standard output gets nothing but the answers. Errors in the input, and differences between the referee's legal moves
and the engine's, are reported on standard error, and the game continues.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.book import NO_BOOK, SHIPPED, load_book
from kogoma.arena.codingame.settings import STANDARD, Settings, add_settings
from kogoma.arena.codingame.turn_loop import complain, play_turns
from kogoma.arena.codingame.turn_reader import Arena
from kogoma.console.windows import load_before_reading
from kogoma.rules.variants import find

if TYPE_CHECKING:
    from kogoma.arena.codingame.bot import Bot
    from kogoma.arena.codingame.standby import Standby


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("game", choices=list(ARENAS), metavar="|".join(ARENAS), help="the arena's game")
    add_all_settings(parser, f"the default is {NO_BOOK!r}")


def add_all_settings(parser: argparse._ActionsContainer, default_book: str) -> None:
    """Add the arguments that `given_settings` reads. `default_book` describes the default of --book."""
    add_settings(parser)
    parser.add_argument(
        "--book",
        metavar="FILE",
        help=f"opening book; {SHIPPED!r} is the one that comes with the engine, {NO_BOOK!r} is none; {default_book}",
    )


def given_settings(given: argparse.Namespace, arena: Arena) -> Settings:
    """Return the settings of a command line. Raises BookError if the book cannot be used."""
    book = b"" if given.book in (None, NO_BOOK) else load_book(given.book, find(arena.variant))
    return Settings(given.margin, given.hash, given.chat, book)


def run(given: argparse.Namespace) -> int:
    """Run the command and return the exit status: 0, or 1 if the engine cannot be compiled. Raises BookError if the
    book cannot be used."""
    load_before_reading()
    arena = ARENAS[given.game]
    bot = play(arena, given_settings(given, arena))
    from kogoma.arena.codingame.standby import Standby

    return bot.leave() if isinstance(bot, Standby) else 0


def play(arena: Arena, settings: Settings = STANDARD) -> Bot | Standby:
    """Play until the end of input and return the player: a Bot, or a Standby if the engine was not compiled at the
    start."""

    def player() -> Bot | Standby:
        from kogoma.arena.codingame.standby import create_player

        return create_player(arena, settings, complain)

    return play_turns(arena, player)
