"""Standard output, one whole line at a time, from any thread."""

from __future__ import annotations

import os
import threading
from typing import NoReturn


def exit_process(code: int = 0) -> NoReturn:
    """End the process here and now.

    The threads that compile or search run native code, which Python's own exit would wait for or pull the ground from
    under. There is nothing to tidy up: files of the cache are written under another name first.
    """
    os._exit(code)


class Output:
    """Lines to standard output. When the reader has gone, the process ends."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # also held by others, to write and to change what they say in one step

    def line(self, text: str = "") -> None:
        """Write `text` and a newline."""
        data = memoryview(f"{text}\n".encode("ascii", "backslashreplace"))
        with self.lock:
            try:
                while data:
                    data = data[os.write(1, data) :]
            except OSError:
                exit_process()

    def note(self, text: str) -> None:
        """Tell the person at the GUI something."""
        self.line(f"info string {text}")

    def error(self, text: str) -> None:
        """Say why a line was not obeyed. `text` may hold anything: it is sent as one line of ASCII."""
        self.note(f"error: {' '.join(text.split())}")
