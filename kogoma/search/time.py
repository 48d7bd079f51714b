"""Time management: the usual and the latest time to answer, and whether another iteration is worthwhile.

Times are integers in microseconds after the start of the clock, so that every host gets the same ones. The control
struct holds the limits and the results (`search.control`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int
from kogoma.search.control import NOT_GIVEN, control_dtype
from kogoma.search.types import Control, Thread

MS = 1000  # microseconds
SECOND = 1_000_000

# Time if nothing is left after the network delay: enough for one or two iterations.
LAST_MOMENTS = 5 * MS

# Number of own moves that the rest of a game is expected to take: at the start, and at least, on a board of SQUARES
# squares. Minishogi games last 30 to 60 plies. Games on larger boards last longer.
MOVES_AT_START, MOVES_AT_LEAST, SQUARES = 24, 10, 25

# A move may take five times its share, but at most this part of clock and increment, in percent.
PATIENCE, PART_OF_CLOCK, PART_OF_INCREMENT = 5, 35, 50

# With pondering, part of the thinking is done on the opponent's time. In percent.
PONDER_BONUS = 125

# With only one legal move, a search to this depth is enough.
ENOUGH_WITHOUT_CHOICE = 4


@kernel
def given(time: Int) -> Int:
    """Return a time limit in microseconds, given in milliseconds; 0 if it was not given."""
    return max(time, np.int64(0)) * MS


@kernel
def usable(available: Int, delay: Int) -> Int:
    """Return how much of the time `available` may be used, so that the move arrives before the clock runs out. `delay`
    is the network delay."""
    return max(available - delay, min(np.int64(LAST_MOMENTS), available // np.int64(2)))


@kernel
def to_full_second(time: Int, early: Int) -> Int:
    """Return the first time, at or after `time`, that is `early` before a full second."""
    return -(-(time + early) // np.int64(SECOND)) * SECOND - early


@kernel
def moves_left(control: Control) -> Int:
    """Return the number of own moves that the rest of the game is expected to take."""
    # How much longer games on this board last, in thousandths: the square root of its size relative to SQUARES.
    longer = np.int64(1000)
    while longer * longer < control.squares * 1_000_000 // np.int64(SQUARES):
        longer += 1
    expected = max(MOVES_AT_LEAST * longer, MOVES_AT_START * longer - control.ply * 1000 // np.int64(3))
    return (expected + 500) // np.int64(1000)


@kernel
def share_clock(control: Control) -> None:
    """Set `optimum` and `maximum` to the usual and the latest time to answer by the game clock of the side to move."""
    clock = given(control.main_time[control.side])
    increment = given(control.increment[control.side])
    byoyomi = given(control.byoyomi)
    delay = control.network_delay * MS
    worst = max(control.network_delay, control.network_delay_most) * MS
    # Some clocks add the increment only after the move, so it does not count as available time. It is used
    # only if there is no other time.
    if clock == 0 and byoyomi == 0:
        control.optimum = usable(increment, worst)
        control.maximum = control.optimum
        return
    most_usable = usable(clock + byoyomi, worst)

    moves = moves_left(control)
    if control.movestogo > 0:
        moves = min(moves, control.movestogo)
    # Every move loses the network delay, which the increment may cover.
    pool = max(clock + increment * (moves - 1) - delay * moves, clock // np.int64(10))
    reserve = max(delay - increment, np.int64(0)) * moves
    base = max(clock - reserve, clock // np.int64(10))
    most = base * PART_OF_CLOCK // np.int64(100)
    if control.movestogo > 0:
        most = max(most, base * 80 // (100 * moves))
    most += min(increment, clock) * PART_OF_INCREMENT // np.int64(100)
    share = pool // moves * control.slow_mover // np.int64(100)
    if control.ponders != 0:
        share = share * PONDER_BONUS // np.int64(100)

    # Byoyomi is renewed for every move once the main time is used up, so a main time of less than one byoyomi
    # is spent at once.
    remainder = min(clock, byoyomi)
    control.optimum = byoyomi + max(min(share, most), remainder)
    control.maximum = byoyomi + max(min(PATIENCE * share, most), remainder)
    if control.whole_seconds != 0:
        control.maximum = to_full_second(control.maximum, delay)
    control.optimum = min(control.optimum, most_usable)
    control.maximum = min(control.maximum, most_usable)


@kernel
def has_clock(control: Control) -> Flag:
    """Return whether the limits include a clock for the side to move."""
    return (
        control.main_time[control.side] != NOT_GIVEN
        or control.increment[control.side] != NOT_GIVEN
        or control.byoyomi != NOT_GIVEN
    )


@kernel
def set_budget(control: Control) -> None:
    """Set the times of one move: `limited`, `optimum`, `maximum`, `minimum` and `early`. If unused time is lost
    (byoyomi only, movetime), `optimum` equals `maximum`."""
    fixed = usable(given(control.movetime), control.network_delay * MS)
    control.limited = np.int64(control.movetime != NOT_GIVEN or has_clock(control))
    control.minimum = np.int64(0)
    control.early = np.int64(NOT_GIVEN)
    control.optimum = fixed
    control.maximum = fixed
    if has_clock(control):
        share_clock(control)
        if control.movetime != NOT_GIVEN:
            control.maximum = min(control.maximum, fixed)
        control.minimum = min(control.minimum_thinking_time * MS, control.maximum)
        control.optimum = min(max(control.optimum, control.minimum), control.maximum)
        if control.whole_seconds != 0:
            control.early = control.network_delay * MS


@kernel
def due(control: Control) -> Int:
    """Return the time after which another iteration is not worthwhile."""
    if control.proven != 0:
        return np.int64(0)
    if control.root_count == 1 and control.depth >= ENOUGH_WITHOUT_CHOICE:
        return control.minimum
    if control.optimum >= control.maximum:
        return control.maximum
    # A settled best move needs less time; a falling score or an unclear best move needs more.
    share = control.optimum * (120 - 8 * min(control.steady, np.int64(8))) // np.int64(100)
    share = share * (200 + min(max(control.falling, np.int64(0)), np.int64(200))) // np.int64(200)
    share = share * (1500 - 8 * control.effort // np.int64(10)) // np.int64(1000)
    # While the engine pondered, before the clock started, the best move was already being confirmed.
    credit = max(control.clock_from - control.since, np.int64(0)) // np.int64(1000)
    return max(share * 7 // np.int64(10) - credit, control.minimum)


@kernel
def latest(control: Control) -> Int:
    """Return the time in ns at which the search must stop, or `no_deadline`."""
    if control.held != 0 or control.limited == 0:
        return control.no_deadline
    return control.clock_from + control.maximum * 1000


@entry_point(control=control_dtype, now=int)
def start_clock(control: Control, now: Int) -> Any:
    """Start the clock at `now`, a time in ns, with the limits in the control struct, and return the deadline. The host
    calls this when the expected move was played (`ponderhit`). If the best move is already clear, the deadline is the
    time at which another iteration would not be worthwhile."""
    set_budget(control)
    control.clock_from = now
    end = now + control.maximum * 1000
    if control.settled != 0 and control.depth > 0:
        end = min(end, now + due(control) * 1000)
    control.deadline = end if control.limited != 0 else control.no_deadline
    control.held = np.int64(0)
    return control.deadline


@kernel
def is_enough(control: Control, now: Int) -> Flag:
    """Return whether the search should end at `now`, a time in ns between two iterations, because another iteration is
    not worthwhile. If the clock counts whole seconds, the search goes on to the end of the current one."""
    if control.held != 0 or control.limited == 0:
        return False
    elapsed = (now - control.clock_from) // np.int64(1000)
    if elapsed < due(control):
        return False
    if control.proven != 0 or control.root_count == 1 or control.early == NOT_GIVEN:
        return True
    end = min(to_full_second(elapsed, control.early), control.maximum)
    if end <= elapsed:
        return True
    control.maximum = end
    return False


@kernel
def set_deadline(control: Control, thread: Thread) -> None:
    """Let the search use all its time, because the running iteration is new or contradicts the last one."""
    control.deadline = latest(control)
    thread.deadline = control.deadline
