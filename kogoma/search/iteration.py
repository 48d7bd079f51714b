"""The frame of iterative deepening that all searches share: when an iteration begins, and what it found."""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.types import Depth, Move, Score
from kogoma.search.control import UPPER_SCORE
from kogoma.search.thread import MATE, MATE_BOUND
from kogoma.search.time import is_enough, set_deadline
from kogoma.search.types import Control, Thread

NEW_ITERATION, IN_LINE, IN_REPORT = 0, 1, 2
"""Phases of `iterate`: before an iteration, in the search of a line, in the reports of finished lines."""


@kernel
def start_deepening(control: Control) -> None:
    """Forget the iterations of earlier searches."""
    control.phase = np.int64(NEW_ITERATION)
    control.depth = np.int64(0)
    control.score = np.int64(0)
    control.steady = np.int64(0)
    control.settled = np.int64(0)
    control.stopping = np.int64(0)
    control.helping = np.int64(0)


@kernel
def prepare_thread(thread: Thread, control: Control, max_depth: Depth) -> None:
    """Prepare the fields that the thread structs of all searches have. No limit applies to the first iteration. The
    search ends after `max_depth` plies, even if its limits allow more."""
    thread.stop = np.int64(0)
    thread.nodes = np.int64(0)
    thread.seldepth = np.int64(0)
    thread.node_limit = np.int64(0)
    thread.deadline = np.int64(0)
    thread.root_count = control.root_count
    for i in range(control.root_count):
        thread.root_move[i] = control.root_move[i]
    if control.depth_limit == 0 or control.depth_limit > max_depth:
        control.depth_limit = max_depth


@kernel
def begin_iteration(control: Control, thread: Thread, best: Move, score: Score, now: Int) -> Flag:
    """Begin the next iteration and return True, or return False if the search ends at `now`, a time in ns. `best` is
    the best move so far, and `score` its score."""
    if control.depth > 0:
        if control.steady == 0:
            control.since = now
        if thread.stop != 0 or control.stopping != 0:
            return False
        if control.depth >= control.depth_limit or is_enough(control, now):
            return False
        thread.node_limit = control.node_limit
        set_deadline(control, thread)
    control.iteration = control.depth + 1
    control.best_before = best
    control.score_before = score
    control.index = np.int64(0)
    control.phase = np.int64(IN_LINE)
    return True


@kernel
def finish_iteration(control: Control, best: Move, score: Score) -> None:
    """Record the best move of the finished iteration and its score. The reports of its lines follow."""
    again = control.depth > 0 and best == control.best_before
    control.steady = control.steady + 1 if again else np.int64(0)
    control.falling = control.score_before - score if control.depth > 0 else np.int64(0)
    control.depth = control.iteration
    control.score = score
    plies = MATE - abs(score)
    control.proven = np.int64(abs(score) > MATE_BOUND and control.depth > plies + 2)
    control.settled = np.int64(1)
    control.index = np.int64(0)
    control.phase = np.int64(IN_REPORT)


@kernel
def note_failure(control: Control, thread: Thread, best: Move, bound: Int) -> None:
    """Record that a window of the current line failed with `bound`. If the score of the best line falls, or the best
    move changes, the search must not end early."""
    if best != control.best_before or (control.index == 0 and bound == UPPER_SCORE):
        control.settled = np.int64(0)
        if thread.deadline != 0:
            set_deadline(control, thread)


@kernel
def next_report(control: Control, count: Int) -> Int:
    """Return the index of the next of the `count` lines to report. After the last one, the next iteration begins."""
    index = control.index
    control.index = index + 1
    if control.index == count:
        control.phase = np.int64(NEW_ITERATION)
    return index
