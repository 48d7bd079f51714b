"""A reference opponent for Dice-Shogi: expectimax without pruning or a transposition table. Its evaluation counts only
material and mobility.

The opponent uses the engine's rules, but neither the engine's search nor its evaluation.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.library import Library
from kogoma.native.types import Int
from kogoma.rules.dice.die import allowed_codes
from kogoma.rules.dispatch import count_legal, generate, make, unmake
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK, moves_dtype, position_dtype, rules_dtype
from kogoma.rules.library import new_library
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.position import Position
from kogoma.rules.repetition import WINS
from kogoma.rules.structs import new_struct
from kogoma.rules.terminal import verdict_without_move
from kogoma.rules.types import Depth, MoveLists, Rules, Score
from kogoma.rules.variants import FACES

PLIES, MOST_PLIES = 4, 5
NODES = 2_000_000  # MOST_PLIES plies are searched if this takes at most this number of nodes
FILES = 5
WON = 1 << 30  # value of a won game, less 1 for each ply from the root
EVEN = 2500  # centipawns that are worth half a win
MOVE = 5  # centipawns per legal move

# Centipawns by piece type: pawn, silver, gold, bishop, rook, king, then the promoted pieces in the same order.
PIECES = np.array([0, 100, 400, 500, 700, 900, 0, 500, 500, 1000, 1200], np.int64)
HAND_TYPES = 5


@kernel
def material(position: Any) -> Score:
    """Return the material of the side to move minus the material of the other side, in centipawns."""
    total = np.int64(0)
    i = 0
    while i < FILES * FILES:
        cell = np.uint64(position.board[i])
        worth = PIECES[cell & TYPE_MASK]
        total += worth if cell >> SIDE_SHIFT == position.side else -worth
        i += 1
    i = 1
    while i <= HAND_TYPES:
        mine, theirs = position.hand[position.side, i], position.hand[position.side ^ ONE, i]
        total += PIECES[i] * (np.int64(mine) - np.int64(theirs))
        i += 1
    return total


@entry_point(rules=rules_dtype, position=position_dtype, moves=moves_dtype, depth=int, ply=int, replies=int)
def reference_value(rules: Rules, position: Any, moves: MoveLists, depth: Depth, ply: Int, replies: Int) -> Any:
    """Search `depth` plies, and return the expected value for the side to move before the die is rolled. `replies` is
    the number of legal moves that the other side had before its last move."""
    if depth == 0:
        count = count_legal(rules, position)
        if count != 0:
            score = material(position) + MOVE * (np.int64(count) - replies)
            return score * np.int64(WON) // (abs(score) + np.int64(EVEN))
    else:
        count = generate(rules, position, moves.list[ply])
    if count == 0:
        value = np.int64(WON) - ply
        return value if verdict_without_move(rules, position, np.int64(0)) & WINS else -value
    row = moves.list[ply]
    overall = np.int64(-WON)  # best value of all moves
    total = np.int64(0)
    free = np.int64(FACES)  # faces of the die that allow all moves
    file = ZERO
    while file < FILES:
        best = np.int64(-WON)
        found = False
        i = ZERO
        while i < count:
            move = np.uint64(row[i])
            if (move & SQUARE_MASK) % np.uint64(FILES) == file:
                make(rules, position, move)
                best = max(best, -reference_value(rules, position, moves, depth - 1, ply + 1, np.int64(count)))
                unmake(rules, position)
                found = True
            i += ONE
        if found:
            total += best
            free -= 1
            overall = max(overall, best)
        file += ONE
    return (total + free * overall) // np.int64(FACES)


@cache
def reference_library() -> Library:
    """Return the native library of the reference opponent."""
    return new_library("dice_reference", "64", "benchmarks.dice_reference")


def reference_move(position: Position, roll: int) -> str:
    """Search PLIES or MOST_PLIES plies, and return the best move that the roll allows, in USI notation."""
    library, moves = reference_library(), new_struct(moves_dtype("64"))
    codes, legal = allowed_codes(position, roll), len(position.legal_codes())
    plies = PLIES if len(codes) * max(legal, 1) ** (MOST_PLIES - 1) > NODES else MOST_PLIES
    values = dict[int, int]()
    for code in codes:
        position.push(position.usi(code))
        values[code] = -library("reference_value", position.rules, position.struct.copy(), moves, plies - 1, 1, legal)
        position.pop()
    return position.usi(max(codes, key=lambda code: values[code]))
