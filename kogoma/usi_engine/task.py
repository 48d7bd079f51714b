"""Work that goes on while commands are read: at most one task at a time, each on a thread of its own."""

from __future__ import annotations

import sys
import threading
import traceback

from kogoma.usi_engine.output import Output


class Task:
    """One piece of work; subclasses do it in `work`."""

    def __init__(self, output: Output, caveat: str = "") -> None:
        """`caveat` is to be said before an answer, by the lines `self.caveat`."""
        self.output = output
        self.caveat = [f"info string {caveat}"] if caveat else []
        self.stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ended = False

    def work(self) -> list[str]:
        """Do it; returns the last lines to send."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ask it to come to its end at once. From any thread, at any time."""
        self.stopped.set()

    @property
    def ended(self) -> bool:
        """True from the moment its last line has been sent, so that whoever has read that line can go on at once."""
        with self.output.lock:
            return self._ended

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, or for so many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            lines = self.work()
        except Exception as failure:  # a bug ends the command, not the engine
            report_failure(self.output, failure)
            lines = []
        with self.output.lock:
            for line in lines:
                self.output.line(line)
            self._ended = True


def report_failure(output: Output, failure: Exception) -> None:
    """An error that nobody foresaw: one line for the GUI, the whole story for standard error."""
    output.error(f"internal: {type(failure).__name__}: {failure}")
    print("".join(traceback.format_exception(failure)), file=sys.stderr, flush=True)
