"""The main loop of a bot: read turns from standard input and print its answers."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from kogoma.arena.codingame.time_margin import process_start
from kogoma.arena.codingame.turn_reader import Arena, RawTurn, TurnReader
from kogoma.console.lines import LineReader
from kogoma.console.streams import say, tell


class Player(Protocol):
    """A player of an arena's games."""

    def answer(self, raw: RawTurn, since: float) -> str | None:
        """Return the answer to a turn whose clock started at `since` (time.perf_counter), or None if there is none."""


P = TypeVar("P", bound=Player)


def play_turns(arena: Arena, create_player: Callable[[], P]) -> P:
    """Play until the end of input and return the player, which `create_player` makes. This may be slow: the clock and
    the reader start before it."""
    began = process_start()
    lines = LineReader()
    lines.start()
    player = create_player()
    reader = TurnReader(arena.form, lines, complain)
    loaded = time.perf_counter()
    at_terminal = os.isatty(0)  # no time limit for a person who types the lines

    def patience(first: bool) -> float | None:
        return None if at_terminal else arena.time(first) / 2000

    while (raw := reader.read(patience)) is not None:
        # A turn that arrived while the engine was loading may have waited since the start of the process.
        answer = player.answer(raw, began if raw.at < loaded else raw.at)
        if answer is not None:
            say(answer)
    return player


def complain(text: str) -> None:
    """Report a problem to the user in one line."""
    tell(f"codingame: {text}")
