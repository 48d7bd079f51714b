"""An expectimax search that uses no pruning and no table, and searches each die roll separately. Tests compare the
values and the speed of this search with those of `search.dice.expectimax`."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Int
from kogoma.rules.dice.roll import free_choice
from kogoma.rules.make_move import make, running_score, unmake
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.movegen import generate
from kogoma.rules.types import Depth, Move, Ply, Position, Rules
from kogoma.rules.variants import FACES
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.expectation import expected
from kogoma.search.dice.leaf import NOT_OVER, ended_value, is_leaf, leaf_value, stuck_value
from kogoma.search.dice.values import DICE_STRUCTS
from kogoma.search.types import Thread


@kernel
def allows(rules: Rules, position: Position, face: Int, move: Move) -> Any:
    """Return whether a roll allows a move."""
    if face == FACES or free_choice(rules, position):
        return True
    return (move & SQUARE_MASK) % rules.files == rules.files - np.uint64(face)


@kernel
def best_value(game: Game, position: Position, thread: Thread, face: Int, count: Int, depth: Depth, ply: Ply) -> Any:
    """Return the value of the best move that a roll allows, or -FULL - 1 if the roll allows no move."""
    rules = game.rules
    best = np.int64(-FULL - 1)
    i = ZERO
    while i < count:
        move = np.uint64(thread.list[ply, i])
        if allows(rules, position, face, move):
            make(rules, position, move)
            best = max(best, -plain_value(game, position, thread, depth - 1, ply + 1))
            unmake(rules, position)
        i += ONE
    return best


@entry_point(**DICE_STRUCTS, depth=int, ply=int)
def plain_value(game: Game, position: Position, thread: Thread, depth: Depth, ply: Ply) -> Any:
    """Return the value of a position before the die is rolled, from the point of view of the side to move."""
    rules = game.rules
    if ply == 0:
        position.score[position.ply] = np.int32(running_score(rules, position))
    thread.nodes += 1
    value = ended_value(rules, position, thread)
    if value != NOT_OVER:
        return value
    if is_leaf(position, depth):
        return leaf_value(game, position, thread, np.int64(FULL + 1), ply)
    count = generate(rules, position, thread.list[ply])
    if count == 0:
        return stuck_value(rules, position, thread)
    total = np.int64(0)
    for number in range(1, FACES + 1):
        face = np.int64(number)
        best = best_value(game, position, thread, face, count, depth, ply)
        if best < -FULL:
            best = best_value(game, position, thread, np.int64(FACES), count, depth, ply)
        total += best
    return expected(total)
