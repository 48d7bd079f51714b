"""A thread that reads standard input as numbered lines with their arrival times.

The thread makes it possible to wait for a line with a timeout, and to notice `quit` during a search.
"""

from __future__ import annotations

import os
import queue
import re
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

LONGEST_LINE = 1 << 20  # bytes, enough for 200,000 moves; the content of longer lines is discarded
MAX_QUOTED = 60  # characters of input that a message repeats

_NUMBER = re.compile(r"[+-]?[0-9]{1,20}", re.ASCII)


class InputLine(NamedTuple):
    """One line of input. `data` holds the bytes without the newline, or b"" if the line is longer than LONGEST_LINE;
    `length` is the number of bytes in both cases. `number` counts lines from 1; `at` is the arrival time
    (time.perf_counter)."""

    data: bytes
    length: int
    number: int
    at: float

    @property
    def text(self) -> str:
        """The line as text without surrounding white space, or a note of its length if it is longer than
        LONGEST_LINE."""
        if self.length > LONGEST_LINE:
            return f"(a line of {self.length} bytes)"
        return self.data.decode(errors="replace").strip()


class LineReader(threading.Thread):
    """A thread that reads the lines of a file descriptor until the end of input. The last line needs no newline."""

    def __init__(self, descriptor: int = 0, watch: Callable[[InputLine], None] = lambda line: None) -> None:
        """Prepare to read from the file `descriptor`. `watch` is called on the reading thread with every line as soon
        as the line arrives, even if earlier lines have not been taken yet."""
        super().__init__(name="stdin", daemon=True)
        self._descriptor, self._watch = descriptor, watch
        self._lines: queue.SimpleQueue[InputLine | None] = queue.SimpleQueue()
        self._next: InputLine | None = None
        self._read = 0
        self.closed = threading.Event()  # set at the end of input, even if lines are still waiting to be taken
        self.ended = False
        self.number = 0  # number of the line last returned by take()

    def peek(self, until: float | None = None) -> InputLine | None:
        """Return the next line without consuming it. Return None at the end of input (`ended` is then true), or if no
        line arrives by `until` (time.perf_counter)."""
        if self._next is None and not self.ended:
            timeout = None if until is None else max(until - time.perf_counter(), 0.0)
            try:
                self._next = self._lines.get(timeout=timeout)
            except queue.Empty:
                return None
            self.ended = self._next is None
        return self._next

    def take(self) -> InputLine:
        """Consume and return the line that peek() has returned."""
        assert self._next is not None
        line, self._next = self._next, None
        self.number = line.number
        return line

    def next_line(self) -> InputLine | None:
        """Consume and return the next line; None at the end of input."""
        return None if self.peek() is None else self.take()

    def run(self) -> None:
        """Read until the end of input; called by `start()`."""
        kept, dropped = b"", 0  # bytes of the incomplete last line, and the number of its bytes already discarded
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
        line = InputLine(data if length <= LONGEST_LINE else b"", length, self._read, now)
        self._watch(line)
        self._lines.put(line)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun: "1 game", "2,000 games"."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def clip(text: str, length: int = MAX_QUOTED) -> str:
    """Return input text for a message: quoted and in ASCII, cut after `length` characters."""
    return ascii(text if len(text) <= length else text[:length] + "...")


def number(text: str, name: str, least: int, most: int) -> int:
    """Return the whole number in `text`. Raises ValueError if there is none, or if it is not from `least` to `most`.
    `name` is the name of the number in the message."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"{name} needs a whole number, not {clip(text)}")
    value = int(text)
    if not least <= value <= most:
        limit = f"at least {least}" if value < least else f"at most {most}"
        raise ValueError(f"{name} must be {limit}, not {clip(text)}")
    return value
