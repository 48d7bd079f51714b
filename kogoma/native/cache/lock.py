"""File locks that work between threads and processes. The system releases a lock when its holder's process ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

BINARY = getattr(os, "O_BINARY", 0)  # for os.open: no translation of line ends on Windows
PAUSE = 0.1  # seconds between attempts


@contextlib.contextmanager
def held(path: Path, busy: Callable[[], object]) -> Iterator[None]:
    """Hold the lock file `path`, which exists only while the lock is held. If another holder has the lock, call `busy`
    once and wait; an exception that `busy` raises ends the wait. Raises OSError if the file cannot be created."""
    told = False
    while (descriptor := _taken(path)) is None:
        if not told:
            told = True
            busy()
        time.sleep(PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows does not delete open files
            path.unlink()
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """Return the descriptor that holds the lock, or None if another holder has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    if lock(descriptor) and _is_at(path, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_at(path: Path, descriptor: int) -> bool:
    """Return whether `path` still names the open file. The previous holder of the lock may have deleted the file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    # On Windows a locked range cannot be read by others, so a byte far beyond the end of the file is locked. Some file
    # systems refuse positions of more than a few TB.
    _FAR = 1 << 40

    def lock(descriptor: int) -> bool:
        """Lock an open file until it is closed or the process ends. Returns False if another process has locked it."""
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def lock(descriptor: int) -> bool:
        """Lock an open file until it is closed or the process ends. Returns False if it is already locked."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks: continue without one
        return True
