"""How long to think: what `go` asked for, the user's clock options, and the time budget that follows from both.

All times are milliseconds. The budget knows nothing about the position; the search decides between `optimum` and
`maximum` by how settled its move is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Once nothing is left after the network delay: still enough for a depth or two, and no more.
LAST_MOMENTS = 5.0

# Games of minishogi mostly last 30 to 60 plies. Plan for that many moves of one's own at the start, and never for
# fewer than the second number: nobody knows when a game ends. On larger boards games last longer.
MOVES_AT_START, MOVES_AT_LEAST, SQUARES = 24, 10, 25

# A single move may take five times its share, but no more than this part of the clock and of the increment.
PATIENCE, PART_OF_CLOCK, PART_OF_INCREMENT = 5.0, 0.35, 0.5

# With pondering, part of the next move's thinking is done on the opponent's time.
PONDER_BONUS = 1.25


# What a search answers, and USI says, instead of a move where the game can be won by declaration.
DECLARATION = "win"


@dataclass(frozen=True)
class Limits:
    """What one `go` allows: clocks in ms, counts, and switches; None means not given.

    `dice` is the throw, 1 to 6, of a game with a die; None where it is not thrown yet.
    `movestogo` is no part of USI, but xboard's adapters send it for "40 moves in 5 minutes".
    """

    btime: int | None = None
    wtime: int | None = None
    byoyomi: int | None = None
    binc: int | None = None
    winc: int | None = None
    movestogo: int | None = None
    movetime: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    dice: int | None = None

    def has_clock(self, turn: int) -> bool:
        """Whether any clock runs for the side to move (0 Black, 1 White)."""
        clocks = (self.wtime, self.winc) if turn else (self.btime, self.binc)
        return any(clock is not None for clock in (*clocks, self.byoyomi))


@dataclass(frozen=True)
class ClockOptions:
    """The user's clock settings: two times in ms, the share of the clock in percent, and whether a GUI ponders."""

    network_delay: int = 15
    minimum_thinking_time: int = 0
    slow_mover: int = 100
    ponder: bool = False


@dataclass(frozen=True)
class Budget:
    """When to stop, in ms from `go`: an ordinary move by `optimum`, any move by `maximum`, none before `minimum`.

    Where time that is not used is lost (byoyomi alone, movetime), `optimum` equals `maximum`.
    """

    optimum: float
    maximum: float
    minimum: float = 0.0


def budget(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int = SQUARES) -> Budget | None:
    """The time for one move, or None where no clock limits it (think until depth, nodes or `stop`).

    `turn` is the side to move (0 Black, 1 White), `ply` the number of plies already played, `squares` the size
    of the board. For a search that ponders the times count from `ponderhit`.
    """
    if limits.infinite or not (limits.has_clock(turn) or limits.movetime is not None):
        return None
    fixed = None if limits.movetime is None else _usable(limits.movetime, options)
    if not limits.has_clock(turn):
        assert fixed is not None
        return Budget(fixed, fixed)
    optimum, maximum = _clock_share(limits, turn, ply, options, squares)
    if fixed is not None:
        maximum = min(maximum, fixed)
    minimum = min(float(options.minimum_thinking_time), maximum)
    return Budget(min(max(optimum, minimum), maximum), maximum, minimum)


def _usable(available: float, options: ClockOptions) -> float:
    """What may be thought of the time on the clock, so that the move also arrives in time."""
    return max(available - options.network_delay, min(LAST_MOMENTS, available / 2))


def _clock_share(limits: Limits, turn: int, ply: int, options: ClockOptions, squares: int) -> tuple[float, float]:
    clock = float((limits.wtime if turn else limits.btime) or 0)
    increment = float((limits.winc if turn else limits.binc) or 0)
    byoyomi = float(limits.byoyomi or 0)
    # An increment is on the clock already, or is only added after the move: it can't be counted on now. With nothing
    # else left it must be what this move is played on.
    if not clock and not byoyomi:
        clock, increment = increment, 0.0
        usable = _usable(clock, options)
        return usable, usable
    usable = _usable(clock + byoyomi, options)

    longer = max(1.0, math.sqrt(squares / SQUARES))
    moves = round(max(MOVES_AT_LEAST * longer, MOVES_AT_START * longer - ply / 3))
    part = PART_OF_CLOCK
    if limits.movestogo:
        moves = min(moves, limits.movestogo)
        part = max(part, 0.8 / moves)
    # Every move loses the delay on its way, which an increment may pay for.
    delay = options.network_delay
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
    return min(optimum, usable), min(maximum, usable)
