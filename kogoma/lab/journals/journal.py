"""A file that only grows, a line of JSON at a time: what matches, tunings, books and analyses go on from.

A line is on the disk before anybody counts on it. Whoever is killed, at any moment, leaves whole lines, and at most one
that is cut off behind them.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
from collections.abc import Callable, Iterator, Mapping
from io import FileIO
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def told_as(kind: type[Exception], what: str) -> Iterator[None]:
    """An OSError in the block becomes one of this kind: "cannot WHAT: ..."."""
    try:
        yield
    except OSError as error:
        raise kind(f"cannot {what}: {error.strerror}") from None


def replace_file(path: Path, data: bytes) -> None:
    """Write a file, which is complete or as it was before. OSError."""
    unfinished = path.with_name(f"{path.name}.part")  # the same name at every try, so that none is left behind
    unfinished.write_bytes(data)
    unfinished.replace(path)


def first_line(path: Path) -> bytes | None:
    """The line that a journal begins with; None if there is no file, or no whole line in it. OSError."""
    try:
        with open(path, "rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    return line if line.endswith(b"\n") else None


class Journal:
    """An open file of lines, made where there is none; a context manager, which closes it. OSError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = FileIO(path, "a")

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def fileno(self) -> int:
        """The file's descriptor."""
        return self._file.fileno()

    @property
    def size(self) -> int:
        """In bytes."""
        return os.fstat(self.fileno()).st_size

    def read(self, take: Callable[[int, bytes], bool]) -> int:
        """Hand every whole line, with its number from 1, to `take` until that says False, and cut off what comes behind
        the last one that it took. How many it took. OSError; where `take` raises, nothing is cut off."""
        count = size = 0
        with open(self.path, "rb") as file:
            for line in file:
                if not line.endswith(b"\n") or not take(count + 1, line):
                    break
                count, size = count + 1, size + len(line)
        if size < self.size:
            self._file.truncate(size)
        return count

    def add(self, entry: Mapping[str, Any]) -> None:
        """Write a line, which is on the disk afterwards. OSError."""
        is_first = not self.size
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if self._file.write(line) != len(line):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
        os.fsync(self.fileno())
        if is_first:
            self._sync_folder()

    def _sync_folder(self) -> None:
        """A new file's name reaches the disk, too."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError:  # Windows opens no folders
            return
        with contextlib.suppress(OSError):
            os.fsync(folder)
        os.close(folder)
