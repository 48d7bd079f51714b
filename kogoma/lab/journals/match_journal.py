"""The match journal: a match's settings in the first line, then a line per finished game. docs/matches.md describes the
format."""

from __future__ import annotations

import contextlib
import json
import os
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

from kogoma.escapes import printable
from kogoma.lab.journals.journal import Journal, first_line, raising
from kogoma.native.cache.lock import lock
from kogoma.version import __version__

HEAD = "kogoma_match"  # field of the first line with the version of the format
SPRT = "sprt"  # the only field of the line with the verdict
OPTIONS = "options"  # the only field of the line with the engines' options
MOST = 1 << 64  # the largest number of a field: sums of larger ones might be infinite
MOST_LEVELS = 8  # of lists and objects in the settings


class RecordError(ValueError):
    """An invalid line, or a match journal that cannot be read or written; the message is one line."""

    def __init__(self, text: str) -> None:
        super().__init__(printable(text))


class Score(NamedTuple):
    """An engine's score for the move that it played: `kind` is "cp" or "mate", `value` is in centipawns or plies,
    positive if the engine is better. `depth` and `nodes` are 0 if it did not report them. Stored as a JSON list."""

    kind: str
    value: int
    depth: int
    nodes: int


class FaultRecord(TypedDict):
    """A fault: the engine's name, its kind (a constant of `lab.engines.faults`), a description in one line, and the
    last lines sent to and received from the engine."""

    engine: str
    kind: str
    detail: str
    log: list[str]


class GameRecord(TypedDict):
    """A game, with its fields in the order of a journal line. `game` is its number from 0; `pair` is shared by the
    games of a pair. `moves` follow the `book` moves from `start` (an SFEN). `time_ms`, `scores` and the die rolls
    `dice` (only with a die) have one entry per move, as have `latency_ms`, the measured time minus the time that
    the engine reported, and `pv`, the engine's principal variation (only if the match stores it). `winner` is 0
    for Black, 1 for White, None for a draw. `luck` (only with a die) is the part of Black's points, of which a win has
    1, that came from the rolls."""

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
    latency_ms: NotRequired[list[float | None]]
    pv: NotRequired[list[str]]
    winner: int | None
    reason: str
    fault: FaultRecord | None
    clock: str
    seconds: float
    luck: NotRequired[float]


EngineOptions = dict[str, dict[str, str]]
"""The options that were sent to engines: values by name, by engine."""


def fault_line(fault: FaultRecord | None) -> str:
    """Return a fault without its log as one line of text, or "" if there is none."""
    return f"{fault['engine']}: {fault['kind']}: {fault['detail']}" if fault else ""


class SprtState(NamedTuple):
    """The state of an SPRT: the LLR, its two bounds, and the verdict "H0" or "H1" (None: not decided yet)."""

    llr: float
    lower: float
    upper: float
    verdict: str | None

    def __str__(self) -> str:
        end = f", {self.verdict} accepted" if self.verdict else ""
        return f"LLR {self.llr:.2f} ({self.lower:.2f}, {self.upper:.2f}){end}"


class Head(NamedTuple):
    """The first line of a match journal."""

    settings: dict[str, Any]


class OptionsSet(NamedTuple):
    """The options with which the games that follow in the journal were played."""

    options: EngineOptions


def entry_of(line: str | bytes) -> Head | OptionsSet | SprtState | GameRecord:
    """Return the content of a line of a match journal. Raises RecordError if the line is invalid. All readers of match
    journals use this function, so that they agree on which lines are valid: every field has a type, a size and a depth
    that the program can work with, while moves and positions may still break the rules."""
    try:
        entry = load_line(line)
        if HEAD in entry:
            return Head(settings_of(entry))
        if OPTIONS in entry:
            return OptionsSet(options_set(entry))
        return sprt_state(entry) if SPRT in entry else game_record(entry)
    except RecursionError:  # raised by repr() of a deep value
        raise RecordError("nested too deeply") from None


def load_line(line: str | bytes) -> dict[str, Any]:
    """Return the JSON object in a line of a journal. Raises RecordError if the line is not a JSON object, or contains
    something that cannot be written again: NaN, or surrogates, which are no characters."""
    try:
        text = line.decode() if isinstance(line, bytes) else line
        text.encode()
        entry = json.loads(text, parse_constant=_refuse)
        if "\\ud" in text.lower():
            json.dumps(entry, ensure_ascii=False).encode()
    except UnicodeError:
        raise RecordError("not UTF-8") from None
    except ValueError:
        raise RecordError("not JSON, or cut off") from None
    except RecursionError:
        raise RecordError("nested too deeply") from None
    if not isinstance(entry, dict):
        raise RecordError("not a JSON object")
    return entry


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


