"""One process at a time in a folder."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from kogoma.lab.tune.store import DataError
from kogoma.native.cache.lock import BINARY, lock

NAME = "lock"


class FolderInUse(Exception):
    """Another process works in the folder; the text is one line."""


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Make a folder, if need be, and hold its lock, which ends with this process however that ends. FolderInUse;
    DataError if it can't be made or written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = os.open(folder / NAME, os.O_RDWR | os.O_CREAT | BINARY, 0o666)
    except OSError as error:
        raise DataError(f"cannot write in {folder}: {error.strerror}") from None
    try:
        if not lock(file):
            holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
            raise FolderInUse(f"another process, {holder}, is at work in {folder}")
        os.ftruncate(file, 0)
        os.write(file, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(file)
