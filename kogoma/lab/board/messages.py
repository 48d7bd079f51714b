"""Messages from a page to the server: each is a JSON object, whose fields are all checked.

    {"do": "open", "engine": NAME, "variant": NAME, "threads": N, "hashMb": N}
    {"do": "search", "id": N, "start": SFEN or "", "moves": [USI, ...], "limits": {...}, "options": {...}}
    {"do": "stop"}
    {"do": "newGame"}

The first message is "open", which is sent only once; its fields "threads" and "hashMb" are optional. The limits are
those of search/limits.py, the options are in OPTIONS. All other messages and fields are refused.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kogoma.rules.move_text import read_move
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.limits import Limits

MAX_BYTES = 1 << 16  # of a message
MAX_MOVES = 4000
MAX_SFEN = 300
MAX_NUMBER = 10**12  # ms, nodes, ids
MAX_LINES = 600

NUMBERS = tuple(field.name for field in fields(Limits) if field.name not in ("infinite", "ponder", "searchmoves"))
MINIMUM = {"depth": 1, "nodes": 1, "movestogo": 1, "dice": 1}
MAXIMUM = {"depth": 1000, "dice": 6}

# Name of an option in messages: its USI name, minimum and maximum.
OPTIONS = {
    "multipv": ("MultiPV", 1, MAX_LINES),
    "drawValueBlack": ("DrawValueBlack", -30000, 30000),
    "drawValueWhite": ("DrawValueWhite", -30000, 30000),
    "maxMovesToDraw": ("MaxMovesToDraw", 0, 100000),
}


class MessageError(ValueError):
    """An invalid message; the text is one line."""


@dataclass(frozen=True)
class Open:
    """Start an engine for a variant. With `threads` or `hash_mb` 0 the server chooses."""

    engine: str
    variant: Variant
    threads: int = 0
    hash_mb: int = 0


@dataclass(frozen=True)
class Search:
    """Search the position after `moves`, which are not checked yet. `start` is an SFEN, or "" for the variant's start
    position; `options` have USI names."""

    id: int
    start: str
    moves: tuple[str, ...]
    limits: Limits
    options: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Stop:
    """Stop the running search."""


@dataclass(frozen=True)
class NewGame:
    """Tell the engine that a new game starts."""


def parse(text: str, engines: Sequence[str]) -> Open | Search | Stop | NewGame:
    """Return the request in a page's message, which is JSON. `engines` are the names of the available engines. Raises
    MessageError if the message is invalid."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("the message is not JSON") from None
    if not isinstance(given, dict):
        raise MessageError("the message is not a JSON object")
    match given.get("do"):
        case "open":
            _only(given, ("do", "engine", "variant", "threads", "hashMb"))
            variant = _one_of(given, "variant", VARIANTS)
            threads, hash_mb = (_number(given, name, 1, 1 << 20, 0) for name in ("threads", "hashMb"))
            return Open(_one_of(given, "engine", engines), VARIANTS[variant], threads, hash_mb)
        case "search":
            return _search(given)
        case "stop":
            _only(given, ("do",))
            return Stop()
        case "newGame":
            _only(given, ("do",))
            return NewGame()
    raise MessageError("the field 'do' has an unknown value")


def _search(given: Mapping[str, Any]) -> Search:
    _only(given, ("do", "id", "start", "moves", "limits", "options"))
    start = given.get("start")
    if not isinstance(start, str) or len(start) > MAX_SFEN or not (start.isascii() and start.isprintable()):
        raise MessageError("the field 'start' is not an SFEN")
    options = _object(given, "options")
    _only(options, OPTIONS)
    set_up = tuple((OPTIONS[name][0], _number(options, name, *OPTIONS[name][1:])) for name in options)
    return Search(_number(given, "id", 0, MAX_NUMBER), start, _moves(given, "moves"), _limits(given), set_up)


def _limits(given: Mapping[str, Any]) -> Limits:
    limits = _object(given, "limits")
    _only(limits, (*NUMBERS, "infinite", "searchmoves"))
    infinite = limits.get("infinite", False)
    if not isinstance(infinite, bool):
        raise MessageError("the field 'infinite' must be true or false")
    numbers: dict[str, Any] = {
        name: _number(limits, name, MINIMUM.get(name, 0), MAXIMUM.get(name, MAX_NUMBER))
        for name in NUMBERS
        if limits.get(name) is not None
    }
    return Limits(**numbers, infinite=infinite, searchmoves=_moves(limits, "searchmoves"))


def _moves(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    moves = given.get(name, [])
    if not isinstance(moves, list) or len(moves) > MAX_MOVES:
        raise MessageError(f"the field {name!r} must be a list of at most {MAX_MOVES} moves")
    read = [read_move(move) if isinstance(move, str) else None for move in moves]
    if None in read:
        raise MessageError(f"the field {name!r} has an invalid move")
    return tuple(move for move in read if move is not None)


def _object(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise MessageError(f"the field {name!r} must be an object")
    return value


def _only(given: Mapping[str, Any], names: Sequence[str] | Mapping[str, Any]) -> None:
    if unknown := [name for name in given if name not in names]:
        raise MessageError(f"unknown field {unknown[0][:40]!r}")


def _one_of(given: Mapping[str, Any], name: str, values: Sequence[str] | Mapping[str, Any]) -> str:
    value = given.get(name)
    if not isinstance(value, str) or value not in values:
        raise MessageError(f"the field {name!r} has an unknown value")
    return value


def _number(given: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise MessageError(f"the field {name!r} must be a whole number")
    if name in given and not least <= value <= most:
        raise MessageError(f"the field {name!r} must be from {least} to {most}")
    return value
