"""The record of one game, and the file of a match's records: its settings, and each game as it ends.
docs/matches.md tells its format."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from kogoma.lab.journals.journal import Journal, first_line, told_as
from kogoma.native.cache.lock import lock

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
        game=_value(entry, "game", int),
        pair=_value(entry, "pair", int),
        variant=_value(entry, "variant", str),
        start=_value(entry, "start", str),
        book=_list(entry, "book", str, []),
        black=_value(entry, "black", str),
        white=_value(entry, "white", str),
        seed=_value(entry, "seed", int, 0),
        moves=_list(entry, "moves", str),
        time_ms=_list(entry, "time_ms", (int, float), []),
        scores=[_score(score) for score in _list(entry, "scores", (list, tuple, type(None)), [])],
        winner=_winner(entry),
        reason=_value(entry, "reason", str),
        fault=_fault(entry.get("fault")),
        clock=_value(entry, "clock", str, ""),
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
    return FaultRecord(
        engine=_value(given, "engine", str),
        kind=_value(given, "kind", str),
        detail=_value(given, "detail", str),
        log=log,
    )


@dataclass
class RecordFile:
    """What a file holds: settings, games (each number once), and how many lines are neither, with what is wrong with
    the first of them."""

    settings: dict[str, Any] = field(default_factory=dict)
    games: list[GameRecord] = field(default_factory=list)
    broken_lines: int = 0
    first_error: str = ""


def read_records(path: str | Path) -> RecordFile:
    """Read a records file. Broken lines, as a killed runner leaves one, are counted and passed over; of two games of
    one number the first counts. RecordError if nothing in the file is a record; OSError."""
    found, numbers = RecordFile(), set[int]()
    with open(path, encoding="utf-8", errors="replace") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = load_line(line)
                if HEAD in entry:
                    found.settings = found.settings or settings_of(entry)
                elif (game := game_record(entry))["game"] not in numbers:
                    numbers.add(game["game"])
                    found.games.append(game)
            except RecordError as error:
                found.broken_lines += 1
                found.first_error = found.first_error or f"line {number}: {error}"
    if found.broken_lines and not found.games and not found.settings:
        raise RecordError(f"{path} holds no records: {found.first_error}")
    return found


def read_head(path: Path) -> dict[str, Any] | None:
    """The settings in a records file; None if there is no file, or no whole line in it. RecordError."""
    with told_as(RecordError, f"read {path}"):
        line = first_line(path)
    return None if line is None else _settings(line, path)


def _settings(line: bytes, path: Path) -> dict[str, Any]:
    try:
        return settings_of(load_line(line))
    except RecordError as error:
        raise RecordError(f"{path} holds no match: line 1: {error}") from None


class RecordWriter:
    """An open file of records, which no other match can write to; a context manager."""

    def __init__(
        self, path: Path, settings: dict[str, Any], resume: bool, on_known: Callable[[GameRecord], None]
    ) -> None:
        """Begin a file, or with `resume` continue one (or begin it, where there is none): `on_known` is called with
        every game in it. RecordError where the file is in the way, in use, or another match's."""
        self.path = path
        self.numbers: set[int] = set()  # of the games in the file
        self._settings = settings
        self._on_known = on_known
        with told_as(RecordError, f"write {path}"):
            self._is_new = not path.exists()
            self._journal = Journal(path)
        try:
            if not lock(self._journal.fileno()):
                raise RecordError(f"{path}: another match is writing to it")
            if not resume and self._journal.size:
                raise RecordError(f"{path} is there already: --resume continues it, another -out leaves it alone")
            if not self._journal.read(self._take):
                self._append({HEAD: 1, "settings": settings})
        except BaseException:
            self._journal.close()
            raise

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *what: object) -> None:
        # A match that could not be begun leaves nothing: it is taken away while nobody else has it.
        is_vain = kind is not None and self._is_new and not self.numbers
        if is_vain and os.name != "nt":
            self.path.unlink(missing_ok=True)
        self._journal.close()
        if is_vain and os.name == "nt":  # which keeps files that are open
            with contextlib.suppress(OSError):
                self.path.unlink()

    def add(self, record: GameRecord) -> bool:
        """Write a game; False, and nothing written, if its number is in the file already. RecordError."""
        if record["game"] in self.numbers:
            return False
        self._append(record)
        self.numbers.add(record["game"])
        return True

    def _append(self, entry: dict[str, Any] | GameRecord) -> None:
        with told_as(RecordError, f"write {self.path}"):
            self._journal.add(entry)

    def _take(self, number: int, line: bytes) -> bool:
        if number == 1:
            self._compare(_settings(line, self.path))
        else:
            self._read(line, number)
        return True

    def _compare(self, found: dict[str, Any]) -> None:
        wanted = json.loads(json.dumps(self._settings))
        names = [name for name in {**wanted, **found} if wanted.get(name) != found.get(name)]
        if names:
            there, here = (json.dumps(each.get(names[0]), ensure_ascii=False) for each in (found, wanted))
            raise RecordError(f"{self.path} was played with other settings: {names[0]} was {there}, and is now {here}")

    def _read(self, line: bytes, number: int) -> None:
        try:
            record = game_record(load_line(line))
        except RecordError as error:
            raise RecordError(f"{self.path}, line {number}: no record of a game: {error}") from None
        if record["game"] not in self.numbers:
            self.numbers.add(record["game"])
            self._on_known(record)