def settings_of(head: dict[str, Any]) -> dict[str, Any]:
    """Return the match settings in the JSON object of a journal's first line. Raises RecordError if there are no
    settings, or if they cannot be those of a match."""
    settings = head.get("settings")
    if HEAD not in head or not isinstance(settings, dict):
        raise RecordError("the settings of a match are missing")
    if not _is_shallow(settings, MOST_LEVELS):
        raise RecordError("nested too deeply")
    engines = _list(settings, "engine", dict, [])
    for engine in engines:
        _value(engine, "name", str, "")
    if (repeat := _value(settings, "repeat", int, 2)) not in (1, 2):
        raise RecordError(f"the field 'repeat' cannot be {repeat}")
    for name, value in _value(settings, SPRT, dict, {}).items():
        _value({name: value}, name, str if name in ("model", "luck") else (int, float, type(None)))
    return settings


def _is_shallow(value: Any, levels: int) -> bool:
    """Return whether a value of JSON has at most this number of levels."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels > 0 and all(_is_shallow(each, levels - 1) for each in inner)


def game_record(entry: dict[str, Any]) -> GameRecord:
    """Return the game in a line's JSON object. Raises RecordError, which names the field, if a field is invalid."""
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
        if not set(record["dice"]) <= set(range(7)):
            raise RecordError("the field 'dice' can only contain numbers up to 6")
    if "latency_ms" in entry:
        record["latency_ms"] = _list(entry, "latency_ms", (int, float, type(None)))
    if "pv" in entry:
        record["pv"] = _list(entry, "pv", str)
    if "luck" in entry:
        record["luck"] = _value(entry, "luck", (int, float))
    return record


def options_set(entry: dict[str, Any]) -> EngineOptions:
    """Return the engines' options in a line's JSON object. Raises RecordError if they are invalid."""
    found: EngineOptions = _value(entry, OPTIONS, dict)
    for name in found:
        for option in _value(found, name, dict):
            _value(found[name], option, str)
    return found


_NEEDED = object()  # marks a field that has no default and must be present


def sprt_state(entry: dict[str, Any]) -> SprtState:
    """Return the SPRT verdict in a line's JSON object. Raises RecordError, which names the field, if a field is
    invalid."""
    found = _value(entry, SPRT, dict)
    llr, lower, upper = (float(_value(found, name, (int, float))) for name in ("llr", "lower", "upper"))
    return SprtState(llr, lower, upper, _value(found, "verdict", str))


def _value(entry: dict[str, Any], name: str, kind: type | tuple[type, ...], default: Any = _NEEDED) -> Any:
    value = entry.get(name, default)
    if value is _NEEDED:
        raise RecordError(f"the field {name!r} is missing")
    if not _fits(value, kind):
        raise RecordError(f"the field {name!r} cannot be {_shown(value)}")
    return value


def _list(entry: dict[str, Any], name: str, kind: type | tuple[type, ...], default: Any = _NEEDED) -> list[Any]:
    values: list[Any] = _value(entry, name, list, default)
    if wrong := [value for value in values if not _fits(value, kind)]:
        raise RecordError(f"the field {name!r} cannot contain {_shown(wrong[0])}")
    return values


def _fits(value: Any, kind: type | tuple[type, ...]) -> bool:
    """Return whether a value has one of the types `kind` and, if it is a number, is not too large."""
    if not isinstance(value, kind) or isinstance(value, bool):
        return False
    return not isinstance(value, int | float) or abs(value) <= MOST


def _shown(value: Any) -> str:
    """Return a value for a message, shortened."""
    return reprlib.repr(value)[:40]


def _winner(entry: dict[str, Any]) -> int | None:
    winner: int | None = _value(entry, "winner", (int, type(None)))
    if winner not in (0, 1, None):
        raise RecordError(f"the field 'winner' cannot be {winner}")
    return winner


def _score(given: list[Any] | None) -> Score | None:
    if given is None:
        return None
    kinds: list[Any] = [str, int, (int, type(None)), (int, type(None))]
    if len(given) != len(kinds) or not all(map(_fits, given, kinds)):
        raise RecordError(f"the field 'scores' cannot contain {_shown(given)}")
    kind, value, depth, nodes = given
    return Score(kind, value, depth or 0, nodes or 0)


def _fault(given: Any) -> FaultRecord | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise RecordError(f"the field 'fault' cannot be {_shown(given)}")
    log = _list(given, "log", str, [])
    return FaultRecord(
        engine=_value(given, "engine", str),
        kind=_value(given, "kind", str),
        detail=_value(given, "detail", str),
        log=log,
    )


@dataclass
class RecordFile:
    """The content of the match journal `path`: settings, games (each number once), the verdict of the SPRT, the options
    of the engines that were set last, the number of invalid lines, and the first error."""

    path: str | Path
    settings: dict[str, Any] = field(default_factory=dict)
    games: list[GameRecord] = field(default_factory=list)
    sprt: SprtState | None = None
    options: EngineOptions = field(default_factory=dict)
    broken_lines: int = 0
    first_error: str = ""

    @property
    def warning(self) -> str:
        """A line of text about the invalid lines, which names the file and the first of them; "" if there are none."""
        lines = f"{self.broken_lines} invalid line{'s' * (self.broken_lines != 1)}"
        return f"{self.path}: ignored {lines}; {self.first_error}" if self.broken_lines else ""


