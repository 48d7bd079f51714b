"""Standard output: whole lines, from any thread."""

from __future__ import annotations

import os
import threading
from typing import NoReturn


def exit_process(code: int = 0) -> NoReturn:
    """End the process immediately. Python's own exit would wait for native code on other threads. Nothing needs
    cleaning up: cache files are written atomically."""
    os._exit(code)


class Output:
    """Writes lines to standard output, and ends the process if the reader has closed it."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # others hold it to write several lines at once

    def line(self, text: str = "") -> None:
        """Write `text` and a newline to standard output."""
        data = memoryview(f"{text}\n".encode("ascii", "backslashreplace"))
        with self.lock:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError:
                exit_process()

    def note(self, text: str) -> None:
        """Send a text to the GUI as `info string`."""
        self.line(f"info string {text}")

    def error(self, text: str) -> None:
        """Report an error as `info string`. `text` may contain anything; it is sent as one line of ASCII."""
        self.note(f"error: {' '.join(text.split())}")
