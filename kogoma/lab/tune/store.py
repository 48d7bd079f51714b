"""Chunk files: scored positions as `.npz`, named by their number and written atomically.

`docs/tuning.md` describes the arrays. The head of a chunk holds its settings and its number. They determine
its positions, so a lost chunk can be made again.
"""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.console.arguments import CommandLineError
from kogoma.lab.journals.journal import raising
from kogoma.native.cache.lock import BINARY, lock
from kogoma.output_file import opener, reason, replacing

FORMAT = 1
DIGITS = 6  # of a file's name
EXTENSION = ".npz"
HEAD = "head"  # the array that holds the head, as JSON in UTF-8
LOCK = "lock"

Arrays = dict[str, np.ndarray[Any, Any]]  # one row per position


class DataError(Exception):
    """Data cannot be read, written or continued; the text is one line."""


@dataclass(frozen=True)
class Chunk:
    """Positions of complete games. `head` has their settings (`lab.tune.selfplay.head_of`), number and count."""

    head: dict[str, Any]
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["score"])


def path_of(folder: Path, number: int) -> Path:
    """Return the path of the chunk `number` in a folder."""
    return folder / f"{number:0{DIGITS}}{EXTENSION}"


def numbers_in(folder: Path) -> list[int]:
    """Return the numbers of the chunks in a folder, ascending. Raises DataError if the folder cannot be read."""
    with raising(DataError, f"read {folder}"):
        names = [path.stem for path in folder.iterdir() if path.suffix == EXTENSION]
    return sorted(int(name) for name in names if len(name) == DIGITS and name.isdecimal())


def write(folder: Path, number: int, chunk: Chunk) -> None:
    """Write a chunk to a folder atomically. Raises DataError if it cannot be written."""
    path = path_of(folder, number)
    head = np.frombuffer(json.dumps(chunk.head).encode(), np.uint8)
    named: dict[str, Any] = {HEAD: head, **chunk.arrays}
    with raising(DataError, f"write {path}"), replacing(path) as file:
        np.savez_compressed(file, **named)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a chunk's file for a `with` block. Raises DataError if it is missing or reading it in the block fails."""
    try:
        with np.load(path) as file:
            yield file
    except OSError as error:
        raise DataError(f"cannot read {path}: {reason(error)}") from None
    except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, TypeError, EOFError) as error:
        raise DataError(f"{path} is damaged: {' '.join(str(error).split()) or type(error).__name__}") from None


def read(folder: Path, number: int) -> Chunk:
    """Return the chunk `number` of a folder. Raises DataError if it is missing or damaged."""
    path = path_of(folder, number)
    with _opened(path) as file:
        arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays.pop(HEAD).tobytes())
        is_complete = head["format"] == FORMAT and {len(array) for array in arrays.values()} == {head["count"]}
    if not is_complete:
        raise DataError(f"{path} is damaged: its arrays do not match its head")
    return Chunk(head, arrays)


def read_head(folder: Path, number: int) -> dict[str, Any]:
    """Return the head of the chunk `number`. Raises DataError if the chunk is missing or damaged."""
    with _opened(path_of(folder, number)) as file:
        head: dict[str, Any] = json.loads(file[HEAD].tobytes())
    return head


def check_chunks(
    folder: Path, head: dict[str, Any], chunks: int, on_damaged: Callable[[str], None]
) -> dict[int, dict[str, Any]]:
    """Return a dict from numbers to heads, for the undamaged chunks with a number below `chunks`. Call `on_damaged`
    with a message for each damaged chunk. Raises DataError if a chunk's head differs from `head`."""
    found: dict[int, dict[str, Any]] = {}
    for number in numbers_in(folder):
        if number >= chunks:
            break
        try:
            chunk = read(folder, number)
        except DataError as error:
            on_damaged(str(error))
            continue
        compare(chunk.head, {**head, "chunk": number}, path_of(folder, number))
        found[number] = chunk.head
    return found


def compare(found: dict[str, Any], wanted: dict[str, Any], where: object) -> None:
    """Raise DataError if a field of `wanted` is missing in `found` or has another value there. The message begins with
    `where`."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise DataError(f"{where} was made with another {name}: {found.get(name)!r}, now {value!r}")


class FolderInUse(CommandLineError):
    """Another process uses the folder; the text is one line."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Create a folder if it is missing, and hold its lock during the `with` block. The system releases the lock when
    the process ends. Raises FolderInUse if another process has the lock, DataError if the folder cannot be written."""
    with raising(DataError, f"write in {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        file = opener(str(folder / LOCK), os.O_RDWR | os.O_CREAT | BINARY)
    try:
        if not lock(file):
            holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
            raise FolderInUse(f"process {holder} uses {folder}; wait for it or name another folder")
        with raising(DataError, f"write in {folder}"):
            os.ftruncate(file, 0)
            os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(file)
