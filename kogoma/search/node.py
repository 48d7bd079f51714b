"""Functions for all nodes of the search: node count, stop flag, terminal scores, and principal variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.clock import now
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Int
from kogoma.rules.dispatch import by_game, can_capture_king, immediate_win
from kogoma.rules.layout import MAX_PLY
from kogoma.rules.repetition import DRAWS, GOES_ON, WINS
from kogoma.rules.terminal import ON_BOARD, verdict, verdict_without_move
from kogoma.rules.types import Move, Ply, Position, Rules, Score
from kogoma.search.endings.look_up import value_of
from kogoma.search.endings.tables import UNKNOWN
from kogoma.search.thread import MATE, RULE_WIN
from kogoma.search.types import Thread

NOT_TERMINAL = 1 << 20
CLOCK_EVERY = 1024  # nodes: half a millisecond


@kernel
def visit_node(thread: Thread, ply: Ply) -> Any:
    """Count a node, and return whether the search must stop because of its node limit, its deadline or the stop
    flag."""
    thread.nodes += 1
    if ply > thread.seldepth:
        thread.seldepth = ply
    if thread.node_limit != 0 and thread.nodes >= thread.node_limit:
        thread.stop = 1
    look_at_clock(thread, thread.nodes)
    return thread.stop != 0


@kernel
def look_at_clock(thread: Thread, count: Int) -> None:
    """Set the stop flag if the deadline has passed. `count` is the number of nodes, and the clock is read only once in
    CLOCK_EVERY nodes."""
    if count & (CLOCK_EVERY - 1) == 0 and thread.deadline != 0 and now() >= thread.deadline:
        thread.stop = 1


@inlined
def extend_pv(thread: Thread, ply: Ply, move: Move) -> None:
    """Set the principal variation of the node at `ply` to `move`, followed by the principal variation of its child."""
    frame = thread.stack[ply]
    child = thread.stack[ply + 1]
    length = child.pv_length
    frame.pv[0] = np.uint16(move)
    for i in range(length):
        frame.pv[i + 1] = child.pv[i]
    frame.pv_length = length + 1


@kernel
def instant_win_score(rules: Rules, position: Position, thread: Thread, ply: Ply) -> Score:
    """If a move wins at once, for example by capturing the master, make it the principal variation and return the
    score. Otherwise return NOT_TERMINAL."""
    move = immediate_win(rules, position)
    if move == 0:
        return np.int64(NOT_TERMINAL)
    frame = thread.stack[ply]
    frame.pv[0] = np.uint16(move)
    frame.pv_length = np.int64(1)
    return MATE - ply - 1


@kernel
def score_of(position: Position, thread: Thread, found: Int, ply: Ply) -> Score:
    """Return the score, for the side to move, of the verdict `found` (see `rules.terminal`) on a node at `ply`."""
    if found == DRAWS:
        return thread.draw_value[position.side]
    best = np.int64(MATE if found & ON_BOARD else RULE_WIN) - ply
    return best if found & WINS else -best


@kernel
def no_score(position: Position, thread: Thread, ply: Ply) -> Score:
    """Return NOT_TERMINAL: in shogi, searches do not look up endings."""
    return np.int64(NOT_TERMINAL)


@kernel
def ending_score(position: Position, thread: Thread, ply: Ply) -> Score:
    """Return the score of a position of Onitama that the computed endings know. Otherwise, and if the game ends too far
    from the root for a score, return NOT_TERMINAL."""
    if thread.endings.men == 0:
        return np.int64(NOT_TERMINAL)
    value = value_of(thread.endings, position)
    if value == UNKNOWN or ply + value >= MAX_PLY:
        return np.int64(NOT_TERMINAL)
    thread.endings_hits += 1
    played = position.game_ply + np.int64(position.ply)
    if value == 0 or (thread.max_plies != 0 and played + value > thread.max_plies):
        return thread.draw_value[position.side]
    best = MATE - ply - value
    return best if value & 1 else -best


known_score = by_game(no_score, ending_score)


@kernel
def terminal_score(rules: Rules, position: Position, thread: Thread, ply: Ply) -> Score:
    """Return the score for the side to move if a rule has ended the game, a move wins at once or computed endings have
    the position, otherwise NOT_TERMINAL."""
    found = verdict(rules, position, np.int64(thread.root_ply), thread.max_plies)
    if found == GOES_ON:
        # Only a root move can leave the mover's own king en prise: deeper nodes do not generate such moves.
        if ply == 1 and rules.capture_delay != 0 and can_capture_king(rules, position):
            return MATE - ply - 1
        score = instant_win_score(rules, position, thread, ply)
        return known_score(position, thread, ply) if score == NOT_TERMINAL else score
    return score_of(position, thread, found, ply)


@kernel
def score_without_move(rules: Rules, position: Position, thread: Thread, ply: Ply) -> Score:
    """Return the score, for the side to move, of a node in which that side has no legal move."""
    return score_of(position, thread, verdict_without_move(rules, position, thread.max_plies), ply)
