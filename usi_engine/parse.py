"""What a line of the protocol asks for: pure functions from words to values, and the error for a line that makes none.

Nothing here looks at a board: whether a move is legal is the session's question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from arena.lines import clip
from search.limits import Limits

# Far more than any clock, depth or node count needs, and still exact in every number type on the way.
LARGEST = 10**15

_NUMBER = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)
_MOVE = re.compile(r"([1-9][a-i]|[A-Z]\*)[1-9][a-i]\+?|[0-9]{1,2}:([a-e][1-5][a-e][1-5]|pass)", re.ASCII)

# What `go` understands, with the smallest and the largest number that make sense after it.
_NUMBERS = {
    "btime": (0, LARGEST),
    "wtime": (0, LARGEST),
    "byoyomi": (0, LARGEST),
    "binc": (0, LARGEST),
    "winc": (0, LARGEST),
    "movestogo": (1, LARGEST),
    "movetime": (0, LARGEST),
    "depth": (1, LARGEST),
    "nodes": (1, LARGEST),
    "dice": (1, 6),
}
_SWITCHES = ("infinite", "ponder")


class UsiError(ValueError):
    """A line that can't be obeyed. Its text is sent to the GUI, and nothing has changed."""


@dataclass(frozen=True)
class PositionCommand:
    """`position`: an SFEN, or None for the start position, and the moves played from there."""

    sfen: str | None
    moves: tuple[str, ...]


def number(text: str, name: str, least: int, most: int = LARGEST) -> int:
    """The whole number in `text`; UsiError, naming it, if it is none or lies outside least..most."""
    if not _NUMBER.fullmatch(text):
        raise UsiError(f"{name} needs a whole number, not {clip(text)}")
    value = int(text)
    if not least <= value <= most:
        limit = f"at least {least}" if value < least else f"at most {most}"
        raise UsiError(f"{name} must be {limit}, not {clip(text)}")
    return value


def parse_position(words: list[str]) -> PositionCommand:
    """The words after `position`.

    `moves` with nothing after it is an empty list: that is how xboard's adapter begins every game.
    """
    if not words:
        raise UsiError("position needs 'startpos' or 'sfen'")
    at = words.index("moves") if "moves" in words else len(words)
    head, moves = words[:at], tuple(words[at + 1 :])
    if head[:1] == ["startpos"]:
        if len(head) > 1:
            raise UsiError(f"expected 'moves' after 'position startpos', not {clip(head[1])}")
        return PositionCommand(None, moves)
    if head[:1] == ["sfen"]:
        if len(head) == 1:
            raise UsiError("position sfen: the SFEN is missing")
        return PositionCommand(" ".join(head[1:]), moves)
    raise UsiError(f"expected 'startpos' or 'sfen' after 'position', not {clip(words[0])}")


def parse_go(words: list[str]) -> Limits:
    """The words after `go`; a bare `go` thinks until `stop`. `mate` and `perft` are not searches: see the loop."""
    values: dict[str, Any] = {}
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in values:
            raise UsiError(f"go: {word} is given twice")
        if word in _SWITCHES:
            values[word] = True
        elif word in _NUMBERS:
            if not rest:
                raise UsiError(f"go: the number after {word} is missing")
            values[word] = number(rest.pop(), f"go: {word}", *_NUMBERS[word])
        elif word == "searchmoves":
            moves: list[str] = []
            while rest and _MOVE.fullmatch(rest[-1]):
                moves.append(rest.pop())
            if not moves:
                raise UsiError("go: no move after searchmoves")
            values[word] = tuple(dict.fromkeys(moves))
        else:
            raise UsiError(f"go: cannot read {clip(word)}")
    if not {"btime", "wtime", "byoyomi", "binc", "winc", "movetime", "depth", "nodes", "ponder"} & set(values):
        values["infinite"] = True
    return Limits(**values)


def parse_setoption(words: list[str]) -> tuple[str, str | None]:
    """The words after `setoption`: the option's name, and its value or None if there is no `value` in the line."""
    if words[:1] != ["name"]:
        raise UsiError("setoption needs 'name'")
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:at])
    if not name:
        raise UsiError("setoption: the option's name is missing")
    return name, " ".join(words[at + 1 :]) if at < len(words) else None
