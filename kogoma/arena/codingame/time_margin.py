"""The time margin of a turn, adapted to recent delays, and the start time of the process."""

from __future__ import annotations

import os
import time

MAX_AGE = 1.0  # seconds: an older process was not started for this game
WEIGHT = 2.0  # factor of the measured delay: reading the turn was probably delayed by as much
DECAY = 0.9  # share of a delay that is expected at the next turn
MAX_SHARE = 0.6  # largest margin, as a share of the turn's time


class LateMargin:
    """A time margin in ms that grows after answers that were late, and shrinks after others."""

    def __init__(self, least: float, decay: float = DECAY) -> None:
        """Use margins of at least `least` ms. `decay` is the share of a delay that is expected at the next turn."""
        self._least, self._decay = least, decay
        self._late = 0.0

    def of(self, time: float) -> float:
        """Return the margin in ms for a turn of `time` ms that begins now."""
        return max(self._least, min(self._least + WEIGHT * self._late, MAX_SHARE * time))

    def note(self, late: float) -> None:
        """Record that a search ended `late` ms after the planned time, or before it if `late` is negative."""
        self._late = max(late, self._late * self._decay)


class Margin(LateMargin):
    """The time margin of a game's turns. On a busy machine, a process sees a turn late and continues late after each
    wait. Two measurements estimate this delay: how much later than planned the last search ended, and, on Linux, this
    thread's mean wait for a processor. The least margin is reserved for the transfer of the answer to the referee."""

    def __init__(self, least: float) -> None:
        super().__init__(least)
        self._before = processor_waits()

    def of(self, time: float) -> float:
        """Return the margin in ms for a turn of `time` ms that begins now."""
        self._before = processor_waits()
        return super().of(time)

    def note(self, late: float) -> None:
        """Record that a search ended `late` ms after the planned time, or before it if `late` is negative."""
        waited, times = (now - before for now, before in zip(processor_waits(), self._before))
        super().note(max(late, waited / max(times, 1)))


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
