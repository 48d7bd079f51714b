"""The record of one game, and how a line of a records file becomes one. docs/matches.md tells the file's format."""

from __future__ import annotations

import json
from typing import Any, NamedTuple, NotRequired, TypedDict

HEAD = "kogoma_match"  # the first line's field that tells the format's version


class RecordError(ValueError):
    """A line that is no record, or a file of records that can't be read or written; the text is one line."""


class Score(NamedTuple):
    """What an engine thought of its move: `kind` is "cp" or "mate", `value` centipawns or plies, positive where the
    mover is better; 0 for a depth or nodes that it did not tell. A list in JSON."""

    kind: str
    value: int
    depth: int
    nodes: int


class FaultRecord(TypedDict):
    """Why an engine lost without being beaten: its name, one of `lab.engines.faults.KINDS`, one line, and the last
    lines of the conversation."""

    engine: str
    kind: str
    detail: str
    log: list[str]


class GameRecord(TypedDict):
    """One game, with the fields of a line of the file in their order.

    `game` is its number from 0, shared `pair` that of the pair. `moves` are played after the `book` moves from `start`
    (an SFEN); `time_ms`, `scores` and the throws `dice` (dice games only) have one entry for each of `moves`. `winner`
    is 0 for Black, 1 for White, None for a draw.
    """

    game: int
    pair: int
    variant: str
    start: str
    book: list[str]
    black: str
    white: str
    seed: int
    dice: NotRequired[list[int]]
    moves: list[str]
    time_ms: list[float]
    scores: list[Score | None]
    winner: int | None
    reason: str
    fault: FaultRecord | None
    clock: str
    seconds: float


def load_line(line: str | bytes) -> dict[str, Any]:
    """The JSON object in a line: the head, with the field HEAD, or a game. RecordError."""
    try:
        entry = json.loads(line)
    except ValueError:
        raise RecordError("not JSON, or cut off") from None
    if not isinstance(entry, dict):
        raise RecordError("not a JSON object")
    return entry


def settings_of(head: dict[str, Any]) -> dict[str, Any]:
    """The match's settings in the file's head. RecordError."""
    settings = head.get("settings")
    if HEAD not in head or not isinstance(settings, dict):
        raise RecordError("no settings of a match")
    return settings


def game_record(entry: dict[str, Any]) -> GameRecord:
    """A game as `load_line` has read it; fields that a game can do without may be missing. RecordError says which field
    is wrong."""
    record = GameRecord(
        game=_integer(entry, "game"),
        pair=_integer(entry, "pair"),
        variant=_text(entry, "variant"),
        start=_text(entry, "start"),
        book=_list(entry, "book", str, []),
        black=_text(entry, "black"),
        white=_text(entry, "white"),
        seed=_integer(entry, "seed", 0),
        moves=_list(entry, "moves", str),
        time_ms=_list(entry, "time_ms", (int, float), []),
        scores=[_score(score) for score in _list(entry, "scores", (list, tuple, type(None)), [])],
        winner=_winner(entry),
        reason=_text(entry, "reason"),
        fault=_fault(entry.get("fault")),
        clock=_text(entry, "clock", ""),
        seconds=_value(entry, "seconds", (int, float), 0.0),
    )
    if "dice" in entry:
        record["dice"] = _list(entry, "dice", int)
    return record


_NEEDED = object()  # the default of a field that has none


def _value(entry: dict[str, Any], name: str, kind: type | tuple[type, ...], default: Any = _NEEDED) -> Any:
    value = entry.get(name, default)
    if value is _NEEDED:
        raise RecordError(f"no field {name!r}")
    if not isinstance(value, kind) or isinstance(value, bool):
        raise RecordError(f"{name!r} cannot be {value!r:.40}")
    return value


def _integer(entry: dict[str, Any], name: str, default: Any = _NEEDED) -> int:
    number: int = _value(entry, name, int, default)
    return number


def _text(entry: dict[str, Any], name: str, default: Any = _NEEDED) -> str:
    text: str = _value(entry, name, str, default)
    return text


def _list(entry: dict[str, Any], name: str, kind: type | tuple[type, ...], default: Any = _NEEDED) -> list[Any]:
    values: list[Any] = _value(entry, name, list, default)
    if wrong := [value for value in values if not isinstance(value, kind)]:
        raise RecordError(f"{name!r} cannot hold {wrong[0]!r:.40}")
    return values


def _winner(entry: dict[str, Any]) -> int | None:
    winner: int | None = _value(entry, "winner", (int, type(None)))
    if winner not in (0, 1, None):
        raise RecordError(f"'winner' cannot be {winner}")
    return winner


def _score(given: list[Any] | None) -> Score | None:
    if given is None:
        return None
    if len(given) != 4 or not isinstance(given[0], str) or not isinstance(given[1], int):
        raise RecordError(f"'scores' cannot hold {given!r:.40}")
    kind, value, depth, nodes = given
    return Score(kind, value, depth or 0, nodes or 0)


def _fault(given: Any) -> FaultRecord | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise RecordError(f"'fault' cannot be {given!r:.40}")
    log = _list(given, "log", str, [])
    return FaultRecord(engine=_text(given, "engine"), kind=_text(given, "kind"), detail=_text(given, "detail"), log=log)
