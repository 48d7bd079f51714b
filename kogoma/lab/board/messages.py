"""What a page may say to the server over its socket: one JSON object a message, checked field by field.

    {"do": "open", "engine": NAME, "variant": NAME, "threads": N, "hashMb": N}    first, and once; the last two may lack
    {"do": "search", "id": N, "start": SFEN or "", "moves": [USI, ...], "limits": {...}, "options": {...}}
    {"do": "stop"}, {"do": "newGame"}

Limits are those of search/limits.py, options those of OPTIONS. Nothing else is accepted.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from kogoma.lab.engines.usi import MOVE
from kogoma.rules.variants import VARIANTS, Variant
from kogoma.search.limits import Limits

MOST_BYTES = 1 << 16  # of a message
MOST_MOVES = 4000
LONGEST_SFEN = 300
MOST = 10**12  # ms, nodes, ids
MOST_LINES = 600

NUMBERS = tuple(field.name for field in fields(Limits) if field.name not in ("infinite", "ponder", "searchmoves"))
LEAST = {"depth": 1, "nodes": 1, "movestogo": 1, "dice": 1}
LARGEST = {"depth": 1000, "dice": 6}

# What the page calls an option, what engines call it, and its bounds.
OPTIONS = {
    "multipv": ("MultiPV", 1, MOST_LINES),
    "drawValueBlack": ("DrawValueBlack", -30000, 30000),
    "drawValueWhite": ("DrawValueWhite", -30000, 30000),
    "maxMovesToDraw": ("MaxMovesToDraw", 0, 100000),
}


class MessageError(ValueError):
    """A message that no page of ours sends; one line."""


@dataclass(frozen=True)
class Open:
    """Be the engine of that name, in a game; `threads` and `hash_mb` are 0 where the page leaves them to the server."""

    engine: str
    variant: Variant
    threads: int = 0
    hash_mb: int = 0


@dataclass(frozen=True)
class Search:
    """Search the position after these moves, which may still be illegal; `start` is "" for the game's own start.
    `options` by the names that engines have."""

    id: int
    start: str
    moves: tuple[str, ...]
    limits: Limits
    options: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Stop:
    """End the search under way."""


@dataclass(frozen=True)
class NewGame:
    """Forget earlier games."""


def parse(text: str, engines: Sequence[str]) -> Open | Search | Stop | NewGame:
    """Read a message; `engines` are the names that may be opened. MessageError."""
    try:
        given = json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("no JSON") from None
    if not isinstance(given, dict):
        raise MessageError("no JSON object")
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
    raise MessageError("no such message")


def _search(given: Mapping[str, Any]) -> Search:
    _only(given, ("do", "id", "start", "moves", "limits", "options"))
    start = given.get("start")
    if not isinstance(start, str) or len(start) > LONGEST_SFEN or not (start.isascii() and start.isprintable()):
        raise MessageError("'start' is no SFEN")
    options = _object(given, "options")
    _only(options, OPTIONS)
    set_up = tuple((OPTIONS[name][0], _number(options, name, *OPTIONS[name][1:])) for name in options)
    return Search(_number(given, "id", 0, MOST), start, _moves(given, "moves"), _limits(given), set_up)


def _limits(given: Mapping[str, Any]) -> Limits:
    limits = _object(given, "limits")
    _only(limits, (*NUMBERS, "infinite", "searchmoves"))
    infinite = limits.get("infinite", False)
    if not isinstance(infinite, bool):
        raise MessageError("'infinite' must be true or false")
    numbers: dict[str, Any] = {
        name: _number(limits, name, LEAST.get(name, 0), LARGEST.get(name, MOST))
        for name in NUMBERS
        if limits.get(name) is not None
    }
    return Limits(**numbers, infinite=infinite, searchmoves=_moves(limits, "searchmoves"))


def _moves(given: Mapping[str, Any], name: str) -> tuple[str, ...]:
    moves = given.get(name, [])
    if not isinstance(moves, list) or len(moves) > MOST_MOVES:
        raise MessageError(f"{name!r} must be a list of at most {MOST_MOVES} moves")
    if not all(isinstance(move, str) and MOVE.fullmatch(move) for move in moves):
        raise MessageError(f"{name!r} holds what is no move")
    return tuple(moves)


def _object(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise MessageError(f"{name!r} must be an object")
    return value


def _only(given: Mapping[str, Any], names: Sequence[str] | Mapping[str, Any]) -> None:
    if unknown := [name for name in given if name not in names]:
        raise MessageError(f"unknown field {unknown[0][:40]!r}")


def _one_of(given: Mapping[str, Any], name: str, values: Sequence[str] | Mapping[str, Any]) -> str:
    value = given.get(name)
    if not isinstance(value, str) or value not in values:
        raise MessageError(f"{name!r} names none that there is")
    return value


def _number(given: Mapping[str, Any], name: str, least: int, most: int, default: int | None = None) -> int:
    value = given.get(name, default)
    if not isinstance(value, int) or isinstance(value, bool):
        raise MessageError(f"{name!r} must be a whole number")
    if name in given and not least <= value <= most:
        raise MessageError(f"{name!r} must be from {least} to {most}")
    return value
