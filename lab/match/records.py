"""A match's records: a file that only grows, by one line of JSON for each game as it ends.

The first line tells the settings. A line is written at once and reaches the disk before the next game begins, so that
a runner killed at any moment leaves whole lines, and at most one torn one at the end.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

from lab.stats.statistics import Record

HEAD = "kogoma_match"


class RecordsError(Exception):
    """Records that can't be written, or continued; the text is one line."""


def read_head(path: Path) -> dict[str, Any] | None:
    """The settings in a records file; None if there is no file, or nothing whole in it."""
    try:
        with open(path, "rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RecordsError(f"cannot read {path}: {error.strerror}") from None
    return _settings(line, path) if line.endswith(b"\n") else None


def _settings(line: bytes, path: Path) -> dict[str, Any]:
    try:
        head = json.loads(line)
        settings = head["settings"] if HEAD in head else None
    except (ValueError, TypeError, KeyError):
        settings = None
    if not isinstance(settings, dict):
        raise RecordsError(f"{path} holds no match: its first line tells no settings")
    return settings


class Records:
    """An open file of records, which no other match can write to; a context manager."""

    def __init__(self, path: Path, settings: dict[str, Any], resume: bool, see: Callable[[Record], None]) -> None:
        """Begin a file, or with `resume` continue one (or begin it, where there is none): `see` is called with every
        game that is there. RecordsError where the file is in the way, in use, or another match's."""
        self.path = path
        self.numbers: set[int] = set()  # of the games that are there
        self._settings = settings
        self._see = see
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        except OSError as error:
            raise RecordsError(f"cannot write {path}: {error.strerror}") from None
        try:
            self._lock()
            if not resume and os.fstat(self._file).st_size:
                raise RecordsError(f"{path} is there already: --resume continues it, another -out leaves it alone")
            self._continue()
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Records:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._file)

    def add(self, record: Record) -> bool:
        """Keep a game; False, and nothing written, if its number is there already."""
        if record["game"] in self.numbers:
            return False
        self._append(record)
        self.numbers.add(record["game"])
        return True

    def _append(self, entry: dict[str, Any]) -> None:
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            if os.write(self._file, line) != len(line):
                raise RecordsError(f"cannot write {self.path}: no space left")
            os.fsync(self._file)
        except OSError as error:
            raise RecordsError(f"cannot write {self.path}: {error.strerror}") from None

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise RecordsError(f"{self.path}: another match is writing to it") from None
        except OSError:
            pass  # a file system without locks

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
                    self._take(line, number)
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
            raise RecordsError(f"{self.path} was played with other settings: {names[0]} was {there}, and is now {here}")

    def _take(self, line: bytes, number: int) -> None:
        try:
            record = json.loads(line)
            new = record["game"] not in self.numbers
        except (ValueError, TypeError, KeyError):
            raise RecordsError(f"{self.path}, line {number}: no record of a game") from None
        if new:
            self.numbers.add(record["game"])
            self._see(record)

    def _sync_folder(self) -> None:
        """A new file's name reaches the disk, too."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError:
            return
        with contextlib.suppress(OSError):
            os.fsync(folder)
        os.close(folder)
