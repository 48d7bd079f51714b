"""The struct that controls one search: its limits, the state between two iterations, its reports and its answer.

A host writes the limits, then calls the entry points `begin` (`search.root`), `prepare` and `iterate`
(`search.deepening`, `search.dice.deepening`). Times in limits are milliseconds, all others as described below.
"""

from __future__ import annotations

import time
from functools import cache

import numpy as np

from kogoma.rules.layout import MAX_MOVES, MAX_PLY
from kogoma.rules.structs import Fields
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits, SearchOptions

DONE, REPORT, HELP = 0, 1, 2
"""What `iterate` returns: the search is over, there is a report, or the host must start the helper threads."""

DECLARES = -1
"""What `begin` returns if the side to move declares a win."""

EXACT_SCORE, UPPER_SCORE, LOWER_SCORE = 0, 1, 2
"""Values of `line_bound`: the score is exact, or only a bound."""

NOT_GIVEN = -1
MOST_TIME = 10**11  # ms, three years: longer times count as this
TIMES = ("byoyomi", "movetime", "movestogo")


@cache
def control_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the control struct, which is the same for all layouts."""
    return np.dtype(
        [
            # limits and options, written by the host
            ("main_time", np.int64, (2,)),  # of Black and White; NOT_GIVEN: no such clock, as for the next four
            ("increment", np.int64, (2,)),
            ("byoyomi", np.int64),
            ("movetime", np.int64),
            ("movestogo", np.int64),
            ("held", np.int64),  # 1: infinite or pondering, so there is no clock yet
            ("started", np.int64),  # time in ns at which the search was asked for
            ("no_deadline", np.int64),  # deadline without a time limit: 0, or a time if only the clock stops kernels
            ("depth_limit", np.int64),  # 0: none
            ("node_limit", np.int64),  # 0: none
            ("roll", np.int64),  # of the die; 0: none
            ("wanted_count", np.int64),
            ("wanted", np.uint16, (MAX_MOVES,)),  # moves of `searchmoves`
            ("multipv", np.int64),  # lines to report
            ("noise", np.int64),  # standard deviation of the random errors in centipawns; 0: full strength
            ("random", np.uint64),  # state of the random numbers, at first their seed
            ("draw_value", np.int64, (2,)),  # centipawns of a draw if the engine plays Black, White
            ("rule_plies", np.int64),  # the game is a draw after this ply by its rules; 0: no limit
            ("max_plies", np.int64),  # the same with the limit of the user's option
            ("declaration", np.int64),  # 1: wins by declaration are allowed
            ("network_delay", np.int64),
            ("network_delay_most", np.int64),
            ("minimum_thinking_time", np.int64),
            ("slow_mover", np.int64),
            ("ponders", np.int64),  # 1: the GUI ponders
            ("whole_seconds", np.int64),  # 1: the clock counts whole seconds
            # time management: microseconds after `clock_from`
            ("side", np.int64),  # the side to move at the root
            ("ply", np.int64),  # of the game, at the root
            ("squares", np.int64),
            ("clock_from", np.int64),  # time in ns at which the clock started
            ("limited", np.int64),  # 1: a clock limits the search
            ("optimum", np.int64),  # usual time
            ("maximum", np.int64),  # latest time
            ("minimum", np.int64),
            ("early", np.int64),  # time between the answer and a full second; NOT_GIVEN: no whole seconds
            ("deadline", np.int64),  # time in ns at which the kernels must stop
            # state of the iterations
            ("phase", np.int64),
            ("iteration", np.int64),  # depth of the running iteration
            ("depth", np.int64),  # of the last finished iteration
            ("score", np.int64),  # of the best move in the last finished iteration
            ("index", np.int64),  # of the current line
            ("alpha", np.int64),
            ("beta", np.int64),
            ("width", np.int64),
            ("lines", np.int64),  # to search
            ("stopping", np.int64),  # 1: stop after the first iteration
            ("helping", np.int64),  # 1: the helper threads were started
            # what the last iterations found, for time management
            ("best_before", np.uint64),
            ("score_before", np.int64),
            ("steady", np.int64),  # iterations in a row with the same best move
            ("falling", np.int64),  # loss of score since the iteration before
            ("effort", np.int64),  # share of nodes spent on the best move, in thousandths
            ("since", np.int64),  # time in ns at which the best move became best
            ("proven", np.int64),  # 1: the score is a mate that more depth cannot improve
            ("settled", np.int64),  # 1: nothing in the running iteration contradicts the last one
            # a report, or at the end the answer
            ("line_index", np.int64),  # 0 for the best line
            ("line_score", np.int64),
            ("line_bound", np.int64),
            ("line_length", np.int64),
            ("line", np.uint16, (MAX_PLY,)),
            # root moves, as `begin` finds them
            ("root_count", np.int64),
            ("root_move", np.uint16, (MAX_MOVES,)),
        ]
    )


def write_limits(control: Fields, limits: Limits) -> None:
    """Write the times of a search into its control struct; None becomes NOT_GIVEN."""
    for name, given in (("main_time", (limits.btime, limits.wtime)), ("increment", (limits.binc, limits.winc))):
        control[name][:] = [_time(one) for one in given]
    for name in TIMES:
        control[name] = _time(getattr(limits, name))


def _time(given: int | None) -> int:
    return NOT_GIVEN if given is None else min(given, MOST_TIME)


def write_search(
    control: Fields, variant: Variant, limits: Limits, wanted: list[int], options: SearchOptions, started: float
) -> None:
    """Write the limits and options of a search into its control struct. `wanted` has the codes of `limits.searchmoves`,
    and `started` is the time.perf_counter() at which the search was asked for."""
    write_limits(control, limits)
    clock = options.clock
    for name, value in (
        ("held", limits.infinite or limits.ponder),
        ("started", int(started * 1e9)),
        ("depth_limit", limits.depth or 0),
        ("node_limit", limits.nodes or 0),
        ("roll", limits.dice or 0),
        ("wanted_count", len(wanted)),
        ("multipv", options.multipv),
        ("noise", options.noise),
        ("random", options.seed),
        ("rule_plies", variant.max_plies),
        ("max_plies", options.last_ply(variant)),
        ("declaration", options.declaration),
        ("network_delay", clock.network_delay),
        ("network_delay_most", clock.network_delay_most),
        ("minimum_thinking_time", clock.minimum_thinking_time),
        ("slow_mover", clock.slow_mover),
        ("ponders", clock.ponder),
        ("whole_seconds", clock.whole_seconds),
    ):
        control[name] = int(value)
    control["wanted"][: len(wanted)] = wanted
    control["draw_value"][:] = [options.draw_value_black, options.draw_value_white]


def now() -> int:
    """Return the time in ns that kernels compare with a deadline."""
    return time.perf_counter_ns()
