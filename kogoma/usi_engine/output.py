"""Standard output: whole lines, from any thread."""

from __future__ import annotations

import contextlib
import os
import select
import sys
import threading
import time
from collections.abc import Iterable
from io import FileIO
from typing import NoReturn

from kogoma.output_file import opener, reason

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
        self._log: FileIO | None = None

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
            self.log(f"< {text}")

    def change_log(self, path: str) -> None:
        """Append all lines from now on to the file `path`, or to none if `path` is empty. Raises OSError, and changes
        nothing, if the file cannot be opened."""
        log = FileIO(path, "a", opener=opener) if path else None
        with self.lock:
            before, self._log = self._log, log
        if before is not None:
            before.close()

    def log(self, text: str) -> None:
        """Append a line to the log, if there is one. If this fails, tell the GUI and end the log."""
        with self.lock:
            if (log := self._log) is None:
                return
            try:
                log.write(f"{text}\n".encode(errors="backslashreplace"))
            except OSError as error:
                self._log = None
                self.error(f"WriteDebugLog: {reason(error)}; the log ends")

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
