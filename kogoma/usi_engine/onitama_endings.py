"""Onitama's endings during play: computed in the background for the cards of the game."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from functools import partial
from typing import TYPE_CHECKING

from kogoma.usi_engine.loading import Build, build_quietly

if TYPE_CHECKING:
    from kogoma.search.tablebase.onitama.values import Endings

LEAST_MEN = 2  # the masters
LOWEST_PRIORITY = 19  # as `nice` counts
HAS_PRIORITIES = sys.platform == "linux"  # each thread has a priority of its own
THREADS = 2


class Computation:
    """The endings of five cards, which are computed on threads of their own, with low priority if the system has
    priorities of threads."""

    def __init__(self, cards: tuple[int, ...], men: int, before: Computation | None) -> None:
        """Start to compute the endings with at most `men` men, when the computation `before`, which is to be cancelled,
        has ended."""
        if before is not None:
            before.cancel()
        self.cards, self.men = cards, men
        self.endings: Endings | None = None  # when they are computed
        self._cancelled = threading.Event()
        self._build = Build(partial(self._compute, None if before is None else before._build.ended))

    @property
    def failure(self) -> Exception | None:
        """The exception because of which there are no endings, or None."""
        return self._build.failure

    def cancel(self) -> None:
        """End the computation soon. This does not wait for its end."""
        self._cancelled.set()

    def _compute(self, before: threading.Event | None) -> None:
        from kogoma.search.library import tablebase_library
        from kogoma.search.processors import useful_threads
        from kogoma.search.tablebase.onitama.solve import solve
        from kogoma.search.tablebase.onitama.tables import LAYOUT

        lower_priority()
        if before is not None:
            before.wait()
        if self._cancelled.is_set():
            return
        library = tablebase_library(LAYOUT)
        if not library.is_built(lambda text: None):
            build_quietly(library)
        threads = useful_threads(THREADS) if HAS_PRIORITIES else 1
        self.endings = solve(self.cards, self.men, threads, lower_priority, self._cancelled.is_set)


def lower_priority() -> None:
    """Let other threads run before this one."""
    if HAS_PRIORITIES:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
