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


class Computation:
    """The endings of five cards, computed on a thread of its own. On Linux, where each thread has a priority, it has
    the lowest one."""

    def __init__(self, cards: tuple[int, ...], men: int, before: Computation | None) -> None:
        """Start to compute the endings with at most `men` men, when the cancelled computation `before` has ended."""
        self.cards, self.men = cards, men
        self.endings: Endings | None = None  # when they are computed
        self._solving: Endings | None = None
        self._cancelled = threading.Event()
        self._build: Build = Build(partial(self._compute, None if before is None else before._build.ended))

    @property
    def failure(self) -> Exception | None:
        """The exception because of which there are no endings, or None."""
        return self._build.failure

    def cancel(self) -> None:
        """End the computation soon. This does not wait for its end."""
        self._cancelled.set()
        if (solving := self._solving) is not None:
            solving.stop()

    def _compute(self, before: threading.Event | None) -> None:
        from kogoma.search.endings.tables import LAYOUT
        from kogoma.search.library import tablebase_library
        from kogoma.search.tablebase.onitama.values import Endings

        if before is not None:
            before.wait()
        library = tablebase_library(LAYOUT)
        if not library.is_built(lambda text: None):
            build_quietly(library)
        if self._cancelled.is_set():
            return
        solving = self._solving = Endings(self.cards, self.men)
        if self._cancelled.is_set():
            return
        if sys.platform == "linux":
            # Only now: other threads may have to wait for one that runs Python code.
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), LOWEST_PRIORITY)
        if solving.solve():
            self.endings = solving
