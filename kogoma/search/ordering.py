"""Move ordering in stages, so that moves after a cutoff are never generated."""

from __future__ import annotations

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, TWO, ZERO
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.dispatch import (
    checks_directly,
    generate_drop_checks,
    generate_drops,
    generate_quiet,
    generate_quiet_checks,
    generate_tactical,
    is_in_check,
    is_legal,
)
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.move_encoding import PROMOTION, SQUARE_MASK
from kogoma.rules.types import Move, Position, Rules
from kogoma.search.history import (
    capture_index,
    continuation_row,
    is_tactical,
    moved_type,
    previous_piece_to,
    quiet_score,
)
from kogoma.search.see import see_at_least
from kogoma.search.types import Frame, Thread

TT_MOVE, TACTICAL, GOOD_TACTICAL, REFUTATIONS, CHECKS, GOOD_CHECK, QUIET, GOOD_QUIET, LOSING = range(9)
EVASIONS, EVASION = 10, 11
QUIESCENCE, QUIESCENCE_TACTICAL, QUIESCENCE_CHECKS, QUIESCENCE_CHECK = 20, 21, 22, 23
DONE = 30


@inlined
def start_picking(frame: Frame, tt_move: Move, stage: Int) -> None:
    """Prepare `next_move` to return the moves of a node, beginning with the stage `stage`. `tt_move` is a legal move or
    0. In check, the stage TT_MOVE is followed by the evasions."""
    frame.tt_move = np.uint16(tt_move)
    frame.next = ZERO
    frame.end = ZERO
    frame.bad_end = ZERO
    frame.stage = stage


@kernel
def score_tactical(game: Game, position: Position, thread: Thread, frame: Frame) -> None:
    """Write ordering scores for the captures and promotions in the node's move list, computed from the values of
    captured pieces, the gains of promotions, and the capture history."""
    weights = game.weights
    row = frame.list
    value = frame.value
    i = frame.next
    while i < frame.end:
        move = np.uint64(row[i])
        captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
        kind = moved_type(position, move)
        worth = 8 * weights.exchange[captured] - weights.exchange[kind]
        if move & PROMOTION and game.rules.promoted[kind] != 0:
            worth += 6 * weights.promotion_gain[kind] + 500
        worth += np.int64(thread.capture_history[capture_index(game.rules, position, move)]) // np.int64(4)
        value[i] = np.int32(worth)
        i += ONE


@kernel
def score_quiet(rules: Rules, position: Position, thread: Thread, frame: Frame) -> None:
    """Write ordering scores for the quiet moves in the node's move list, computed from the history and from the
    continuation histories of the last two moves."""
    row = frame.list
    value = frame.value
    first_row = continuation_row(rules, position, ONE)
    second_row = continuation_row(rules, position, TWO)
    i = frame.next
    while i < frame.end:
        value[i] = np.int32(quiet_score(rules, position, thread, np.uint64(row[i]), first_row, second_row))
        i += ONE


@kernel
def score_evasions(game: Game, position: Position, thread: Thread, frame: Frame) -> None:
    """Write ordering scores for the evasions in the node's move list: captures come first, other moves follow in the
    order of their histories."""
    rules = game.rules
    row = frame.list
    value = frame.value
    first_row = continuation_row(rules, position, ONE)
    second_row = continuation_row(rules, position, TWO)
    i = frame.next
    while i < frame.end:
        move = np.uint64(row[i])
        if is_tactical(rules, position, move):
            captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
            kind = moved_type(position, move)
            value[i] = np.int32(100000 + 8 * game.weights.exchange[captured] - game.weights.exchange[kind])
        else:
            value[i] = np.int32(quiet_score(rules, position, thread, move, first_row, second_row))
        i += ONE


@kernel
def pick_best(frame: Frame) -> Int:
    """Return the remaining move with the highest ordering score, and swap it to the front of the remaining list. Return
    0 if no move is left."""
    i = frame.next
    end = frame.end
    if i >= end:
        return ZERO
    row = frame.list
    value = frame.value
    best = i
    high = value[i]
    for j in range(i + ONE, end):
        if value[j] > high:
            high = value[j]
            best = j
    move = row[best]
    row[best] = row[i]
    value[best] = value[i]
    row[i] = move
    value[i] = high
    frame.next = i + ONE
    return np.uint64(move)


@kernel
def is_refutation(frame: Frame, move: Move) -> Flag:
    """Return whether `move` is one of the two killers or the countermove, which an earlier stage has already
    returned."""
    return move == frame.refutation[ZERO] or move == frame.refutation[ONE] or move == frame.refutation[TWO]


@kernel
def list_checks(rules: Rules, position: Position, thread: Thread, frame: Frame, first: Int) -> None:
    """Write quiet checking moves and checking drops into the node's move list from index `first` on, and write their
    ordering scores."""
    row = frame.list
    frame.next = first
    frame.end = generate_drop_checks(rules, position, row, generate_quiet_checks(rules, position, row, first))
    score_quiet(rules, position, thread, frame)


