"""The time margin of a turn, adapted to recent delays, and the start time of the process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable

Waits = Callable[[], tuple[float, float]]
MAX_AGE = 1.0  # seconds: an older process was not started for this game
WEIGHT = 2.0  # factor of the measured delay: reading the turn was probably delayed by as much
DECAY = 0.9  # share of a delay that is expected at the next turn
MAX_SHARE = 0.6  # largest margin, as a share of the turn's time


class Margin:
    """The time margin of a game's turns, in ms. On a busy machine, a process sees a turn late and continues late after
    each wait. Two measurements estimate this delay: how much later than planned the last search ended, and, on Linux,
    this thread's mean wait for a processor."""

    def __init__(self, least: float, decay: float = DECAY, waits: Waits | None = None) -> None:
        """Use margins of at least `least` ms, which are reserved for the transfer of the answer to the referee. `decay`
        is the share of a delay that is expected at the next turn. `waits` replaces `processor_waits`."""
        self._least, self._decay = least, decay
        self._late = 0.0
        self._waits = waits or processor_waits
        self._before = self._waits()

    def of(self, time: float) -> float:
        """Return the margin in ms for a turn of `time` ms that begins now."""
        self._before = self._waits()
        return max(self._least, min(self._least + WEIGHT * self._late, MAX_SHARE * time))

    def note(self, late: float) -> None:
        """Record that a search ended `late` ms after the planned time, or before it if `late` is negative."""
        waited, times = (now - before for now, before in zip(self._waits(), self._before))
        self._late = max(late, waited / max(times, 1), self._late * self._decay)


def processor_waits() -> tuple[float, float]:
    """Return how long (in ms) and how often this thread has waited for a processor so far, or two zeros if unknown."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            _, waited, times = map(int, file.read().split())
    except (OSError, ValueError):
        return 0.0, 0.0
    return waited / 1e6, times


def process_start() -> float:
    """Return the start time of this process on the clock of time.perf_counter. If the start is unknown or more than
    MAX_AGE ago, return the present time."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - age if 0 < age < MAX_AGE else now
