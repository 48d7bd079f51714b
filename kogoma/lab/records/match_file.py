"""The file of a match's records: its settings, and its games in the order in which they ended."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from kogoma.lab.records.journal import Journal, first_line
from kogoma.lab.records.record import HEAD, GameRecord, RecordError, game_record, load_line, settings_of
from kogoma.native.cache.lock import lock


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
    try:
        line = first_line(path)
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
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
        try:
            self._is_new = not path.exists()
            self._journal = Journal(path)
        except OSError as error:
            raise RecordError(f"cannot write {path}: {error.strerror}") from None
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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        is_vain = error is not None and self._is_new and not self.numbers
        if is_vain and os.name != "nt":
            self.path.unlink(
                missing_ok=True
            )  # a match that could not be begun leaves nothing; while nobody else has it
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
        try:
            self._journal.add(entry)
        except OSError as error:
            raise RecordError(f"cannot write {self.path}: {error.strerror}") from None

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
