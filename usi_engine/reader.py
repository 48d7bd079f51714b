"""Lines of standard input, read on a thread of their own so that `quit` is seen while the engine is busy."""

from __future__ import annotations

import os
import queue
import threading
import time
from typing import NamedTuple

# More than ten thousand moves; a longer line is not a game.
LONGEST_LINE = 1 << 16


class Line(NamedTuple):
    """One line as it came: its bytes without the line's end, and when it was read (time.perf_counter).

    `text` is None at the end of input. `length` counts the line's bytes; if that is more than LONGEST_LINE, `text` is
    empty, because the line was thrown away as it came.
    """

    text: bytes | None
    length: int
    read_at: float


class LineReader(threading.Thread):
    """Reads a file descriptor to its end; `next_line` hands the lines out in order."""

    def __init__(self, descriptor: int, quit_seen: threading.Event) -> None:
        """`quit_seen` is set as soon as a line `quit` has come, however many lines wait before it."""
        super().__init__(name="stdin", daemon=True)
        self._descriptor = descriptor
        self._quit_seen = quit_seen
        self._lines: queue.SimpleQueue[Line] = queue.SimpleQueue()

    def next_line(self) -> Line:
        """The next line; waits for it."""
        return self._lines.get()

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
                if kept or dropped:
                    self._put(kept, dropped, now)
                self._lines.put(Line(None, 0, now))
                return
            first, *others = data.split(b"\n")
            kept += first
            for other in others:
                self._put(kept, dropped, now)
                kept, dropped = other, 0
            if len(kept) > LONGEST_LINE:
                kept, dropped = b"", dropped + len(kept)

    def _put(self, text: bytes, dropped: int, now: float) -> None:
        length = dropped + len(text)
        if length > LONGEST_LINE:
            text = b""
        if text.strip() == b"quit":
            self._quit_seen.set()
        self._lines.put(Line(text, length, now))
