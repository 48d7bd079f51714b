"""Move ordering statistics: killers, countermoves, and histories of quiet moves, drops and captures."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Flag, Int, IntArray
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK, TYPES
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, SQUARE_MASK
from kogoma.rules.types import Depth, Move, PieceType, Ply, Position, Rules, Side, Square
from kogoma.search.types import Frame, Thread

LIMIT = 8192  # histories stay within +-LIMIT
TYPE_COUNT = np.uint64(TYPES)


@kernel
def moved_type(position: Position, move: Move) -> Any:
    """Return the type of the piece that a legal move moves or drops. For a promotion, this is the type before
    promoting."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if move & DROP:
        return origin
    return np.uint64(position.board[origin]) & TYPE_MASK


@kernel
def piece_to_index(rules: Rules, side: Side, kind: PieceType, to: Square) -> Int:
    """Return the index of (side, piece type, destination square) in tables of the thread struct."""
    return (side * (rules.types + ONE) + kind) * rules.squares + to


@kernel
def butterfly_index(rules: Rules, side: Side, move: Move) -> Int:
    """Return the index in `thread.history` of (side, origin square or type of the dropped piece, destination
    square)."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if move & DROP:
        origin += rules.squares
    return (side * (rules.squares + TYPE_COUNT) + origin) * rules.squares + (move & SQUARE_MASK)


@kernel
def previous_piece_to(rules: Rules, position: Position, back: Ply) -> Any:
    """Return the `piece_to_index` of the move that was made `back` plies ago, or 0 if there was none. The last move was
    made 1 ply ago."""
    ply = position.ply
    if ply + ONE <= back:
        return np.uint64(0)
    entry = ply + ONE - back
    moved = np.uint64(position.moved[entry])
    if moved == 0:
        return np.uint64(0)
    to = np.uint64(position.move[entry]) & SQUARE_MASK
    return piece_to_index(rules, moved >> SIDE_SHIFT, moved & TYPE_MASK, to)


@kernel
def continuation_row(rules: Rules, position: Position, back: Ply) -> Any:
    """Return the index in `thread.continuation` of the first continuation history of replies to the move made `back`
    plies ago."""
    cells = np.uint64(2) * (rules.types + ONE) * rules.squares
    return previous_piece_to(rules, position, back) * cells


@inlined
def add_bonus(table: IntArray, index: Int, bonus: Int) -> None:
    """Add a bonus, which may be negative, to the entry of a history table at `index`. A part of the old value is
    subtracted, so that values stay within +-LIMIT."""
    value = np.int64(table[index])
    table[index] = np.int16(value + bonus - value * abs(bonus) // LIMIT)


@kernel
def quiet_score(rules: Rules, position: Position, thread: Thread, move: Move, first_row: Int, second_row: Int) -> Any:
    """Return the ordering score of a quiet move or drop: the sum of its history score and of its two continuation
    history scores, from the rows that begin at `first_row` and `second_row` (see `continuation_row`)."""
    us = position.side
    own = piece_to_index(rules, us, moved_type(position, move), move & SQUARE_MASK)
    return (
        np.int64(thread.history[butterfly_index(rules, us, move)])
        + np.int64(thread.continuation[first_row + own])
        + np.int64(thread.continuation[second_row + own])
    )


@kernel
def capture_index(rules: Rules, position: Position, move: Move) -> Int:
    """Return the index in `thread.capture_history` of (side, piece type, destination square, captured type)."""
    to = move & SQUARE_MASK
    captured = np.uint64(position.board[to]) & TYPE_MASK
    return piece_to_index(rules, position.side, moved_type(position, move), to) * TYPE_COUNT + captured


@inlined
def reward_quiet(rules: Rules, position: Position, thread: Thread, move: Move, bonus: Int) -> None:
    """Add a bonus, which may be negative, to all histories of a quiet move."""
    us = position.side
    own = piece_to_index(rules, us, moved_type(position, move), move & SQUARE_MASK)
    add_bonus(thread.history, butterfly_index(rules, us, move), bonus)
    add_bonus(thread.continuation, continuation_row(rules, position, np.uint64(1)) + own, bonus)
    add_bonus(thread.continuation, continuation_row(rules, position, np.uint64(2)) + own, bonus)


@kernel
def is_tactical(rules: Rules, position: Position, move: Move) -> Flag:
    """Return whether a move is a capture, or a promotion in a variant in which promotions count as tactical."""
    if move & DROP:
        return False
    return (move & rules.tactical_promotion) != 0 or position.board[move & SQUARE_MASK] != 0


@inlined
def update_history(
    rules: Rules, position: Position, thread: Thread, frame: Frame, best: Move, depth: Depth, tried: Int
) -> None:
    """Update the killers, the countermove and the histories after the move `best` caused a beta cutoff at `depth`. The
    `tried` moves that were searched at this node are in `frame.tried`."""
    bonus = min(thread.history_bonus * depth * depth + np.int64(80) * depth, np.int64(2000))
    row = frame.tried
    if is_tactical(rules, position, best):
        add_bonus(thread.capture_history, capture_index(rules, position, best), bonus)
    else:
        reward_quiet(rules, position, thread, best, bonus)
        if np.uint64(frame.killer[0]) != best:
            frame.killer[1] = frame.killer[0]
            frame.killer[0] = np.uint16(best)
        thread.countermove[previous_piece_to(rules, position, np.uint64(1))] = np.uint16(best)
    for i in range(tried):
        move = np.uint64(row[i])
        if move != best:
            if is_tactical(rules, position, move):
                add_bonus(thread.capture_history, capture_index(rules, position, move), -bonus)
            elif not is_tactical(rules, position, best):
                reward_quiet(rules, position, thread, move, -bonus)
