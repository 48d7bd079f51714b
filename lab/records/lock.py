"""The lock of an open file: one holder at a time, until its descriptor is closed or its process ends."""

from __future__ import annotations

import os
import sys

BINARY = getattr(os, "O_BINARY", 0)  # for os.open: Windows would write other line ends

if sys.platform == "win32":
    import msvcrt

    # Windows keeps others from reading what is locked, so the lock is on a byte that no file reaches.
    _FAR = 1 << 62

    def lock(descriptor: int) -> bool:
        """Take the lock; False if somebody else has it."""
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
        """Take the lock; False if somebody else has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            pass  # a file system without locks
        return True
