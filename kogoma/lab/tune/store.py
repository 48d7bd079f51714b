"""Chunks of scored positions as files: one `.npz` each, named by its number, complete or not at all. One process at a
time works in their folder.

`docs/tuning.md` tells what the arrays hold. A chunk follows from its head alone, so a lost one can be made again.
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

from kogoma.lab.journals.journal import told_as
from kogoma.native.cache.lock import BINARY, lock

FORMAT = 1
DIGITS = 6  # of a file's name
ENDING = ".npz"
HEAD = "head"  # the array that holds the head, as JSON in UTF-8
LOCK = "lock"

Arrays = dict[str, np.ndarray[Any, Any]]  # one row a position


class DataError(Exception):
    """Data that can't be read, kept or continued; the text is one line."""


@dataclass(frozen=True)
class Chunk:
    """Positions of whole games. `head` says what made them: see `lab.tune.selfplay.head_of`."""

    head: dict[str, Any]
    arrays: Arrays

    def __len__(self) -> int:
        return len(self.arrays["score"])


def path_of(folder: Path, number: int) -> Path:
    """The file of the chunk of that number."""
    return folder / f"{number:0{DIGITS}}{ENDING}"


def numbers_in(folder: Path) -> list[int]:
    """Numbers of the chunks in a folder, ascending; DataError if it can't be read."""
    with told_as(DataError, f"read {folder}"):
        names = [path.stem for path in folder.iterdir() if path.suffix == ENDING]
    return sorted(int(name) for name in names if len(name) == DIGITS and name.isdecimal())


def write(folder: Path, number: int, chunk: Chunk) -> None:
    """Keep a chunk: its name appears once all of it is on the disk. DataError."""
    path = path_of(folder, number)
    unfinished = path.with_suffix(".part")  # the same name at every try, so that none is left behind
    head = np.frombuffer(json.dumps(chunk.head).encode(), np.uint8)
    named: dict[str, Any] = {HEAD: head, **chunk.arrays}
    with told_as(DataError, f"write {path}"):
        with open(unfinished, "wb") as file:
            np.savez_compressed(file, **named)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """A chunk's file. DataError if it is missing, or where what is read of it turns out to be damaged."""
    try:
        with np.load(path) as file:
            yield file
    except OSError as error:
        raise DataError(f"cannot read {path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, zlib.error, ValueError, KeyError, TypeError, EOFError) as error:
        raise DataError(f"{path} is damaged: {' '.join(str(error).split()) or type(error).__name__}") from None


def read(folder: Path, number: int) -> Chunk:
    """A chunk, every byte of it checked; DataError if it is missing or damaged."""
    path = path_of(folder, number)
    with _opened(path) as file:
        arrays = {name: file[name] for name in file.files}
        head = json.loads(arrays.pop(HEAD).tobytes())
        whole = head["format"] == FORMAT and {len(array) for array in arrays.values()} == {head["count"]}
    if not whole:
        raise DataError(f"{path} is damaged: its arrays are not what its head says")
    return Chunk(head, arrays)


def read_head(folder: Path, number: int) -> dict[str, Any]:
    """A chunk's head alone; DataError."""
    with _opened(path_of(folder, number)) as file:
        head: dict[str, Any] = json.loads(file[HEAD].tobytes())
    return head


def check(
    folder: Path, head: dict[str, Any], chunks: int, on_damaged: Callable[[str], None]
) -> dict[int, dict[str, Any]]:
    """Number -> head of the whole ones among the folder's first chunks; `on_damaged` is told of each other one.
    DataError if a chunk's head differs in what `head` has."""
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
    """DataError, naming the first difference, if a chunk's head is not what is wanted."""
    for name, value in wanted.items():
        if found.get(name) != value:
            raise DataError(f"{where} was made with another {name}: {found.get(name)!r}, now {value!r}")


class FolderInUse(Exception):
    """Another process works in the folder; the text is one line."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make a folder, if need be, and hold its lock, which ends with this process however that ends. FolderInUse;
    DataError if it can't be made or written to."""
    with told_as(DataError, f"write in {folder}"):
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
    try:
        if not lock(file):
            holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
            raise FolderInUse(f"another process, {holder}, is at work in {folder}")
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(file)
