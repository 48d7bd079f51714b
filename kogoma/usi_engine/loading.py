"""Builds of native libraries while the GUI waits, and other work while the engine plays."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from kogoma.output_file import shortage
from kogoma.usi_engine.output import Output, exit_process

if TYPE_CHECKING:
    from kogoma.native.library import Library

# GUIs give up engines that are silent for long; like YaneuraOu, send an empty line every 5 s.
KEEP_ALIVE = 5.0

POLL = 0.005  # seconds between checks of `stop` and the clock


class Build:
    """A function that builds or loads native libraries, or computes something, and runs on a thread of its own. When
    `ended` is set, `failure` is the exception that it raised, or None."""

    def __init__(self, work: Callable[[], None]) -> None:
        """Start to run `work`."""
        self.failure: Exception | None = None
        self.ended, self._work = threading.Event(), work
        try:
            threading.Thread(target=self._run, name="build", daemon=True).start()
        except RuntimeError as failure:  # too little memory
            self.failure = failure
            self.ended.set()

    def _run(self) -> None:
        try:
            self._work()
        except Exception as failure:  # reported by the thread that waits
            self.failure = failure
        finally:
            self.ended.set()

    def wait(self, stopped: threading.Event, until: float | None) -> bool:
        """Wait until the build has ended, and return True. Return False if `stopped` is set before that, or when
        time.perf_counter() reaches `until`."""
        while not self.ended.wait(POLL):
            if stopped.is_set() or (until is not None and time.perf_counter() >= until - POLL):
                return False
        return True


def keep_waiting(load: Callable[[], None], output: Output, quit_seen: threading.Event) -> None:
    """Run `load`, which builds or loads native libraries. The first build takes up to a minute; meanwhile, the GUI gets
    empty lines, so that it goes on waiting. End the process if `quit_seen` is set meanwhile or if `load` fails, because
    GUIs show that an engine has ended, but hang if it never gets ready."""
    build, newline_at = Build(load), time.perf_counter() + KEEP_ALIVE
    while not build.ended.wait(0.05):
        if quit_seen.is_set():
            exit_process()
        if time.perf_counter() >= newline_at:
            output.line()
            newline_at += KEEP_ALIVE
    if (failure := build.failure) is not None:
        reason = " ".join(str(failure).split())  # numpy's errors have many lines
        text = f"the engine cannot be loaded: {shortage(failure) or f'{type(failure).__name__}: {reason}'}"
        output.error(text)
        with contextlib.suppress(ImportError, MemoryError):  # there may be too little memory for the translation
            from kogoma.japanese import message

            text = message(text)
        print(f"kogoma: {text}", file=sys.stderr, flush=True)
        exit_process(1)


def build_quietly(library: Library) -> None:
    """Build a library with low priority, while the engine plays."""
    from kogoma.native.compiler import Compiler

    with contextlib.closing(Compiler(library.layout, background=True)) as compiler:
        library.build(lambda text: None, compiler)
