"""What a line of the protocol asks for: pure functions from words to values, and the error for a line that makes none.

Nothing here looks at a board: whether a move is legal is the session's question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kogoma.arena.lines import clip
from kogoma.search.limits import Limits

# Far more than any clock, depth or node count needs, and still exact in every number type on the way.
LARGEST = 10**15

_NUMBER = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)
_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)  # of any length
_MOVE = re.compile(r"([1-9][a-i]|[A-Z]\*)[1-9][a-i]\+?|[0-9]{1,2}:([a-e][1-5][a-e][1-5]|pass)", re.ASCII)

# What `go` understands. GUIs send clocks below zero after an overrun: nothing is left then.
CLOCKS = ("btime", "wtime", "byoyomi", "binc", "winc", "movetime", "movestogo")
_TIMES = CLOCKS[:-1]
_COUNTS = ("movestogo", "depth", "nodes", "dice")
_SWITCHES = ("infinite", "ponder")
_WORDS = {*_TIMES, *_COUNTS, *_SWITCHES, "searchmoves"}
_ENDS = {*_TIMES, "depth", "nodes", "ponder"}  # without any of them a search goes on until `stop`

LISTED = 5  # words that a message names, of those that were passed over


class UsiError(ValueError):
    """A line that can't be obeyed. Its text is sent to the GUI, and nothing has changed."""


class PositionCommand(NamedTuple):
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


class Go(NamedTuple):
    """`go`: what it allows, and the words that mean nothing there, which are passed over."""

    limits: Limits
    passed_over: tuple[str, ...] = ()


def parse_go(words: list[str]) -> Go:
    """The words after `go`, or after a `ponderhit` that brings clocks; a bare `go` thinks until `stop`.

    Whoever says `go` waits for a move, so nothing here is an error: times below zero are zero, and so are those that
    can't be read; other words without sense are passed over, and the last of several numbers counts. `mate` and `perft`
    are not searches: see the loop.
    """
    values: dict[str, Any] = {}
    passed_over: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in _SWITCHES:
            values[word] = True
        elif word in _TIMES or word in _COUNTS:
            text = rest.pop() if rest and rest[-1] not in _WORDS else ""
            value, sensible = _limit(word, text)
            if value is not None:
                values[word] = value
            if not sensible:
                passed_over.append(f"{word} {text}".rstrip())
        elif word == "searchmoves":
            moves: list[str] = []
            while rest and _MOVE.fullmatch(rest[-1]):
                moves.append(rest.pop())
            if moves:
                values[word] = tuple(dict.fromkeys(moves))
            else:
                passed_over.append(word)
        else:
            passed_over.append(word)
    if not passed_over and not _ENDS & set(values):
        values["infinite"] = True
    return Go(Limits(**values), tuple(passed_over))


class GoMate(NamedTuple):
    """`go mate`: what it allows, None for no limit, and the words that mean nothing there, which are passed over."""

    milliseconds: int | None = None
    nodes: int | None = None
    shortest: bool = False
    passed_over: tuple[str, ...] = ()


def parse_go_mate(words: list[str]) -> GoMate:
    """The words after `go mate`: a time in ms or `infinite`, `nodes N` and `shortest`. As in `parse_go` nothing is an
    error; where words are passed over and nothing is left that limits the search, that is the caller's to do."""
    milliseconds, nodes, shortest = None, None, False
    passed_over: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word == "shortest":
            shortest = True
        elif _WHOLE.fullmatch(word):
            milliseconds = min(max(int(word[:20]), 0), LARGEST)
        elif word == "nodes":
            text = rest.pop() if rest else ""
            value, sensible = _limit(word, text)
            nodes = nodes if value is None else value
            if not sensible:
                passed_over.append(f"{word} {text}".rstrip())
        elif word != "infinite":
            passed_over.append(word)
    return GoMate(milliseconds, nodes, shortest, tuple(passed_over))


def _limit(word: str, text: str) -> tuple[int | None, bool]:
    """What the number after one of go's words allows, None for nothing, and whether it makes sense."""
    is_time = word in _TIMES
    if not _WHOLE.fullmatch(text):
        return (0 if is_time else None), False
    value = min(int(text[:20]), LARGEST)
    if is_time:
        return max(value, 0), True
    if word == "movestogo":
        return (value if value > 0 else None), True  # 0 says that there is no such number of moves
    if word == "dice" and not 1 <= value <= 6:
        return None, False
    return max(value, 1), value >= 1


def listed(words: Sequence[str]) -> str:
    """Somebody else's words, the first few of them, for a message."""
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return ", ".join(clip(word, 20) for word in words[:LISTED]) + more


def parse_setoption(words: list[str]) -> tuple[str, str | None]:
    """The words after `setoption`: the option's name, and its value or None if there is no `value` in the line."""
    if words[:1] != ["name"]:
        raise UsiError("setoption needs 'name'")
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:at])
    if not name:
        raise UsiError("setoption: the option's name is missing")
    return name, " ".join(words[at + 1 :]) if at < len(words) else None
