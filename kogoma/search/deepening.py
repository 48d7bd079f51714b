"""Iterative deepening: search the root moves to increasing depth, until a limit is reached."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Int, IntArray
from kogoma.rules.layout import position_dtype
from kogoma.rules.types import Position, Score
from kogoma.search.alphabeta import search_root
from kogoma.search.aspiration import open_window, widen_window
from kogoma.search.control import DONE, EXACT_SCORE, HELP, LOWER_SCORE, REPORT, UPPER_SCORE, control_dtype
from kogoma.search.iteration import (
    IN_REPORT,
    NEW_ITERATION,
    begin_iteration,
    finish_iteration,
    next_report,
    note_failure,
    prepare_thread,
)
from kogoma.search.lazy_smp import HELP_FROM, announce
from kogoma.search.limited_strength import choose_line
from kogoma.search.thread import INFINITE, MAX_DEPTH, STRUCTS, thread_dtype
from kogoma.search.types import Control, Thread


@entry_point(position=position_dtype, thread=thread_dtype, control=control_dtype)
def prepare(position: Position, thread: Thread, control: Control) -> Any:
    """Prepare a thread for the search that `begin` has begun. Returns 0."""
    prepare_thread(thread, control, np.int64(MAX_DEPTH))
    thread.root_restricted = np.int64(control.wanted_count != 0)
    thread.max_plies = control.max_plies
    draw = control.draw_value[position.side]
    thread.draw_value[position.side] = draw
    thread.draw_value[position.side ^ ONE] = -draw
    thread.task = np.int64(0)
    for i in range(thread.root_count):
        thread.root_last[i] = np.int32(-INFINITE)
        thread.root_nodes[i] = np.int64(0)
        thread.root_pv[i, 0] = thread.root_move[i]
        thread.root_pv[i, 1] = np.uint16(0)
    for ply in range(len(thread.stack)):
        thread.stack[ply].killer[0] = np.uint16(0)
        thread.stack[ply].killer[1] = np.uint16(0)
    return np.int64(0)


@kernel
def swap(row: IntArray, first: Int, second: Int) -> None:
    """Swap two numbers of an array."""
    number = row[first]
    row[first] = row[second]
    row[second] = number


@kernel
def swap_with_previous(thread: Thread, index: Int) -> None:
    """Swap the root move at `index`, with all that is known about it, with the one before it."""
    before = index - 1
    swap(thread.root_move, index, before)
    swap(thread.root_score, index, before)
    swap(thread.root_last, index, before)
    swap(thread.root_nodes, index, before)
    for i in range(len(thread.root_pv[0])):
        move = thread.root_pv[index, i]
        thread.root_pv[index, i] = thread.root_pv[before, i]
        thread.root_pv[before, i] = move
        if move == 0 and thread.root_pv[index, i] == 0:
            break


@kernel
def sort_lines(thread: Thread, count: Int) -> None:
    """Sort the first `count` root moves by their last scores, because a later line may be better."""
    for end in range(1, count):
        index = end
        while index > 0 and thread.root_last[index] > thread.root_last[index - 1]:
            swap_with_previous(thread, index)
            index -= 1


@kernel
def take_scores(thread: Thread, first: Int) -> None:
    """Sort the root moves from index `first` on by the scores of the search that has just ended. Moves that got no
    score come last, in their old order."""
    for end in range(first, thread.root_count):
        if thread.root_score[end] > -INFINITE:
            thread.root_last[end] = thread.root_score[end]
        index = end
        while index > first and thread.root_score[index] > thread.root_score[index - 1]:
            swap_with_previous(thread, index)
            index -= 1


@kernel
def report_line(control: Control, thread: Thread, index: Int, score: Score, bound: Int) -> None:
    """Write the line at `index` with its score into the report."""
    control.line_index = index
    control.line_score = score
    control.line_bound = bound
    length = np.int64(0)
    while length < len(control.line) and thread.root_pv[index, length] != 0:
        control.line[length] = thread.root_pv[index, length]
        length += 1
    control.line_length = length


@kernel
def search_line(game: Game, position: Position, thread: Thread, control: Control) -> Score:
    """Search the current line with the current window, and return its score. The first iteration is not stopped,
    because there must be a move to answer with: a stop takes effect after it."""
    thread.root_first = control.index
    score = search_root(game, position, thread, control.alpha, control.beta, control.iteration)
    while control.iteration == 1 and thread.stop != 0:
        control.stopping = np.int64(1)
        thread.stop = np.int64(0)
        score = search_root(game, position, thread, control.alpha, control.beta, control.iteration)
    thread.task = np.int64(0)  # helper threads read the root moves, which are about to change
    take_scores(thread, control.index)
    return score


@kernel
def start_line(thread: Thread, control: Control) -> None:
    """Open the aspiration window of the current line around the last score of its first move."""
    open_window(control, np.int64(thread.root_last[control.index]), control.iteration, thread.window)


@kernel
def effort(thread: Thread) -> Int:
    """Return the share of nodes spent on the best move, in thousandths."""
    nodes = np.int64(0)
    for i in range(thread.root_count):
        nodes += thread.root_nodes[i]
    return thread.root_nodes[0] * 1000 // nodes if nodes > 0 else np.int64(0)


@kernel
def answer(thread: Thread, control: Control) -> Int:
    """Write the answer of the search into the report fields, and return DONE."""
    index = choose_line(control, thread.root_last, min(control.lines, thread.root_count))
    score = control.score if index == 0 else np.int64(thread.root_last[index])
    report_line(control, thread, index, score, np.int64(EXACT_SCORE))
    return np.int64(DONE)


@entry_point(**STRUCTS, control=control_dtype, now=int)
def iterate(game: Game, position: Position, thread: Thread, control: Control, now: Int) -> Int:
    """Search until there is something to report, and return REPORT, HELP or DONE. After REPORT, the report fields of
    the control struct describe a finished line or a failed window, and the host calls `iterate` again. HELP asks the
    host to start the helper threads first. After DONE, the report fields contain the answer. `now` is the time in
    ns."""
    count = min(control.lines, thread.root_count)
    reported = min(control.multipv, count)

    # 1. Report the lines of a finished iteration, one in each call.
    if control.phase == IN_REPORT:
        index = next_report(control, reported)
        report_line(control, thread, index, np.int64(thread.root_last[index]), np.int64(EXACT_SCORE))
        return np.int64(REPORT)

    # 2. Begin an iteration, unless it is not worthwhile.
    if control.phase == NEW_ITERATION:
        if not begin_iteration(control, thread, np.uint64(thread.root_move[0]), np.int64(thread.root_last[0]), now):
            return answer(thread, control)
        start_line(thread, control)
    if control.iteration >= HELP_FROM and thread.helpers != 0 and control.helping == 0:
        control.helping = np.int64(1)
        return np.int64(HELP)

    # 3. Search its lines, until a window fails.
    while control.index < count:
        announce(thread, control.alpha, control.beta, control.iteration)
        score = search_line(game, position, thread, control)
        if thread.stop != 0:
            # The current line is unfinished and stays where it is: its move may be new, but its score is old.
            sort_lines(thread, control.index)
            return answer(thread, control)
        if score <= control.alpha or score >= control.beta:
            bound = np.int64(UPPER_SCORE if score <= control.alpha else LOWER_SCORE)
            note_failure(control, thread, np.uint64(thread.root_move[0]), bound)
            report_line(control, thread, control.index, score, bound)
            widen_window(control, score)
            if control.index >= reported:
                continue
            return np.int64(REPORT)
        control.index += 1
        if control.index < count:
            start_line(thread, control)

    # 4. Sort the lines, and report the first.
    sort_lines(thread, count)
    control.effort = effort(thread)
    finish_iteration(control, np.uint64(thread.root_move[0]), np.int64(thread.root_last[0]))
    index = next_report(control, reported)
    report_line(control, thread, index, np.int64(thread.root_last[index]), np.int64(EXACT_SCORE))
    return np.int64(REPORT)
