"""Standard output: whole lines, from any thread."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Iterable
from typing import NoReturn

POLL = 0.1  # seconds between two looks at the output
UNREAD = 15  # looks at which nothing was read, until a process that is to end is ended


def exit_process(code: int = 0) -> NoReturn:
    """End the process immediately. Python's own exit would wait for native code on other threads. Nothing needs
    cleaning up: cache files are written atomically."""
    os._exit(code)


class Output:
    """Writes lines to standard output, and ends the process if the reader has closed it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # others hold it to write several lines at once
        self._written = 0  # bytes
        self.waits = False  # whether bytes wait to be written

    def line(self, text: str = "") -> None:
        """Write `text` and a newline to standard output."""
        data = memoryview(f"{text}\n".encode("ascii", "backslashreplace"))
        with self.lock:
            self.waits = True
            try:
                while data:
                    count = _write(data)
                    self._written += count
                    data = data[count:]
            except OSError:
                exit_process()
            self.waits = False

    def note(self, text: str) -> None:
        """Send a text to the GUI as `info string`."""
        self.line(f"info string {text}")

    def block(self, lines: Iterable[str], note: str = "") -> None:
        """Write lines that belong together, after a note to the GUI if `note` is not empty."""
        with self.lock:
            if note:
                self.note(note)
            for line in lines:
                self.line(line)

    def error(self, text: str) -> None:
        """Report an error as `info string`. `text` may contain anything; it is sent as one line of ASCII."""
        self.note(f"error: {' '.join(text.split())}")

    def end_if_unread(self) -> NoReturn:
        """Watch the output of a process that is to end, and end the process if the output waits for a reader that takes
        nothing for POLL * UNREAD seconds. A reader that is only slow gets everything."""
        looks, before = 0, (0, 0)
        while looks < UNREAD:
            time.sleep(POLL)
            now = self._written, _unread()
            looks = looks + 1 if self.waits and now == before else 0
            before = now
        exit_process()


def _write(data: memoryview) -> int:
    """Write the beginning of the data, and return its length. Another program may have made the output non-blocking."""
    while True:
        try:
            return os.write(1, data)
        except BlockingIOError:
            select.select((), (1,), ())


def _unread() -> int:
    """Return how many written bytes the reader has not taken yet, or 0 if the system does not tell. A reader of few
    bytes frees the space for the next write only after a whole page of a pipe."""
    if sys.platform == "win32":
        return 0
    import fcntl
    import termios

    count = 0
    for request in (termios.FIONREAD, termios.TIOCOUTQ):  # of a pipe; of a socket or terminal
        with contextlib.suppress(OSError):
            count += int.from_bytes(fcntl.ioctl(1, request, bytes(4)), sys.byteorder)
    return count
