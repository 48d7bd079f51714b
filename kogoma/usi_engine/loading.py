"""Load the native libraries, building them the first time, while the GUI is kept waiting."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from typing import TYPE_CHECKING

from kogoma.output_file import shortage
from kogoma.rules.variants import Variant
from kogoma.usi_engine.output import Output, exit_process

if TYPE_CHECKING:
    from kogoma.search.searcher import Searcher

# GUIs give up engines that are silent for long; like YaneuraOu, send an empty line every 5 s.
KEEP_ALIVE = 5.0

POLL = 0.005  # seconds between checks of `stop` and the clock


def load_game(
    output: Output, searcher: Searcher | None, hash_mb: int, variant: Variant, network: bool, quit_seen: threading.Event
) -> Searcher:
    """Build and load the native libraries and the weights that a variant needs. Return `searcher` or, if it is None, a
    new one. `network` is false if only the handcrafted terms are used. The first build takes up to a minute, and the
    user is told about it; meanwhile, the GUI gets empty lines, so that it goes on waiting. End the process if
    `quit_seen` is set meanwhile or if a library cannot be built, because GUIs show that an engine has ended, but hang
    if it never gets ready."""
    loaded: list[Searcher] = []
    failures: list[Exception] = []
    wake = threading.Event()

    def work() -> None:
        try:
            loaded.append(_load(output, searcher, hash_mb, variant, network))
        except Exception as failure:  # reported by the waiting thread
            failures.append(failure)
        finally:
            wake.set()

    try:
        threading.Thread(target=work, name="loading", daemon=True).start()
    except RuntimeError as failure:  # too little memory
        failures.append(failure)
        wake.set()
    newline_at = time.perf_counter() + KEEP_ALIVE
    while not wake.wait(0.05):
        if quit_seen.is_set():
            exit_process()
        if time.perf_counter() >= newline_at:
            output.line()
            newline_at += KEEP_ALIVE
    if failures:
        reason = " ".join(str(failures[0]).split())  # numpy's errors have many lines
        reason = shortage(failures[0]) or f"{type(failures[0]).__name__}: {reason}"
        text = f"the engine cannot be loaded: {reason}"
        output.error(text)
        with contextlib.suppress(ImportError, MemoryError):  # there may be too little memory for the translation
            from kogoma.japanese import message

            text = message(text)
        print(f"kogoma: {text}", file=sys.stderr, flush=True)
        exit_process(1)
    return loaded[0]


def _load(output: Output, searcher: Searcher | None, hash_mb: int, variant: Variant, network: bool) -> Searcher:
    from kogoma.eval.weights import tuned
    from kogoma.search.library import warmup
    from kogoma.search.searcher import Searcher

    if searcher is None:
        try:
            searcher = Searcher(hash_mb=hash_mb, variant=variant, network=network)
        except MemoryError:
            output.error(f"not enough memory for USI_Hash {hash_mb}: it is set to 1")
            searcher = Searcher(hash_mb=1, variant=variant, network=network)
    warmup(output.note, variant)
    tuned(variant, network)  # load the weights now, not in the first search
    searcher.wait()
    return searcher


class MateBuild:
    """A build of the mate solver's library in the background, with low priority, while the engine plays."""

    def __init__(self, layout: str) -> None:
        """Start to build the native mate solver for `layout`, on a thread of its own."""
        self.failure: Exception | None = None
        self._layout, self._ended = layout, threading.Event()
        try:
            threading.Thread(target=self._work, name="building mate", daemon=True).start()
        except RuntimeError as failure:  # too little memory
            self.failure = failure
            self._ended.set()

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
