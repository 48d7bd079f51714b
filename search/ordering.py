"""In what order moves are tried: stage by stage, so that what a cut makes needless is never generated."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, TYPE_MASK
from rules.game import (
    generate_drop_checks,
    generate_drops,
    generate_quiet,
    generate_quiet_checks,
    generate_tactical,
    is_in_check,
    is_legal,
)
from rules.kernel import kernel
from rules.movegen import ZERO
from rules.moves import PROMOTION, SQUARE_MASK
from search.exchange import see_at_least
from search.history import (
    capture_index,
    continuation_row,
    is_tactical,
    kind_of,
    previous_cell,
    quiet_score,
)

TABLE_MOVE, TACTICAL, GOOD_TACTICAL, REFUTATIONS, QUIET, GOOD_QUIET, LOSING = 0, 1, 2, 3, 4, 5, 6
EVASIONS, EVASION = 10, 11
QUIESCENCE, QUIESCENCE_TACTICAL, QUIESCENCE_CHECKS, QUIESCENCE_CHECK = 20, 21, 22, 23
DONE = 30

TWO = np.uint64(2)


@kernel
def begin(position: Any, stack: Any, ply: Any, table_move: Any, stage: Any) -> None:
    """Start handing out moves at a node; `table_move` is 0 or legal. Evasions have an order of their own."""
    stack.table_move[ply] = table_move
    stack.next[ply] = ZERO
    stack.end[ply] = ZERO
    stack.bad_end[ply] = ZERO
    stack.stage[ply] = stage


@kernel
def score_tactical(rules: Any, weights: Any, position: Any, stack: Any, ply: Any) -> None:
    """Most valuable victim and promotion first, then what did well."""
    row = stack.list[ply]
    value = stack.value[ply]
    i = stack.next[ply]
    while i < stack.end[ply]:
        move = np.uint64(row[i])
        captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
        kind = kind_of(position, move)
        worth = 8 * weights.exchange[captured] - weights.exchange[kind]
        if move & PROMOTION and rules.promoted[kind] != 0:
            worth += 6 * weights.promotion_gain[kind] + 500
        worth += np.int64(stack.capture_history[capture_index(rules, position, move)]) // np.int64(4)
        value[i] = np.int32(worth)
        i += ONE


@kernel
def score_quiet(rules: Any, position: Any, stack: Any, ply: Any) -> None:
    """By history and by what followed well on the last two moves."""
    row = stack.list[ply]
    value = stack.value[ply]
    first_row = continuation_row(rules, position, ONE)
    second_row = continuation_row(rules, position, TWO)
    i = stack.next[ply]
    while i < stack.end[ply]:
        value[i] = np.int32(quiet_score(rules, position, stack, np.uint64(row[i]), first_row, second_row))
        i += ONE


@kernel
def score_evasions(rules: Any, weights: Any, position: Any, stack: Any, ply: Any) -> None:
    """Captures first, then by history."""
    row = stack.list[ply]
    value = stack.value[ply]
    first_row = continuation_row(rules, position, ONE)
    second_row = continuation_row(rules, position, TWO)
    i = stack.next[ply]
    while i < stack.end[ply]:
        move = np.uint64(row[i])
        if is_tactical(rules, position, move):
            captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
            kind = kind_of(position, move)
            value[i] = np.int32(100000 + 8 * weights.exchange[captured] - weights.exchange[kind])
        else:
            value[i] = np.int32(quiet_score(rules, position, stack, move, first_row, second_row))
        i += ONE


@kernel
def pick(stack: Any, ply: Any) -> Any:
    """The best of what is left, moved to the front and passed; 0 if nothing is left."""
    i = stack.next[ply]
    end = stack.end[ply]
    if i >= end:
        return ZERO
    row = stack.list[ply]
    value = stack.value[ply]
    best = i
    high = value[i]
    j = i + ONE
    while j < end:
        if value[j] > high:
            high = value[j]
            best = j
        j += ONE
    move = row[best]
    row[best] = row[i]
    value[best] = value[i]
    row[i] = move
    value[i] = high
    stack.next[ply] = i + ONE
    return np.uint64(move)


@kernel
def is_refutation(stack: Any, ply: Any, move: Any) -> Any:
    """True if the move was tried as a killer or countermove."""
    return (
        move == stack.refutation[ply, ZERO] or move == stack.refutation[ply, ONE] or move == stack.refutation[ply, TWO]
    )


@kernel
def choose_refutations(rules: Any, position: Any, stack: Any, ply: Any) -> None:
    """The killers and the countermove, each once, where they are legal and quiet."""
    stack.refutation[ply, ZERO] = np.uint64(stack.killer[ply, ZERO])
    stack.refutation[ply, ONE] = np.uint64(stack.killer[ply, ONE])
    stack.refutation[ply, TWO] = np.uint64(stack.countermove[previous_cell(rules, position, ONE)])
    i = ZERO
    while i < 3:
        move = stack.refutation[ply, i]
        useless = move == 0 or move == stack.table_move[ply]
        j = ZERO
        while j < i:
            useless = useless or move == stack.refutation[ply, j]
            j += ONE
        if useless or is_tactical(rules, position, move) or not is_legal(rules, position, move):
            stack.refutation[ply, i] = ZERO
        i += ONE


@kernel
def next_move(rules: Any, weights: Any, position: Any, stack: Any, ply: Any, skip_quiets: Any) -> Any:
    """The next move to try, every legal one once in the end; 0 when there is none."""
    table_move = stack.table_move[ply]
    row = stack.list[ply]
    while True:
        stage = stack.stage[ply]
        if stage == TABLE_MOVE:
            stack.stage[ply] = EVASIONS if is_in_check(position) else TACTICAL
            if table_move != 0:
                return table_move
        elif stage == TACTICAL:
            stack.end[ply] = generate_tactical(rules, position, row, ZERO)
            score_tactical(rules, weights, position, stack, ply)
            stack.stage[ply] = GOOD_TACTICAL
        elif stage == GOOD_TACTICAL:
            move = pick(stack, ply)
            if move == 0:
                choose_refutations(rules, position, stack, ply)
                stack.next[ply] = ZERO
                stack.stage[ply] = REFUTATIONS
            elif move != table_move:
                if see_at_least(rules, weights, position, move, np.int64(0)):
                    return move
                row[stack.bad_end[ply]] = np.uint16(move)
                stack.bad_end[ply] += ONE
        elif stage == REFUTATIONS:
            i = stack.next[ply]
            if i == 3:
                stack.stage[ply] = QUIET
            else:
                stack.next[ply] = i + ONE
                move = stack.refutation[ply, i]
                if move != 0 and not skip_quiets:
                    return move
        elif stage == QUIET:
            stack.next[ply] = stack.bad_end[ply]
            stack.end[ply] = stack.bad_end[ply]
            if not skip_quiets:
                n = generate_quiet(rules, position, row, stack.bad_end[ply])
                stack.end[ply] = generate_drops(rules, position, row, n)
                score_quiet(rules, position, stack, ply)
            stack.stage[ply] = GOOD_QUIET
        elif stage == GOOD_QUIET:
            move = ZERO
            if not skip_quiets:
                move = pick(stack, ply)
            if move == 0:
                stack.next[ply] = ZERO
                stack.stage[ply] = LOSING
            elif move != table_move and not is_refutation(stack, ply, move):
                return move
        elif stage == LOSING:
            i = stack.next[ply]
            if i >= stack.bad_end[ply]:
                stack.stage[ply] = DONE
            else:
                stack.next[ply] = i + ONE
                return np.uint64(row[i])
        elif stage == EVASIONS:
            n = generate_tactical(rules, position, row, ZERO)
            n = generate_quiet(rules, position, row, n)
            stack.end[ply] = generate_drops(rules, position, row, n)
            score_evasions(rules, weights, position, stack, ply)
            stack.stage[ply] = EVASION
        elif stage == EVASION:
            move = pick(stack, ply)
            if move == 0:
                stack.stage[ply] = DONE
            elif move != table_move:
                return move
        elif stage == QUIESCENCE:
            stack.end[ply] = generate_tactical(rules, position, row, ZERO)
            score_tactical(rules, weights, position, stack, ply)
            stack.stage[ply] = QUIESCENCE_TACTICAL
            if table_move != 0 and is_tactical(rules, position, table_move):
                return table_move
        elif stage == QUIESCENCE_TACTICAL:
            move = pick(stack, ply)
            if move == 0:
                stack.stage[ply] = DONE if skip_quiets else QUIESCENCE_CHECKS
            elif move != table_move:
                return move
        elif stage == QUIESCENCE_CHECKS:
            n = generate_quiet_checks(rules, position, row, ZERO)
            stack.end[ply] = generate_drop_checks(rules, position, row, n)
            stack.next[ply] = ZERO
            score_quiet(rules, position, stack, ply)
            stack.stage[ply] = QUIESCENCE_CHECK
        elif stage == QUIESCENCE_CHECK:
            move = pick(stack, ply)
            if move == 0:
                stack.stage[ply] = DONE
            else:
                return move
        else:
            return ZERO
