"""Load the native libraries, building them the first time, while the GUI is kept waiting."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from kogoma.rules.variants import Variant
from kogoma.usi_engine.output import Output, exit_process

if TYPE_CHECKING:
    from kogoma.search.searcher import Searcher

# GUIs give up engines that are silent for long; like YaneuraOu, send an empty line every 5 s.
KEEP_ALIVE = 5.0

POLL = 0.005  # seconds between checks of `stop` and the clock

Loaded = TypeVar("Loaded")


def load_searcher(
    output: Output, hash_mb: int, variant: Variant, network: bool, quit_seen: threading.Event
) -> Searcher:
    """Build and load the native libraries that a variant needs, and return a new searcher. `network` is false if only
    the handcrafted terms are used. As in `load_game`, the process ends if this fails or `quit_seen` is set."""

    def load() -> Searcher:
        from kogoma.search.library import warmup
        from kogoma.search.searcher import Searcher

        try:
            searcher = Searcher(hash_mb=hash_mb, variant=variant, network=network)
        except MemoryError:
            output.error(f"not enough memory for USI_Hash {hash_mb}: it is set to 1")
            searcher = Searcher(hash_mb=1, variant=variant, network=network)
        warmup(output.note, variant)
        searcher.wait()
        return searcher

    return _load_while_waiting(output, quit_seen, load)


def load_game(output: Output, variant: Variant, network: bool, quit_seen: threading.Event) -> None:
    """Build and load the native libraries and the weights that a variant needs. `network` is false if only the
    handcrafted terms are used. The first build takes up to a minute, and the user is
    told about it. End the process if `quit_seen` is set meanwhile or if a library cannot be built, because GUIs show
    that an engine has ended, but hang if it never gets ready."""
    from kogoma.eval.weights import tuned
    from kogoma.search.library import warmup

    def load() -> None:
        warmup(output.note, variant)
        tuned(variant, network)  # load the weights now, not in the first search

    _load_while_waiting(output, quit_seen, load)


class MateBuild:
    """A build of the mate solver's library in the background, with low priority, while the engine plays."""

    def __init__(self, layout: str) -> None:
        """Start to build the native mate solver for `layout`, on a thread of its own."""
        self.failure: Exception | None = None
        self._layout, self._ended = layout, threading.Event()
        threading.Thread(target=self._work, name="building mate", daemon=True).start()

    def _work(self) -> None:
        from kogoma.native.compiler import Compiler
        from kogoma.search.library import mate_library

        try:
            with contextlib.closing(Compiler(self._layout, background=True)) as compiler:
                mate_library(self._layout).build(lambda text: None, compiler)
        except Exception as failure:  # reported by `go mate`
            self.failure = failure
        self._ended.set()

    @property
    def ended(self) -> bool:
        """Whether the build has ended. If it has failed, `failure` is set."""
        return self._ended.is_set()

    def wait(self, stopped: threading.Event, until: float | None) -> bool:
        """Wait until the build has ended, and return True. Return False if `stopped` is set before that, or when
        time.perf_counter() reaches `until`."""
        while not self._ended.wait(POLL):
            if stopped.is_set() or (until is not None and time.perf_counter() >= until - POLL):
                return False
        return True


def _load_while_waiting(output: Output, quit_seen: threading.Event, load: Callable[[], Loaded]) -> Loaded:
    """Call `load` on another thread and return its result. Meanwhile, send the GUI empty lines, so that it goes on
    waiting."""
    loaded: list[Loaded] = []
    failures: list[Exception] = []
    wake = threading.Event()

    def work() -> None:
        try:
            loaded.append(load())
        except Exception as failure:  # raised again by the waiting thread
            failures.append(failure)
        finally:
            wake.set()

    threading.Thread(target=work, name="loading", daemon=True).start()
    newline_at = time.perf_counter() + KEEP_ALIVE
    while not wake.wait(0.05):
        if quit_seen.is_set():
            exit_process()
        if time.perf_counter() >= newline_at:
            output.line()
            newline_at += KEEP_ALIVE
    if failures:
        reason = " ".join(str(failures[0]).split())  # numpy's errors have many lines
        text = f"the engine cannot be loaded: {type(failures[0]).__name__}: {reason}"
        output.error(text)
        from kogoma.japanese import message

        print(f"kogoma: {message(text)}", file=sys.stderr, flush=True)
        exit_process(1)
    return loaded[0]
