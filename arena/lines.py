"""Standard input as numbered lines, each with the time it came; read on a thread, so that waiting can be cut short."""

from __future__ import annotations

import os
import queue
import threading
import time
from typing import NamedTuple

SHOWN = 40  # characters of somebody else's line that a message repeats


class Line(NamedTuple):
    """One line without the white space around it, its number from 1, and when it was read (time.perf_counter)."""

    text: str
    number: int
    at: float


class LineReader(threading.Thread):
    """Reads a file descriptor to its end."""

    def __init__(self, descriptor: int = 0) -> None:
        super().__init__(name="stdin", daemon=True)
        self._descriptor = descriptor
        self._lines: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._next: Line | None = None
        self.ended = False
        self.number = 0  # of the last line that was handed out

    def peek(self, until: float | None = None) -> Line | None:
        """The next line, which stays the next; None at the end of input (`ended`), or if it has not come by `until`
        (time.perf_counter)."""
        if self._next is None and not self.ended:
            timeout = None if until is None else max(until - time.perf_counter(), 0.0)
            try:
                self._next = self._lines.get(timeout=timeout)
            except queue.Empty:
                return None
            self.ended = self._next is None
        return self._next

    def take(self) -> Line:
        """The line that peek() has shown."""
        assert self._next is not None
        line, self._next = self._next, None
        self.number = line.number
        return line

    def run(self) -> None:
        """The thread: reads until the end of input; a last line without an end counts."""
        kept, number = b"", 0
        while True:
            try:
                data = os.read(self._descriptor, 1 << 16)
            except OSError:
                data = b""
            now = time.perf_counter()
            *complete, kept = (kept + data if data else kept + b"\n" if kept else b"").split(b"\n")
            for text in complete:
                number += 1
                self._lines.put(Line(text.decode(errors="replace").strip(), number, now))
            if not data:
                self._lines.put(None)
                return


def clip(text: str) -> str:
    """Somebody else's text, quoted and short enough for a message."""
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "...")
