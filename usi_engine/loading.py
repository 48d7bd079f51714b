"""Loading the native library (and building it, the first time) while the GUI is kept patient."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING

from usi_engine.output import Output, leave

if TYPE_CHECKING:
    from search.iterative import Searcher

# GUIs give an engine that is silent for long up for dead; YaneuraOu's custom is a bare newline every 5 s.
KEEP_ALIVE = 5.0


def load_searcher(output: Output, hash_mb: int, quit_seen: threading.Event) -> Searcher:
    """Build and load what a search needs, and make the searcher.

    Takes a minute when nothing has been compiled yet, and says so. Ends the process if `quit_seen` is set meanwhile,
    or if the library can't be had: a GUI shows an engine that ended, and hangs on one that never gets ready.
    """
    loaded: list[Searcher] = []
    failures: list[Exception] = []
    wake = threading.Event()

    def work() -> None:
        try:
            loaded.append(_load(output, hash_mb))
        except Exception as failure:
            failures.append(failure)
        finally:
            wake.set()

    threading.Thread(target=work, name="loading", daemon=True).start()
    newline_at = time.perf_counter() + KEEP_ALIVE
    while not wake.wait(0.05):
        if quit_seen.is_set():
            leave()
        if time.perf_counter() >= newline_at:
            output.line()
            newline_at += KEEP_ALIVE
    if failures:
        text = f"the engine cannot be loaded: {type(failures[0]).__name__}: {failures[0]}"
        output.error(text)
        print(f"kogoma: {text}", file=sys.stderr, flush=True)
        leave(1)
    return loaded[0]


def _load(output: Output, hash_mb: int) -> Searcher:
    from search.iterative import Searcher
    from search.library import warmup

    try:
        searcher = Searcher(hash_mb=hash_mb)
    except MemoryError:
        output.error(f"not enough memory for USI_Hash {hash_mb}: it is 1 now")
        searcher = Searcher(hash_mb=1)
    warmup(output.note)
    searcher.wait()
    return searcher