@kernel
def is_good_check(game: Game, position: Position, move: Move) -> Flag:
    """Return whether a quiet move gives a direct check without losing the piece that moves."""
    return checks_directly(game.rules, position, move) and see_at_least(game, position, move, np.int64(0))


@kernel
def choose_refutations(rules: Rules, position: Position, thread: Thread, frame: Frame) -> None:
    """Write the two killers and the countermove to `frame.refutation`. A move is replaced by 0 if it is illegal, not
    quiet, equal to the transposition table's move, or equal to an earlier one of the three."""
    frame.refutation[ZERO] = frame.killer[ZERO]
    frame.refutation[ONE] = frame.killer[ONE]
    frame.refutation[TWO] = thread.countermove[previous_piece_to(rules, position, ONE)]
    for i in range(np.uint64(3)):
        move = np.uint64(frame.refutation[i])
        useless = move == 0 or move == frame.tt_move
        for j in range(i):
            useless = useless or move == frame.refutation[j]
        if useless or is_tactical(rules, position, move) or not is_legal(rules, position, move):
            frame.refutation[i] = np.uint16(0)


@inlined
def next_move(game: Game, position: Position, thread: Thread, frame: Frame, skip_quiets: Flag) -> Move:
    """Return the next move to try, or 0 if there is none. The stages of the main search return every legal move once.
    With `skip_quiets`, the only quiet moves that they return are the transposition table's move, refutations that give
    check, and checks that do not lose the piece. The stages of the quiescence search return tactical moves and, without
    `skip_quiets`, checks. In check, all evasions are returned."""
    rules = game.rules
    tt_move = np.uint64(frame.tt_move)
    row = frame.list
    while True:
        stage = frame.stage
        if stage == TT_MOVE:
            frame.stage = EVASIONS if is_in_check(position) else TACTICAL
            if tt_move != 0:
                return tt_move
        elif stage == TACTICAL:
            frame.end = generate_tactical(rules, position, row, ZERO)
            score_tactical(game, position, thread, frame)
            frame.stage = GOOD_TACTICAL
        elif stage == GOOD_TACTICAL:
            move = pick_best(frame)
            if move == 0:
                choose_refutations(rules, position, thread, frame)
                frame.next = ZERO
                frame.stage = REFUTATIONS
            elif move != tt_move:
                if see_at_least(game, position, move, np.int64(0)):
                    return move
                row[frame.bad_end] = np.uint16(move)
                frame.bad_end += ONE
        elif stage == REFUTATIONS:
            i = frame.next
            if i == 3:
                frame.stage = CHECKS
            else:
                frame.next = i + ONE
                move = np.uint64(frame.refutation[i])
                if move != 0 and (not skip_quiets or checks_directly(rules, position, move)):
                    return move
        elif stage == CHECKS:
            list_checks(rules, position, thread, frame, frame.bad_end)
            frame.stage = GOOD_CHECK
        elif stage == GOOD_CHECK:
            move = pick_best(frame)
            if move == 0:
                frame.stage = QUIET
            elif move != tt_move and not is_refutation(frame, move):
                if see_at_least(game, position, move, np.int64(0)):
                    return move
        elif stage == QUIET:
            frame.next = frame.bad_end
            frame.end = frame.bad_end
            if not skip_quiets:
                n = generate_quiet(rules, position, row, frame.bad_end)
                frame.end = generate_drops(rules, position, row, n)
                score_quiet(rules, position, thread, frame)
            frame.stage = GOOD_QUIET
        elif stage == GOOD_QUIET:
            move = ZERO
            if not skip_quiets:
                move = pick_best(frame)
            if move == 0:
                frame.next = ZERO
                frame.stage = LOSING
            elif move != tt_move and not is_refutation(frame, move):
                if not is_good_check(game, position, move):
                    return move
        elif stage == LOSING:
            i = frame.next
            if i >= frame.bad_end:
                frame.stage = DONE
            else:
                frame.next = i + ONE
                return np.uint64(row[i])
        elif stage == EVASIONS:
            n = generate_tactical(rules, position, row, ZERO)
            n = generate_quiet(rules, position, row, n)
            frame.end = generate_drops(rules, position, row, n)
            score_evasions(game, position, thread, frame)
            frame.stage = EVASION
        elif stage == EVASION:
            move = pick_best(frame)
            if move == 0:
                frame.stage = DONE
            elif move != tt_move:
                return move
        elif stage == QUIESCENCE:
            frame.end = generate_tactical(rules, position, row, ZERO)
            score_tactical(game, position, thread, frame)
            frame.stage = QUIESCENCE_TACTICAL
            if tt_move != 0 and is_tactical(rules, position, tt_move):
                return tt_move
        elif stage == QUIESCENCE_TACTICAL:
            move = pick_best(frame)
            if move == 0:
                frame.stage = DONE if skip_quiets else QUIESCENCE_CHECKS
            elif move != tt_move:
                return move
        elif stage == QUIESCENCE_CHECKS:
            list_checks(rules, position, thread, frame, ZERO)
            frame.stage = QUIESCENCE_CHECK
        elif stage == QUIESCENCE_CHECK:
            move = pick_best(frame)
            if move == 0:
                frame.stage = DONE
            else:
                return move
        else:
            return ZERO
