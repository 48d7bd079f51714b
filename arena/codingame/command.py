"""The engine as a bot of CodinGame's arenas: a turn on standard input, an answer on standard output, in time.

Standard output holds the answers alone. Whatever is amiss, in the input or between the referee and the rules as they
are here, is told on standard error, and play goes on with what is known.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass

from arena.codingame import onitama_turn, shogi_turn
from arena.codingame.turn_reader import TurnReader
from arena.codingame.turns import Arena
from arena.lines import LineReader
from arena.options import parse_options

MARGIN = 20  # ms
HASH_MB = 16  # enough for a tenth of a second, and soon there

MINISHOGI = Arena("minishogi-codingame", 100, shogi_turn.form(False), shogi_turn.read, shogi_turn.to_action)
DICE = Arena("dice-codingame", 100, shogi_turn.form(True), shogi_turn.read, shogi_turn.to_action, dice=True)
ONITAMA = Arena("onitama", 50, onitama_turn.FORM, onitama_turn.read, onitama_turn.to_action, one_start=False)
ARENAS = {"minishogi": MINISHOGI, "dice": DICE, "onitama": ONITAMA}


@dataclass(frozen=True)
class Options:
    """What the command line says. `margin`, in ms, is kept back of every turn's time, for the way to the referee."""

    arena: Arena
    margin: int
    hash_mb: int
    chat: bool


def parse_command(words: Sequence[str]) -> Options:
    """The words after `codingame`; ValueError says what can't be used."""
    plain, found = parse_options(words, {"--margin": (0, 1000), "--hash": (1, 65536)}, ["--chat"])
    if len(plain) != 1 or plain[0] not in ARENAS:
        raise ValueError(f"codingame needs the name of one game: {', '.join(ARENAS)}")
    return Options(ARENAS[plain[0]], found.get("--margin", MARGIN), found.get("--hash", HASH_MB), "--chat" in found)


def run(options: Options) -> None:
    """Play until the end of input."""
    began = time.perf_counter()
    lines = LineReader()
    lines.start()
    from arena.codingame.bot import Bot  # what takes time to import comes after the clock and the reader have started

    bot = Bot(options.arena, options.margin, options.hash_mb, options.chat, complain)
    reader = TurnReader(options.arena.form, lines, complain)
    loaded = time.perf_counter()
    at_terminal = os.isatty(0)  # nobody types as fast as a referee writes

    def patience(first: bool) -> float | None:
        return None if at_terminal else options.arena.time(first) / 2000

    while (raw := reader.read(patience)) is not None:
        # A turn that came while the engine was being loaded may have waited since the start of the program.
        answer = bot.answer(raw, began if raw.at < loaded else raw.at)
        if answer is not None:
            print(answer, flush=True)


def complain(text: str) -> None:
    """Tell the user, in one line."""
    print(f"codingame: {text}", file=sys.stderr, flush=True)