def read_records(path: str | Path) -> RecordFile:
    """Read a match journal. Invalid lines, such as an incomplete last line, are counted and skipped. If two games have
    the same number, the first is kept. Raises OSError if the file cannot be read, and RecordError if it has invalid
    lines but neither settings nor games."""
    found, numbers = RecordFile(path), set[int]()
    with open(path, "rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                entry = entry_of(line)
            except RecordError as error:
                found.broken_lines += 1
                found.first_error = found.first_error or f"line {number}: {error}"
                continue
            if isinstance(entry, Head):
                found.settings = found.settings or entry.settings
            elif isinstance(entry, SprtState):
                found.sprt = entry
            elif isinstance(entry, OptionsSet):
                found.options = entry.options
            elif entry["game"] not in numbers:
                numbers.add(entry["game"])
                found.games.append(entry)
    if found.broken_lines and not found.games and not found.settings:
        raise RecordError(f"{path} contains no records: {found.first_error}")
    return found


def first_entry(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the first line of a journal: the version of the format, Kogoma's version, and the match's settings."""
    return {HEAD: 1, "version": __version__, "settings": settings}


def read_head(path: Path) -> dict[str, Any] | None:
    """Return the settings of a match journal, or None if the file is missing or its first line is incomplete. Raises
    RecordError if the file cannot be read or is not a match journal."""
    with raising(RecordError, f"read {path}"):
        line = first_line(path)
    return None if line is None else _settings(line, path)


def _settings(line: bytes, path: Path) -> dict[str, Any]:
    try:
        entry = entry_of(line)
        if isinstance(entry, Head):
            return entry.settings
        raise RecordError("the settings of a match are missing")
    except RecordError as error:
        raise RecordError(f"{path} is not a match journal: line 1: {error}") from None


class RecordWriter:
    """An open match journal, locked against other matches. A context manager."""

    def __init__(
        self, path: Path, settings: dict[str, Any], resume: bool, on_known: Callable[[GameRecord], None]
    ) -> None:
        """Create a journal. If `resume` is set and the file exists, continue it, and call `on_known` with each game in
        it. Raises RecordError if the file exists and `resume` is not set, if it is in use, or if it belongs to another
        match."""
        self.path = path
        self.numbers: set[int] = set()  # numbers of the games in the file
        self._has_verdict = False
        self.unchecked = False  # whether the first game is of an earlier version, which did not check options
        self._options: EngineOptions | None = None  # the last ones in the file
        self._settings = settings
        self._on_known = on_known
        with raising(RecordError, f"write {path}"):
            existed = path.exists()
            self._journal = Journal(path)
        if not lock(self._journal.fileno()):
            self._journal.close()
            raise RecordError(f"{path}: another match is writing to it")
        self._is_new = not existed and not self._journal.size
        try:
            if not resume and self._journal.size:
                raise RecordError(f"{path} already exists: add -resume to continue it, or choose another -out")
            if not self._journal.read(self._take):
                with raising(RecordError, f"write {path}"):
                    self._journal.add(first_entry(settings))
        except BaseException as error:
            self.__exit__(type(error))
            raise

    def __enter__(self) -> RecordWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *what: object) -> None:
        # If the match could not be started, delete the file that was created for it, while it is still locked.
        is_useless = kind is not None and self._is_new and not self.numbers
        if is_useless and os.name != "nt":
            self.path.unlink(missing_ok=True)
        self._journal.close()
        if is_useless and os.name == "nt":  # Windows cannot delete open files
            with contextlib.suppress(OSError):
                self.path.unlink()

    def add(self, record: GameRecord) -> bool:
        """Write a game and return True. If the journal already has a game with this number, write nothing and return
        False. Raises OSError if the journal cannot be written."""
        if record["game"] in self.numbers:
            return False
        self._journal.add(record)
        self.numbers.add(record["game"])
        return True

    def add_options(self, options: EngineOptions) -> None:
        """Write the options that were sent to the engines, unless they are the last ones in the journal. Raises OSError
        if the journal cannot be written."""
        if options != self._options:
            self._journal.add({OPTIONS: options})
            self._options = options

    def add_verdict(self, verdict: SprtState) -> None:
        """Write the verdict of the SPRT, unless the journal already has it. Raises OSError if the journal cannot be
        written."""
        if not self._has_verdict:
            self._journal.add({SPRT: verdict._asdict()})
            self._has_verdict = True

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
            entry = entry_of(line)
        except RecordError as error:
            raise RecordError(f"{self.path}, line {number}: not the record of a game: {error}") from None
        if isinstance(entry, SprtState):
            self._has_verdict = True
        elif isinstance(entry, OptionsSet):
            self._options = entry.options
        elif not isinstance(entry, Head) and entry["game"] not in self.numbers:
            self.unchecked = self.unchecked or self._options is None
            self.numbers.add(entry["game"])
            self._on_known(entry)
