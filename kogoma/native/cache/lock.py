"""A file that one holder at a time has, in this process or another. The system frees it when its holder's process ends,
however that comes about."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

BINARY = getattr(os, "O_BINARY", 0)  # for os.open: Windows would write other line ends
PAUSE = 0.1  # seconds between two looks at a lock that somebody else has


@contextlib.contextmanager
def held(path: Path, busy: Callable[[], object]) -> Iterator[None]:
    """Hold the lock of that file, which is there only meanwhile. `busy` is called once if somebody else has it; what it
    raises ends the wait. OSError where no such file can be made."""
    told = False
    while (descriptor := _taken(path)) is None:
        if not told:
            told = True
            busy()
        time.sleep(PAUSE)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows keeps files that are open
            path.unlink()
        os.close(descriptor)


def _taken(path: Path) -> int | None:
    """The descriptor that holds the lock; None if somebody else has it."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    if lock(descriptor) and _is_at(path, descriptor):
        return descriptor
    os.close(descriptor)
    return None


def _is_at(path: Path, descriptor: int) -> bool:
    """Whether the file is still the one of that name: its last holder has removed it."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    # Windows keeps others from reading what is locked, so the lock is on a byte that no file reaches.
    _FAR = 1 << 62

    def lock(descriptor: int) -> bool:
        """Take the lock of an open file, which it has until it is closed or its process ends; False if another
        has it."""
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
        """Take the lock of an open file, which it has until it is closed or its process ends; False if another
        has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks: go on as if alone
        return True
