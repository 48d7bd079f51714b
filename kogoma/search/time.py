"""Time management: the usual and the latest time to answer, and whether another iteration is worthwhile.

All times are milliseconds. `Budget` does not know the position; a `Finding` tells `Budget.due` how settled the best
move is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kogoma.search.limits import ClockOptions, Limits

# Time in ms if nothing is left after the network delay: enough for one or two iterations.
LAST_MOMENTS = 5.0

# Number of own moves that the rest of a game is expected to take: at the start, and at least, on a board of SQUARES
# squares. Minishogi games last 30 to 60 plies. Games on larger boards last longer.
MOVES_AT_START, MOVES_AT_LEAST, SQUARES = 24, 10, 25

# A move may take five times its share, but at most this part of clock and increment.
PATIENCE, PART_OF_CLOCK, PART_OF_INCREMENT = 5.0, 0.35, 0.5

# With pondering, part of the thinking is done on the opponent's time.
PONDER_BONUS = 1.25

# With only one legal move, a search to this depth is enough.
ENOUGH_WITHOUT_CHOICE = 4


@dataclass(frozen=True)
class Finding:
    """The result of a finished iteration, as far as it matters for time management. `depth` is its depth, `choices` the
    number of root moves, and `steady` the number of iterations in a row with the same best move. `falling` is the loss
    of score since the iteration before, in centipawns, and `effort` the share of nodes spent on the best move. `since`
    is the time.perf_counter() at which that move became best, and `proven` marks a mate that more depth cannot
    improve."""

    depth: int
    choices: int
    steady: int
    falling: int
    effort: float
    since: float
    proven: bool


@dataclass(frozen=True)
class Budget:
    """When to stop, in ms after `go`: usually by `optimum`, at the latest by `maximum`, not before `minimum`. If unused
    time is lost (byoyomi only, movetime), `optimum` equals `maximum`. If the clock counts whole seconds, the move must
    be given `early` ms before the end of a second; for other clocks `early` is None."""

    optimum: float
    maximum: float
    minimum: float = 0.0
    early: float | None = None

    def due(self, found: Finding, credit: float = 0.0) -> float:
        """Return the time in ms after which another iteration is not worthwhile. `credit` is the time in ms during
        which the best move was already the best while the engine pondered, before the clock started."""
        if found.proven:
            return 0.0
        if found.choices == 1 and found.depth >= ENOUGH_WITHOUT_CHOICE:
            return self.minimum
        if self.optimum >= self.maximum:
            return self.maximum
        # A settled best move needs less time; a falling score or an unclear best move needs more.
        share = self.optimum * (1.2 - 0.08 * min(found.steady, 8))
        share *= 1.0 + min(max(found.falling, 0), 200) / 200
        share *= 1.5 - 0.8 * found.effort
        return max(share * 0.7 - credit, self.minimum)

    def paid_until(self, elapsed: float) -> float:
        """Return the latest time in ms at which a move costs no more clock time than at `elapsed`: the end of the
        current second if the clock counts whole seconds, otherwise `elapsed` itself."""
        return elapsed if self.early is None else min(_to_full_second(elapsed, self.early), self.maximum)


def budget(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int = SQUARES) -> Budget | None:
    """Return the time budget of one move, or None if no clock limits it. `turn` is the side to move (0 Black, 1 White),
    `ply` the number of plies played, `squares` the number of squares of the board. The times of a pondering search
    count from `ponderhit`."""
    if limits.infinite or not (limits.has_clock(turn) or limits.movetime is not None):
        return None
    fixed = None if limits.movetime is None else _usable(limits.movetime, options.network_delay)
    if not limits.has_clock(turn):
        assert fixed is not None
        return Budget(fixed, fixed)
    return _on_the_clock(limits, turn, ply, options, squares, fixed)


def _on_the_clock(
    limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int, most: float | None
) -> Budget:
    """Return the time budget of one move from the game clock. `most` is a further upper limit in ms, or None."""
    optimum, maximum = _clock_share(limits, turn, ply, options, squares)
    if most is not None:
        maximum = min(maximum, most)
    minimum = min(float(options.minimum_thinking_time), maximum)
    early = float(options.network_delay) if options.whole_seconds else None
    return Budget(min(max(optimum, minimum), maximum), maximum, minimum, early)


def _usable(available: float, delay: float) -> float:
    """Return how many of the `available` ms may be used, so that the move arrives before the clock runs out. `delay` is
    the network delay in ms."""
    return max(available - delay, min(LAST_MOMENTS, available / 2))


def _to_full_second(ms: float, early: float) -> float:
    """Return the first time, at or after `ms`, that is `early` ms before a full second. All times are in ms."""
    return math.ceil((ms + early) / 1000) * 1000 - early


def _clock_share(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int) -> tuple[float, float]:
    """Return the usual and the latest time to answer, in ms, from the game clock of the side to move (`turn`)."""
    clock = float((limits.wtime if turn else limits.btime) or 0)
    delay = options.network_delay
    worst = max(delay, options.network_delay_most)
    increment = float((limits.winc if turn else limits.binc) or 0)
    byoyomi = float(limits.byoyomi or 0)
    # Some clocks add the increment only after the move, so it does not count as available time. It is used
    # only if there is no other time.
    if not clock and not byoyomi:
        clock, increment = increment, 0.0
        usable = _usable(clock, worst)
        return usable, usable
    usable = _usable(clock + byoyomi, worst)

    longer = max(1.0, math.sqrt(squares / SQUARES))
    moves = round(max(MOVES_AT_LEAST * longer, MOVES_AT_START * longer - ply / 3))
    part = PART_OF_CLOCK
    if limits.movestogo:
        moves = min(moves, limits.movestogo)
        part = max(part, 0.8 / moves)
    # Every move loses the network delay, which the increment may cover.
    pool = max(clock + increment * (moves - 1) - delay * moves, clock / 10)
    reserve = max(delay - increment, 0.0) * moves
    most = part * max(clock - reserve, clock / 10) + PART_OF_INCREMENT * min(increment, clock)
    share = pool / moves * options.slow_mover / 100
    if options.ponder:
        share *= PONDER_BONUS

    # Byoyomi is renewed for every move once the main time is used up, so a main time of less than one byoyomi
    # is spent at once.
    remainder = min(clock, byoyomi)
    optimum = byoyomi + max(min(share, most), remainder)
    maximum = byoyomi + max(min(PATIENCE * share, most), remainder)
    if options.whole_seconds:
        maximum = _to_full_second(maximum, delay)
    return min(optimum, usable), min(maximum, usable)
