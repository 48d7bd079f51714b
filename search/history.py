"""What earlier nodes teach about moves: killers, countermoves, and histories of quiet moves, drops and captures."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, TYPE_MASK
from rules.kernel import kernel
from rules.layout import TYPES
from rules.make_move import SIDE_SHIFT
from rules.moves import DROP, ORIGIN_SHIFT, SQUARE_MASK

LIMIT = 8192  # histories stay within +-LIMIT: each update pulls towards it
TYPE_COUNT = np.uint64(TYPES)


@kernel
def kind_of(position: Any, move: Any) -> Any:
    """The type that a legal move moves or drops, as it stands before the move."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if move & DROP:
        return origin
    return np.uint64(position.board[origin]) & TYPE_MASK


@kernel
def cell(rules: Any, side: Any, kind: Any, to: Any) -> Any:
    """Index of (side, type, destination), dense for the variant."""
    return (side * (rules.types + ONE) + kind) * rules.squares + to


@kernel
def butterfly(rules: Any, side: Any, move: Any) -> Any:
    """Index of (side, origin or dropped type, destination)."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if move & DROP:
        origin += rules.squares
    return (side * (rules.squares + TYPE_COUNT) + origin) * rules.squares + (move & SQUARE_MASK)


@kernel
def previous_cell(rules: Any, position: Any, back: Any) -> Any:
    """Cell of the move made `back` plies ago; cell 0, which no move has, where there is none."""
    ply = position.ply
    if ply + ONE <= back:
        return np.uint64(0)
    entry = ply + ONE - back
    moved = np.uint64(position.moved[entry])
    if moved == 0:
        return np.uint64(0)
    to = np.uint64(position.move[entry]) & SQUARE_MASK
    return cell(rules, moved >> SIDE_SHIFT, moved & TYPE_MASK, to)


@kernel
def continuation_row(rules: Any, position: Any, back: Any) -> Any:
    """Where the continuation history of the move made `back` plies ago begins."""
    cells = np.uint64(2) * (rules.types + ONE) * rules.squares
    return previous_cell(rules, position, back) * cells


@kernel
def pull(table: Any, index: Any, bonus: Any) -> None:
    """Add a bonus, less the more the entry already leans that way."""
    value = np.int64(table[index])
    table[index] = np.int16(value + bonus - value * abs(bonus) // LIMIT)


@kernel
def quiet_score(rules: Any, position: Any, stack: Any, move: Any, first_row: Any, second_row: Any) -> Any:
    """How well a quiet move or drop did elsewhere."""
    us = position.side
    own = cell(rules, us, kind_of(position, move), move & SQUARE_MASK)
    return (
        np.int64(stack.history[butterfly(rules, us, move)])
        + np.int64(stack.continuation[first_row + own])
        + np.int64(stack.continuation[second_row + own])
    )


@kernel
def capture_index(rules: Any, position: Any, move: Any) -> Any:
    """Index of (side, type, destination, captured type)."""
    to = move & SQUARE_MASK
    captured = np.uint64(position.board[to]) & TYPE_MASK
    return cell(rules, position.side, kind_of(position, move), to) * TYPE_COUNT + captured


@kernel
def reward_quiet(rules: Any, position: Any, stack: Any, move: Any, bonus: Any) -> None:
    """Raise (or lower) a quiet move in all its histories."""
    us = position.side
    own = cell(rules, us, kind_of(position, move), move & SQUARE_MASK)
    pull(stack.history, butterfly(rules, us, move), bonus)
    pull(stack.continuation, continuation_row(rules, position, np.uint64(1)) + own, bonus)
    pull(stack.continuation, continuation_row(rules, position, np.uint64(2)) + own, bonus)


@kernel
def is_tactical(rules: Any, position: Any, move: Any) -> Any:
    """True for captures and, where they are an event, promotions."""
    if move & DROP:
        return False
    return (move & rules.tactical_promotion) != 0 or position.board[move & SQUARE_MASK] != 0


@kernel
def learn(rules: Any, position: Any, stack: Any, ply: Any, best: Any, depth: Any, tried: Any) -> None:
    """After a cut: `best` up, the `tried` moves before it (in stack.tried[ply]) down."""
    bonus = min(np.int64(24) * depth * depth + np.int64(80) * depth, np.int64(2000))
    row = stack.tried[ply]
    if is_tactical(rules, position, best):
        pull(stack.capture_history, capture_index(rules, position, best), bonus)
    else:
        reward_quiet(rules, position, stack, best, bonus)
        if np.uint64(stack.killer[ply, np.uint64(0)]) != best:
            stack.killer[ply, np.uint64(1)] = stack.killer[ply, np.uint64(0)]
            stack.killer[ply, np.uint64(0)] = np.uint16(best)
        stack.countermove[previous_cell(rules, position, np.uint64(1))] = np.uint16(best)
    i = np.uint64(0)
    while i < tried:
        move = np.uint64(row[i])
        if move != best:
            if is_tactical(rules, position, move):
                pull(stack.capture_history, capture_index(rules, position, move), -bonus)
            elif not is_tactical(rules, position, best):
                reward_quiet(rules, position, stack, move, -bonus)
        i += np.uint64(1)
