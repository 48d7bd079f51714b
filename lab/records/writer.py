"""Writes a match's records: a file that only grows, by one line of JSON for each game as it ends.

The first line has the settings. A line is written at once and reaches the disk before the next game begins, so that a
runner killed at any moment leaves whole lines, and at most one cut-off line at the end.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.records.record import HEAD, GameRecord, RecordError, game_record, load_line, settings_of
from rules.native.cache.lock import BINARY, lock


def read_head(path: Path) -> dict[str, Any] | None:
    """The settings in a records file; None if there is no file, or no whole line in it. RecordError."""
    try:
        with open(path, "rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordError(f"cannot read {path}: {error.strerror}") from None
    return _settings(line, path) if line.endswith(b"\n") else None


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
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY, 0o666)
        except OSError as error:
            raise RecordError(f"cannot write {path}: {error.strerror}") from None
        try:
            if not lock(self._file):
                raise RecordError(f"{path}: another match is writing to it")
            if not resume and os.fstat(self._file).st_size:
                raise RecordError(f"{path} is there already: --resume continues it, another -out leaves it alone")
            self._continue()
        except BaseException:
            os.close(self._file)
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
        os.close(self._file)
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

    def _append(self, entry: Mapping[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            if os.write(self._file, line) != len(line):
                raise RecordError(f"cannot write {self.path}: no space left")
            os.fsync(self._file)
        except OSError as error:
            raise RecordError(f"cannot write {self.path}: {error.strerror}") from None

    def _continue(self) -> None:
        """Read what is there; a line that was not written to its end is cut off."""
        whole = 0
        with open(self.path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break
                whole += len(line)
                if number == 1:
                    self._compare(_settings(line, self.path))
                else:
                    self._read(line, number)
        if whole < os.fstat(self._file).st_size:
            os.ftruncate(self._file, whole)
        if not whole:
            self._append({HEAD: 1, "settings": self._settings})
            self._sync_folder()

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

    def _sync_folder(self) -> None:
        """A new file's name reaches the disk, too."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError:
            return
        with contextlib.suppress(OSError):
            os.fsync(folder)
        os.close(folder)
