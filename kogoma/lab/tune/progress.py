"""Progress of long runs: a bar in a terminal, otherwise a line per minute."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any

from kogoma.environment import can_provide
from kogoma.escapes import terminal

EVERY = 60  # seconds between lines


class Progress:
    """A context manager that prints the progress of a run as lines. `total` is the number of items, `there` is the
    number of items done before this run, and `things` is the plural noun for the items."""

    def __init__(self, total: int, there: int, things: str) -> None:
        self.total, self.done, self._there, self.things = total, there, there, things
        self._started = self._told = time.monotonic()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *exc_info: Any) -> None:
        say(self.line())

    def add(self, count: int) -> None:
        """Count `count` more items as done. Print a line with the progress if EVERY seconds have passed since the last
        line."""
        self.done += count
        if time.monotonic() >= self._told + EVERY:
            self._told = time.monotonic()
            say(self.line())

    def line(self) -> str:
        """Return a line of text with the items done, the speed and the remaining time."""
        rate, left = self._pace()
        return f"{self.done:,} of {self.total:,} {self.things}, {rate}/s, {left} left"

    def _pace(self) -> tuple[str, str]:
        """Return the items per second in this run and the remaining time, both as text."""
        rate = (self.done - self._there) / max(time.monotonic() - self._started, 1e-3)
        left = duration(max(self.total - self.done, 0) / rate) if rate else "unknown time"
        return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}", left


class LiveProgress(Progress):
    """A progress bar. Creating it raises ImportError if the package rich is not installed."""

    def __init__(self, total: int, there: int, things: str) -> None:
        super().__init__(total, there, things)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        words = TextColumn(f"{{task.fields[rate]}} {things}/s, {{task.fields[left]}} left")
        self._bar = Bar(BarColumn(), MofNCompleteColumn(), words, console=Console(file=terminal()), transient=True)
        self._task = self._bar.add_task("", total=total, completed=there, rate="0", left="unknown time")

    def __enter__(self) -> Progress:
        self._bar.start()
        return self

    def __exit__(self, *exc_info: Any) -> None:
        self._bar.stop()
        super().__exit__(*exc_info)

    def add(self, count: int) -> None:
        """Count `count` more items as done and update the bar."""
        self.done += count
        rate, left = self._pace()
        self._bar.update(self._task, completed=min(self.done, self.total), rate=rate, left=left)


def progress(total: int, there: int, things: str = "positions") -> Progress:
    """Return a LiveProgress if standard output is a terminal and the package rich is installed, otherwise a
    Progress."""
    if sys.stdout.isatty() and can_provide("lab"):
        with contextlib.suppress(ImportError):
            return LiveProgress(total, there, things)
    return Progress(total, there, things)


def say(text: str) -> None:
    """Print a line, and flush standard output."""
    print(text, flush=True)


def duration(seconds: float) -> str:
    """Return a number of seconds as text, for example "1 h 20 min", "3 min" or "40 s"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
