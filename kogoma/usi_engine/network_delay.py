"""The part of a move's time that is kept back for the way to the GUI's clock, measured unless the option NetworkDelay
names it."""

from __future__ import annotations

from kogoma.arena.codingame.time_margin import LateMargin
from kogoma.search.limits import Limits

MEASURED = -1  # NetworkDelay: the delay is measured
LEAST, USUAL = 2, 15  # ms: the least delay, and the largest without late answers
DECAY = 0.98  # share of a late answer's delay that is expected of the next: a game is lost by one late answer
PART = 50  # that delay is this part of the time for the move
MOVES = 40  # that the main time is expected to last


class MeasuredDelay:
    """The delay of the next answer. It grows after answers that were late, and shrinks after others."""

    def __init__(self) -> None:
        self._margin = LateMargin(LEAST, DECAY)

    def of(self, limits: Limits, turn: int) -> int:
        """Return how many ms to keep back of the time for a move: between LEAST and USUAL, and more after late answers.
        `turn` is the side to move."""
        time = time_for_move(limits, turn)
        return USUAL if time is None else max(min(USUAL, round(time / PART)), round(self._margin.of(time)))

    def note(self, late: float, waits: tuple[float, float]) -> None:
        """Record that an answer was ready `late` ms after the latest time, or before it if `late` is negative. `waits`
        is the result of `processor_waits` on the search's thread, which is a new one for each search."""
        waited, times = waits
        self._margin.note(max(late, waited / max(times, 1)))


def time_for_move(limits: Limits, turn: int) -> float | None:
    """Return the time that the limits give for a move, in ms, or None if none of them is a time."""
    if limits.movetime is not None:
        return limits.movetime
    main, increment = (limits.wtime, limits.winc) if turn else (limits.btime, limits.binc)
    given = [time for time in (main, increment, limits.byoyomi) if time is not None]
    return (main or 0) / MOVES + (increment or 0) + (limits.byoyomi or 0) if given else None
