"""Entry points of the rules for Python: set up a position, list legal moves, make and unmake moves, perft."""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import entry_point
from kogoma.native.types import Int, IntArray
from kogoma.rules.allowed_moves import allowed_moves
from kogoma.rules.dispatch import (
    can_capture_king,
    count_legal,
    derive_fields,
    ending,
    generate,
    has_legal_move,
    is_in_check,
    is_legal,
    make,
    may_declare,
    over,
    remove_oldest,
    repetition_in_game,
    unmake,
    wins_without_move,
)
from kogoma.rules.layout import HISTORY, REMOVED, moves_dtype, position_dtype, rules_dtype
from kogoma.rules.outcome import RESULT_SHIFT, Ending
from kogoma.rules.repetition import DRAWS, GOES_ON, LOSES, WINS
from kogoma.rules.types import Depth, Move, MoveList, MoveLists, Ply, Position, Rules

GOAL_HELD = int(Ending.GOAL_HELD)
CHECKMATE, STALEMATE, MAX_PLIES = int(Ending.CHECKMATE), int(Ending.STALEMATE), int(Ending.MAX_PLIES)


@entry_point(rules=rules_dtype, position=position_dtype)
def init_position(rules: Rules, position: Position) -> Int:
    """Compute all other fields of a position from its board, hands or cards, and side to move. Returns 1 if the side to
    move could capture the opponent's king, otherwise 0."""
    derive_fields(rules, position)
    return np.int64(can_capture_king(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype, move=int)
def play(rules: Rules, position: Position, move: Move) -> Int:
    """Make a legal move. If the struct has no room for it, the oldest REMOVED plies are removed. Returns 0."""
    if position.ply >= HISTORY:
        remove_oldest(position, np.uint64(REMOVED))
    make(rules, position, np.uint64(move))
    return np.int64(0)


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


@entry_point(
    rules=rules_dtype, position=position_dtype, earlier=[lambda layout: np.dtype(np.uint64)], count=int, last_ply=int
)
def outcome(rules: Rules, position: Position, earlier: IntArray, count: Int, last_ply: Ply) -> Int:
    """Return how a game has ended, as result << RESULT_SHIFT | ending, or 0 if it goes on. The result is WINS, LOSES or
    DRAWS for the side to move (`rules.repetition`), the ending an `Ending` (`rules.outcome`). `earlier` holds the keys
    of the game's first `count` positions, which `play` has removed from the struct. After `last_ply` plies the game is
    a draw; 0 means no limit."""
    if over(rules, position):
        found = np.int64(ending(rules, position))
        return (WINS if found == GOAL_HELD else LOSES) << RESULT_SHIFT | found
    if not has_legal_move(rules, position):
        result = WINS if wins_without_move(rules, position) else LOSES
        return result << RESULT_SHIFT | (CHECKMATE if is_in_check(position) else STALEMATE)
    repeated = np.int64(repetition_in_game(rules, position, earlier, count))
    if repeated == GOES_ON and last_ply != 0 and position.game_ply + np.int64(position.ply) >= last_ply:
        return DRAWS << RESULT_SHIFT | MAX_PLIES
    return repeated


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
