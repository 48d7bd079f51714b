"""How much of a turn's time is kept back, from what has been lost on the way lately; and when a process began."""

from __future__ import annotations

import os
import time

OLDEST = 1.0  # seconds: a process that began longer ago was not started for this game
WEIGHT = 2.0  # an answer that came late by so much stands for a turn that was read as late, too
DECAY = 0.9  # what of a delay is expected at the next turn
MOST = 0.6  # of the turn's time


class Margin:
    """The margin of a game's turns, in ms. Where other work keeps the processor busy, a process is told of a turn late,
    and goes on late when it has waited: a search that ends later than planned tells by how much, and so, where the
    system counts it, does how long this thread waits for a processor each time."""

    def __init__(self, least: float) -> None:
        """`least`, in ms, is kept back whatever happens: for the way to the referee."""
        self._least = least
        self._late = 0.0
        self._before = waiting()

    def of(self, time: float) -> float:
        """What to keep back of `time` ms for a turn that begins now."""
        self._before = waiting()
        return max(self._least, min(self._least + WEIGHT * self._late, MOST * time))

    def note(self, late: float) -> None:
        """A search ended `late` ms after the moment that was planned (before it, if that is negative)."""
        waited, times = (now - before for now, before in zip(waiting(), self._before))
        self._late = max(late, waited / max(times, 1), self._late * DECAY)


def waiting() -> tuple[float, float]:
    """How long this thread has waited for a processor so far, in ms, and how often; zeros where nobody counts that."""
    try:
        with open("/proc/thread-self/schedstat", "rb") as file:
            _, waited, times = map(int, file.read().split())
    except (OSError, ValueError):
        return 0.0, 0.0
    return waited / 1e6, times


def process_start() -> float:
    """The time.perf_counter() at which this process began, where the system tells; otherwise now."""
    now = time.perf_counter()
    try:
        with open("/proc/self/stat", "rb") as file:
            ticks = int(file.read().rpartition(b")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, AttributeError, ValueError, IndexError):
        return now
    return now - age if 0 < age < OLDEST else now
