"""A journal: an append-only file of JSON lines, from which matches, tuning runs, books and analyses resume.

A line is synced to the disk before it counts. A process killed at any moment leaves whole lines and at most one that is
cut off at the end.
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

from kogoma.output_file import opener, reason


@contextlib.contextmanager
def raising(kind: type[Exception], what: str) -> Iterator[None]:
    """Within this context, replace an OSError by an exception of type `kind` with the message "cannot WHAT: REASON"."""
    try:
        yield
    except OSError as error:
        raise kind(f"cannot {what}: {reason(error)}") from None


def first_line(path: Path) -> bytes | None:
    """Return the first line of a journal, or None if the file is missing or its first line is incomplete. Raises
    OSError if the file cannot be read."""
    try:
        with open(path, "rb") as file:
            line = file.readline()
    except FileNotFoundError:
        return None
    return line if line.endswith(b"\n") else None


class Journal:
    """An open journal, created if missing. A context manager. Raises OSError if the file cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = FileIO(os.fspath(path), "a", opener=opener)

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *what: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file of the journal."""
        self._file.close()

    def fileno(self) -> int:
        """Return the file descriptor, for locking the file."""
        return self._file.fileno()

    @property
    def size(self) -> int:
        """The size of the file in bytes."""
        return os.fstat(self.fileno()).st_size

    def read(self, take: Callable[[int, bytes], bool]) -> int:
        """Call `take(number, line)` for each complete line until it returns False. Truncate the file after the last
        line for which `take` returned True, and return the number of lines that are left. Raises OSError if the file
        cannot be read or truncated. If `take` raises an exception, nothing is truncated."""
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
        """Append `entry` as a line of JSON, and sync it to the disk. Raises OSError if this fails; the file is then as
        it was before."""
        size = self.size
        line = json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        try:
            if self._file.write(line) != len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            os.fsync(self.fileno())
        except OSError as error:
            with contextlib.suppress(OSError):
                self._file.truncate(size)
            raise OSError(error.errno, error.strerror, str(self.path)) from None
        if not size:
            self._sync_folder()

    def _sync_folder(self) -> None:
        """Sync the folder, so that the name of the new file is on the disk too."""
        try:
            folder = os.open(self.path.parent, os.O_RDONLY)
        except OSError:  # Windows cannot open folders
            return
        with contextlib.suppress(OSError):
            os.fsync(folder)
        os.close(folder)
