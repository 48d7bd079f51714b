"""Standard input as numbered lines, each with the time it came, read on a thread of its own: whoever waits for a line
can stop waiting, and `quit` is seen while the engine is busy."""

from __future__ import annotations

import os
import queue
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

# Bytes: two hundred thousand moves; a longer line is no line of any protocol here, and thrown away as it comes.
LONGEST_LINE = 1 << 20

SHOWN = 60  # characters of somebody else's text that a message repeats


class Line(NamedTuple):
    """One line as it came: its bytes without the line's end, its number from 1, and when it was read
    (time.perf_counter). `length` counts the bytes; where it is more than LONGEST_LINE, `data` is empty."""

    data: bytes
    length: int
    number: int
    at: float

    @property
    def text(self) -> str:
        """The line as text, without the white space around it; how long it is where that is too long."""
        if self.length > LONGEST_LINE:
            return f"(a line of {self.length} bytes)"
        return self.data.decode(errors="replace").strip()


class LineReader(threading.Thread):
    """Reads a file descriptor to its end; a last line without an end counts."""

    def __init__(self, descriptor: int = 0, watch: Callable[[Line], None] = lambda line: None) -> None:
        """`watch` is shown every line as soon as it has come, on the reader's thread, however many wait before it."""
        super().__init__(name="stdin", daemon=True)
        self._descriptor, self._watch = descriptor, watch
        self._lines: queue.SimpleQueue[Line | None] = queue.SimpleQueue()
        self._next: Line | None = None
        self._read = 0
        self.closed = threading.Event()  # set once the end of input is read, however many lines wait before it
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

    def next_line(self) -> Line | None:
        """The next line; None at the end of input."""
        return None if self.peek() is None else self.take()

    def run(self) -> None:
        """The thread: reads until the end of input."""
        kept, dropped = b"", 0  # of the line that has not ended yet
        while True:
            try:
                data = os.read(self._descriptor, 1 << 16)
            except OSError:
                data = b""
            now = time.perf_counter()
            if not data:
                self.closed.set()
                if kept or dropped:
                    self._put(kept, dropped, now)
                self._lines.put(None)
                return
            first, *others = data.split(b"\n")
            kept += first
            for other in others:
                self._put(kept, dropped, now)
                kept, dropped = other, 0
            if len(kept) > LONGEST_LINE:
                kept, dropped = b"", dropped + len(kept)

    def _put(self, data: bytes, dropped: int, now: float) -> None:
        self._read += 1
        length = dropped + len(data)
        line = Line(data if length <= LONGEST_LINE else b"", length, self._read, now)
        self._watch(line)
        self._lines.put(line)


def clip(text: str, length: int = SHOWN) -> str:
    """Somebody else's text, fit for a message: printable ASCII in quotes, and not too long."""
    return ascii(text if len(text) <= length else text[:length] + "...")
