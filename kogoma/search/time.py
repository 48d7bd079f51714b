"""The time for one move: when an ordinary move is due, when any move is, and whether another iteration pays.

All times are milliseconds. The budget knows nothing about the position; `Budget.due` is told by a `Finding` how settled
the search's move is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from kogoma.search.limits import ClockOptions, Limits

# Once nothing is left after the network delay: still enough for a depth or two, and no more.
LAST_MOMENTS = 5.0

# Games of minishogi mostly last 30 to 60 plies. Plan for that many moves of one's own at the start, and never for
# fewer than the second number: nobody knows when a game ends. On larger boards games last longer.
MOVES_AT_START, MOVES_AT_LEAST, SQUARES = 24, 10, 25

# A single move may take five times its share, but no more than this part of the clock and of the increment.
PATIENCE, PART_OF_CLOCK, PART_OF_INCREMENT = 5.0, 0.35, 0.5

# With pondering, part of the next move's thinking is done on the opponent's time.
PONDER_BONUS = 1.25

# Depth that gives a forced move its score.
ENOUGH_WITHOUT_CHOICE = 4


@dataclass(frozen=True)
class Finding:
    """What an iteration found, as far as it says whether another one pays.

    `depth` is finished; `choices`: root moves; `steady`: iterations with the same best move; `falling`: centipawns that
    the score has lost since the iteration before; `effort`: the share of nodes below the best move; `since`: the
    time.perf_counter() from which that move has been the best; `proven`: a mate that more depth can't better.
    """

    depth: int
    choices: int
    steady: int
    falling: int
    effort: float
    since: float
    proven: bool


@dataclass(frozen=True)
class Budget:
    """When to stop, in ms from `go`: an ordinary move by `optimum`, any move by `maximum`, none before `minimum`.

    Where time that is not used is lost (byoyomi alone, movetime), `optimum` equals `maximum`. Where the clock counts
    whole seconds, `early` says how long before the end of one the move must be given; elsewhere it is None.
    """

    optimum: float
    maximum: float
    minimum: float = 0.0
    early: float | None = None

    def due(self, found: Finding, credit: float = 0.0) -> float:
        """From how many ms of the clock on another iteration is not worth its time. `credit`: ms before the clock
        started, while pondering, for which the move had been the best."""
        if found.proven:
            return 0.0
        if found.choices == 1 and found.depth >= ENOUGH_WITHOUT_CHOICE:
            return self.minimum
        if self.optimum >= self.maximum:
            return self.maximum
        # A settled move deserves less than its share, a falling score or a contested move more.
        share = self.optimum * (1.2 - 0.08 * min(found.steady, 8))
        share *= 1.0 + min(max(found.falling, 0), 200) / 200
        share *= 1.5 - 0.8 * found.effort
        return max(share * 0.7 - credit, self.minimum)

    def paid_for(self, elapsed: float) -> float:
        """Until how many ms of the clock thinking costs no more than `elapsed` ms do: to the end of the second that has
        begun, where the clock counts whole seconds."""
        return elapsed if self.early is None else min(_to_full_second(elapsed, self.early), self.maximum)


def budget(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int = SQUARES) -> Budget | None:
    """The time for one move, or None where no clock limits it (think until depth, nodes or `stop`).

    `turn` is the side to move (0 Black, 1 White), `ply` the number of plies already played, `squares` the size
    of the board. For a search that ponders the times count from `ponderhit`; what was settled before it
    is `Budget.due`'s credit.
    """
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
    """A budget of the time that is left for the game; `most` is what the move may take besides."""
    optimum, maximum = _clock_share(limits, turn, ply, options, squares)
    if most is not None:
        maximum = min(maximum, most)
    minimum = min(float(options.minimum_thinking_time), maximum)
    early = float(options.network_delay) if options.whole_seconds else None
    return Budget(min(max(optimum, minimum), maximum), maximum, minimum, early)


def _usable(available: float, delay: float) -> float:
    """What may be thought of the time on the clock, so that the move also arrives in time."""
    return max(available - delay, min(LAST_MOMENTS, available / 2))


def _to_full_second(ms: float, early: float) -> float:
    """The end of the second that has begun by then, less what `Budget.early` says."""
    return math.ceil((ms + early) / 1000) * 1000 - early


def _clock_share(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int) -> tuple[float, float]:
    clock = float((limits.wtime if turn else limits.btime) or 0)
    delay = options.network_delay
    worst = max(delay, options.network_delay_most)
    increment = float((limits.winc if turn else limits.binc) or 0)
    byoyomi = float(limits.byoyomi or 0)
    # An increment is on the clock already, or is only added after the move: it can't be counted on now. With nothing
    # else left it must be what this move is played on.
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
    # Every move loses the delay on its way, which an increment may pay for.
    pool = max(clock + increment * (moves - 1) - delay * moves, clock / 10)
    reserve = max(delay - increment, 0.0) * moves
    most = part * max(clock - reserve, clock / 10) + PART_OF_INCREMENT * min(increment, clock)
    share = pool / moves * options.slow_mover / 100
    if options.ponder:
        share *= PONDER_BONUS

    # Byoyomi comes anew for every move, once the main time is gone: what is left of the main time below one byoyomi
    # buys most when it is all spent now.
    remainder = min(clock, byoyomi)
    optimum = byoyomi + max(min(share, most), remainder)
    maximum = byoyomi + max(min(PATIENCE * share, most), remainder)
    if options.whole_seconds:
        maximum = _to_full_second(maximum, delay)
    return min(optimum, usable), min(maximum, usable)
