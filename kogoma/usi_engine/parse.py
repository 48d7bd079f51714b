"""Parse lines of the USI protocol: pure functions from tokens to values.

Nothing here knows the position: whether moves are legal is checked later.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kogoma.console.lines import clip
from kogoma.rules.move_text import read_move
from kogoma.search.limits import Limits

# More than any clock, depth or node count needs, and exact in every number type.
LARGEST = 10**15

_WHOLE = re.compile(r"[+-]?[0-9]+", re.ASCII)  # of any length

# Arguments of `go`. GUIs send negative clocks after an overrun.
CLOCKS = ("btime", "wtime", "byoyomi", "binc", "winc", "movetime", "movestogo")
_TIMES = CLOCKS[:-1]
_COUNTS = ("movestogo", "depth", "nodes", "dice")
_SWITCHES = ("infinite", "ponder")
_WORDS = {*_TIMES, *_COUNTS, *_SWITCHES, "searchmoves"}
_ENDS = {*_TIMES, "depth", "nodes", "ponder"}  # without one of these a search runs until `stop`

LISTED = 5  # maximum number of ignored tokens that a message names


class UsiError(ValueError):
    """A line that cannot be executed. The message is sent to the GUI, and the state is unchanged."""


class PositionCommand(NamedTuple):
    """A `position` command: an SFEN, or None for the start position, and the moves after it."""

    sfen: str | None
    moves: tuple[str, ...]


def parse_position(words: list[str]) -> PositionCommand:
    """Parse the tokens after `position`. The token `moves` may be the last one, because xboard's adapter begins every
    game like this. Raises UsiError if the tokens are invalid."""
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


def parse_go(words: list[str]) -> tuple[Limits, tuple[str, ...]]:
    """Parse the tokens after `go`, or after a `ponderhit` with clocks, and return the limits and the tokens that were
    ignored. A bare `go` searches until `stop`. The GUI waits for a move, so nothing raises an error: negative or
    unreadable times are zero, unknown tokens are ignored, and if a limit is repeated, the last one counts. `go mate`
    and `go perft` are parsed elsewhere."""
    values: dict[str, Any] = {}
    ignored: list[str] = []
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
                ignored.append(f"{word} {text}".rstrip())
        elif word == "searchmoves":
            moves: list[str] = []
            while rest and (move := read_move(rest[-1])) is not None:
                moves.append(move)
                rest.pop()
            if moves:
                values[word] = tuple(dict.fromkeys(moves))
            else:
                ignored.append(word)
        else:
            ignored.append(word)
    if not ignored and not _ENDS & set(values):
        values["infinite"] = True
    return Limits(**values), tuple(ignored)


class GoMate(NamedTuple):
    """A `go mate` command: its limits, None for none, and the tokens that were ignored."""

    milliseconds: int | None = None
    nodes: int | None = None
    shortest: bool = False
    ignored: tuple[str, ...] = ()


def parse_go_mate(words: list[str]) -> GoMate:
    """Parse the tokens after `go mate`: a time in ms or `infinite`, `nodes N` and `shortest`. As in `parse_go`, nothing
    raises an error: invalid tokens are ignored, and the result lists them."""
    milliseconds, nodes, shortest = None, None, False
    ignored: list[str] = []
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
                ignored.append(f"{word} {text}".rstrip())
        elif word != "infinite":
            ignored.append(word)
    return GoMate(milliseconds, nodes, shortest, tuple(ignored))


def _limit(word: str, text: str) -> tuple[int | None, bool]:
    """Return the limit that `text` sets for the token `word` (None: no limit), and whether `text` is valid."""
    is_time = word in _TIMES
    if not _WHOLE.fullmatch(text):
        return (0 if is_time else None), False
    value = min(int(text[:20]), LARGEST)
    if is_time:
        return max(value, 0), True
    if word == "movestogo":
        return (value if value > 0 else None), True  # 0 means no limit
    if word == "dice" and not 1 <= value <= 6:
        return None, False
    return max(value, 1), value >= 1


def listed(words: Sequence[str]) -> str:
    """Return tokens as text for a message: the first LISTED of them, and how many more there are."""
    more = f" and {len(words) - LISTED} more" if len(words) > LISTED else ""
    return ", ".join(clip(word, 20) for word in words[:LISTED]) + more


def parse_setoption(words: list[str]) -> tuple[str, str | None]:
    """Return (name, value) of the option in the tokens after `setoption`. The value is None if the token `value` is
    missing. Raises UsiError if there is no name."""
    if words[:1] != ["name"]:
        raise UsiError("setoption needs 'name'")
    at = words.index("value") if "value" in words else len(words)
    name = " ".join(words[1:at])
    if not name:
        raise UsiError("setoption: the option's name is missing")
    return name, " ".join(words[at + 1 :]) if at < len(words) else None
