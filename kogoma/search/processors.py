"""The number of threads that are worth using."""

from __future__ import annotations

import os


def processors() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def useful_threads(wanted: int) -> int:
    """Return how many threads are worth using: `wanted`, but at most one per processor, because more threads would
    delay the main thread."""
    return min(wanted, processors())
