"""Iterative deepening of the dice search. A line has one move, because the moves after it depend on the die."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.layout import position_dtype
from kogoma.rules.types import Depth, Move, Position, Score
from kogoma.search.control import DONE, EXACT_SCORE, REPORT, control_dtype
from kogoma.search.dice.conversion import centipawns_of, value_of
from kogoma.search.dice.expectimax import expectimax
from kogoma.search.dice.proof import certain, decided
from kogoma.search.dice.values import (
    CERTAIN,
    CERTAIN_NODES,
    DICE_STRUCTS,
    FILES,
    MAX_DEPTH,
    NO_LIMIT,
    dice_thread_dtype,
)
from kogoma.search.iteration import (
    IN_REPORT,
    NEW_ITERATION,
    begin_iteration,
    finish_iteration,
    next_report,
    prepare_thread,
)
from kogoma.search.limited_strength import choose_line
from kogoma.search.thread import MATE
from kogoma.search.types import Control, Thread, Value

USUAL_EFFORT = 600  # thousandths: an estimate, because this search does not count nodes for each move


@entry_point(position=position_dtype, thread=dice_thread_dtype, control=control_dtype)
def prepare(position: Position, thread: Thread, control: Control) -> Any:
    """Prepare a thread for the search that `begin` has begun. Returns 0."""
    prepare_thread(thread, control, np.int64(MAX_DEPTH))
    thread.lines = np.int64(0)
    thread.last_ply = control.max_plies if control.max_plies != 0 else np.int64(NO_LIMIT)
    draw = value_of(thread, control.draw_value[position.side])
    thread.draw_value[position.side] = draw
    thread.draw_value[position.side ^ ONE] = -draw
    for i in range(thread.root_count):
        thread.line[i] = thread.root_move[i]
        thread.line_score[i] = np.int64(0)
    return np.int64(0)


@kernel
def put_line(thread: Thread, move: Move, index: Int) -> None:
    """Move the line of `move` up to `index`. Its score is at least that of the line it passes."""
    at = index
    while np.uint64(thread.line[at]) != move:
        at += 1
    score = max(thread.line_score[at], thread.line_score[index])
    while at > index:
        thread.line[at] = thread.line[at - 1]
        thread.line_score[at] = thread.line_score[at - 1]
        at -= 1
    thread.line[index] = np.uint16(move)
    thread.line_score[index] = score


@kernel
def leave_out_found(thread: Thread, count: Int, found: Int) -> None:
    """Make the root moves those of `root_order`, a list of `count` moves, that are not among the first `found`
    lines."""
    left = np.int64(0)
    for i in range(count):
        new = True
        for j in range(found):
            if thread.root_order[i] == thread.line[j]:
                new = False
        if new:
            thread.root_move[left] = thread.root_order[i]
            left += 1
    thread.root_count = left


@kernel
def score_of_value(game: Game, position: Position, thread: Thread, value: Value, depth: Depth, rolled: Flag) -> Score:
    """Return a value as a score in centipawns, or as a mate score if the game is proven to be decided whatever is
    rolled: the score then counts plies."""
    if abs(value) > CERTAIN:
        winning = np.int64(value > 0)
        thread.proof_nodes = np.int64(CERTAIN_NODES)
        for plies in range(np.int64(2) - winning, depth + 1, np.int64(2)):
            # Before the roll, the result must be proven for every face.
            if rolled:
                sure = certain(game, position, thread, plies, winning)
            else:
                sure = decided(game, position, thread, plies, np.int64(0), winning)
            if sure != 0:
                return MATE - plies if winning != 0 else plies - MATE
    return centipawns_of(thread, value)


@kernel
def search_lines(game: Game, position: Position, thread: Thread, control: Control, wanted: Int) -> Int:
    """Search the `wanted` best lines of the iteration, each among the root moves that are left, and return how many
    were found."""
    rolled = control.roll != 0
    depth = control.iteration
    count = thread.root_count
    for i in range(count):
        thread.root_order[i] = thread.root_move[i]
    found = np.int64(0)
    for index in range(wanted):
        leave_out_found(thread, count, found)
        value = expectimax(game, position, thread, depth, np.int64(rolled))
        while depth == 1 and thread.stop != 0:
            # The first iteration is not stopped, because there must be a move to answer with.
            control.stopping = np.int64(1)
            thread.stop = np.int64(0)
            value = expectimax(game, position, thread, depth, np.int64(rolled))
        if index == 0:
            for i in range(count):
                thread.root_order[i] = thread.root_move[i]  # the best move is now the first
        if thread.root_best != 0:
            put_line(thread, thread.root_best, found)
            found += 1
        if thread.stop != 0:
            break
        if index == 0:
            thread.line_score[0] = score_of_value(game, position, thread, value, depth, rolled)
            for file in range(FILES):
                thread.reply[file] = thread.best[0, file]
        else:
            thread.line_score[index] = centipawns_of(thread, value)
    else:
        control.effort = np.int64(USUAL_EFFORT)
        finish_iteration(control, np.uint64(thread.line[0]), thread.line_score[0])
    leave_out_found(thread, count, np.int64(0))
    return found


@kernel
def report_line(control: Control, thread: Thread, index: Int, score: Score) -> None:
    """Write the line at `index` with its score into the report fields."""
    control.line_index = index
    control.line_score = score
    control.line_bound = np.int64(EXACT_SCORE)
    control.line_length = np.int64(1)
    control.line[0] = thread.line[index]


@kernel
def answer(thread: Thread, control: Control) -> Int:
    """Write the answer of the search into the report fields, and return DONE."""
    index = choose_line(control, thread.line_score, thread.lines)
    report_line(control, thread, index, control.score if index == 0 else thread.line_score[index])
    return np.int64(DONE)


@entry_point(**DICE_STRUCTS, control=control_dtype, now=int)
def iterate(game: Game, position: Position, thread: Thread, control: Control, now: Int) -> Int:
    """Search until there is something to report, like the entry point of the same name in `search.deepening`. Before
    the roll there is one line. The lines of an iteration are reported when all are found, because scores of different
    depths cannot be compared."""
    count = min(control.lines, thread.root_count) if control.roll != 0 else np.int64(1)
    while control.phase != IN_REPORT:
        if not begin_iteration(control, thread, np.uint64(thread.line[0]), thread.line_score[0], now):
            return answer(thread, control)
        found = search_lines(game, position, thread, control, count)
        if thread.stop != 0 and control.phase != IN_REPORT:
            return answer(thread, control)
        thread.lines = found
        if thread.lines == 0:  # every move loses at once: there is nothing to report
            control.phase = np.int64(NEW_ITERATION)
    index = next_report(control, min(control.multipv, thread.lines))
    report_line(control, thread, index, thread.line_score[index])
    return np.int64(REPORT)
