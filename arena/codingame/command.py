"""The engine as a bot of CodinGame's arenas: a turn on standard input, an answer on standard output, in time.

Standard output holds the answers alone. Whatever is amiss, in the input or between the referee and the rules as they
are here, is told on standard error, and play goes on with what is known.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from arena.arguments import whole_number
from arena.codingame import onitama_turn, shogi_turn
from arena.codingame.turn_reader import TurnReader
from arena.codingame.turns import Arena
from arena.lines import LineReader

MARGIN = 20  # ms
HASH_MB = 16  # enough for a tenth of a second, and quick to allocate

ARENAS = {
    "minishogi": Arena("minishogi-codingame", 100, shogi_turn.form(False), shogi_turn.read, shogi_turn.to_action),
    "dice": Arena("dice-codingame", 100, shogi_turn.form(True), shogi_turn.read, shogi_turn.to_action, dice=True),
    "onitama": Arena("onitama", 50, onitama_turn.FORM, onitama_turn.read, onitama_turn.to_action, one_start=False),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: a game, and options."""
    parser.add_argument("game", choices=list(ARENAS), metavar="|".join(ARENAS), help="the arena's game")
    parser.add_argument(
        "--margin",
        type=whole_number(0, 1000),
        default=MARGIN,
        metavar="MS",
        help="ms kept back of every turn's time, for the way to the referee (%(default)s)",
    )
    parser.add_argument(
        "--hash",
        type=whole_number(1, 65536),
        default=HASH_MB,
        metavar="MB",
        help="size of the transposition table (%(default)s)",
    )
    parser.add_argument("--chat", action="store_true", help="tell depth and score with each action")


def run(given: argparse.Namespace) -> None:
    """Play until the end of input."""
    began = time.perf_counter()
    lines = LineReader()
    lines.start()
    from arena.codingame.bot import Bot  # what takes time to import comes after the clock and the reader have started

    arena = ARENAS[given.game]
    bot = Bot(arena, given.margin, given.hash, given.chat, complain)
    reader = TurnReader(arena.form, lines, complain)
    loaded = time.perf_counter()
    at_terminal = os.isatty(0)  # a person who types the lines is given any time

    def patience(first: bool) -> float | None:
        return None if at_terminal else arena.time(first) / 2000

    while (raw := reader.read(patience)) is not None:
        # A turn that came while the engine was being loaded may have waited since the start of the program.
        answer = bot.answer(raw, began if raw.at < loaded else raw.at)
        if answer is not None:
            print(answer, flush=True)


def complain(text: str) -> None:
    """Tell the user, in one line."""
    print(f"codingame: {text}", file=sys.stderr, flush=True)
