"""Entry points of the rules for Python: set up a position, list legal moves, make and unmake moves, perft."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import entry_point
from kogoma.native.types import Int
from kogoma.rules.allowed_moves import allowed_moves
from kogoma.rules.dispatch import (
    can_capture_king,
    count_legal,
    derive_fields,
    ending,
    generate,
    is_in_check,
    is_legal,
    make,
    may_declare,
    over,
    unmake,
)
from kogoma.rules.layout import moves_dtype, position_dtype, rules_dtype
from kogoma.rules.types import Depth, Move, MoveList, MoveLists, Position, Rules


@entry_point(rules=rules_dtype, position=position_dtype)
def init_position(rules: Rules, position: Position) -> Int:
    """Compute all other fields of a position from its board, hands or cards, and side to move. Returns 1 if the side to
    move could capture the opponent's king, otherwise 0."""
    derive_fields(rules, position)
    return np.int64(can_capture_king(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype, move=int)
def play(rules: Rules, position: Position, move: Move) -> Int:
    """Make a legal move. Returns 1 if it gives check, otherwise 0."""
    make(rules, position, np.uint64(move))
    return np.int64(is_in_check(position))


@entry_point(rules=rules_dtype, position=position_dtype, move=int)
def may_play(rules: Rules, position: Position, move: Move) -> Int:
    """Return 1 if a 16-bit move code is a legal move, otherwise 0."""
    return np.int64(not over(rules, position) and is_legal(rules, position, np.uint64(move)))


@entry_point(rules=rules_dtype, position=position_dtype)
def take_back(rules: Rules, position: Position) -> Int:
    """Unmake the last move. Returns 0."""
    unmake(rules, position)
    return np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype)
def declares(rules: Rules, position: Position) -> Int:
    """Return 1 if the side to move may declare a win, otherwise 0."""
    return np.int64(may_declare(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype)
def ended_by(rules: Rules, position: Position) -> Any:
    """Return how the position on the board has ended the game (`rules.outcome.Ending`), even if there are legal moves.
    Return 0 if it has not."""
    return np.int64(ending(rules, position)) if over(rules, position) else np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype, moves=[lambda layout: np.dtype(np.uint16)], roll=int)
def legal_moves(rules: Rules, position: Position, moves: MoveList, roll: Int) -> Int:
    """Write all legal moves that the die roll `roll` allows (0: there is no roll) into `moves`, captures and promotions
    first, and return their number."""
    return allowed_moves(rules, position, moves, roll)


@entry_point(rules=rules_dtype, position=position_dtype, moves=moves_dtype, depth=int)
def perft(rules: Rules, position: Position, moves: MoveLists, depth: Depth) -> Int:
    """Return the number of leaf nodes of the move tree of `depth` plies. The last ply is counted without making
    moves."""
    if depth <= 1:
        return np.int64(count_legal(rules, position)) if depth == 1 else np.int64(1)
    row = moves.list[depth]
    n = generate(rules, position, row)
    total = np.int64(0)
    for i in range(n):
        make(rules, position, np.uint64(row[i]))
        total += perft(rules, position, moves, depth - 1)
        unmake(rules, position)
    return total
