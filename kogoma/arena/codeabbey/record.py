"""Games on standard input in CodeAbbey's notation: a set-up, then one move per line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar

from kogoma.arena.codeabbey.notation import CLOSING, to_sfen, to_usi
from kogoma.console.lines import clip

NO_MOVE = "the game is over: there is no move to find"


class InputError(Exception):
    """Standard input is not valid; the message names the line."""


class Game(Protocol):
    """A position and the game that led to it."""

    def legal_moves(self) -> list[str]:
        """Return the legal moves in USI notation."""

    def push(self, usi: str) -> None:
        """Play a move."""


G = TypeVar("G", bound=Game)


def input_lines() -> Iterable[str]:
    """Return the lines of standard input."""
    return (line.decode(errors="replace") for line in sys.stdin.buffer)


def follow(lines: Iterable[str], start: Callable[[str], G], after: Callable[[G], None], closed: bool) -> G:
    """Play the moves in `lines` and return the last position. The first line is the set-up, which `start` converts from
    SFEN to a position, or raises ValueError. A line `0 0 0 0` ends the moves. This line is required if `closed` is
    true. `after` is called with the position after every move. Raises InputError if a line is not valid."""
    game: G | None = None
    number = 0
    for number, line in enumerate(lines, 1):
        words = " ".join(line.split())
        if not words:
            continue
        try:
            if game is None:
                game = start(to_sfen(words))
                continue
            if words == CLOSING:
                return game
            legal = game.legal_moves()
            if not legal:
                raise ValueError("the game is over")
            game.push(to_usi(words, legal))
        except ValueError as error:
            raise InputError(f"line {number}: {clip(words)}: {error}") from None
        after(game)
    if game is None:
        raise InputError(f"line {number + 1}: the set-up is missing")
    if closed:
        raise InputError(f"line {number + 1}: the input ends without the line '{CLOSING}'")
    return game
