"""How many threads a search is worth running."""

from __future__ import annotations

import os


def processors() -> int:
    """Those that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(wanted: int) -> int:
    """No more than there are processors: a thread without one takes away the main thread's time, and with it the move
    in time."""
    return min(wanted, processors())
