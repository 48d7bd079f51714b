"""Where a search of dice games ends: games that are over, and leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.evaluate import evaluate
from rules.checks import generate_checks, has_legal_move, is_in_check, mates
from rules.ending import over, wins_without_move
from rules.moves import SQUARE_MASK
from rules.native.bitboard import ONE, ZERO
from rules.native.kernel import kernel
from rules.repetition import DRAWS, GOES_ON, WINS, repetition
from search.dice.expectation import expected
from search.dice.values import FACES, FULL, NAMED, NO_LIMIT, TABLED

NOT_OVER = FULL + 1


@kernel
def ended_value(rules: Any, position: Any, thread: Any) -> Any:
    """The value of a game that has ended although there may be moves, or NOT_OVER. What comes up once more in the tree
    need not do so again, since the dice have a say: of repetitions only the rule's own number counts."""
    if over(rules, position):
        return np.int64(-FULL)
    result = repetition(rules, position, np.int64(NO_LIMIT))
    if result == GOES_ON:
        return np.int64(NOT_OVER)
    if result == DRAWS:
        return thread.draw_value[position.side]
    return np.int64(FULL if result == WINS else -FULL)


@kernel
def file_of(rules: Any, move: Any) -> Any:
    """The file that a move ends on, counted from the left of those that faces of the die name; NAMED for the others."""
    column = (move & SQUARE_MASK) % rules.files
    if rules.files <= NAMED:
        return column
    unnamed = rules.files - np.uint64(NAMED)
    return column - unnamed if column >= unnamed else np.uint64(NAMED)


@kernel
def stuck_value(rules: Any, position: Any) -> Any:
    """The value of having no legal move."""
    return np.int64(FULL if wins_without_move(rules, position) else -FULL)


@kernel
def plies_left(position: Any, thread: Any) -> Any:
    """After how many plies the game will be a draw; 0 if it is."""
    return thread.last_ply - position.game_ply - np.int64(position.ply)


@kernel
def mating_faces(rules: Any, position: Any, moves: Any) -> Any:
    """How many faces of the die at least allow a mate by a direct check; `moves` is room for a list. For a side that is
    not in check."""
    count = generate_checks(rules, position, moves)
    files = ZERO
    faces = np.int64(0)
    i = ZERO
    while i < count:
        move = np.uint64(moves[i])
        file = file_of(rules, move)
        if files & (ONE << file) == 0 and mates(rules, position, move):
            files |= ONE << file
            if file < NAMED:
                faces += 1
        i += ONE
    return faces + 1 if files != 0 else faces  # the 6 allows every move


@kernel
def is_leaf(position: Any, depth: Any) -> Any:
    """True if a position is not searched: its depth is used up, and it is not a check, which a leaf judges badly and
    which is searched one ply further."""
    return depth < 0 or (depth == 0 and not is_in_check(position))


@kernel
def leaf_value(rules: Any, weights: Any, position: Any, thread: Any, beta: Any, ply: Any) -> Any:
    """The value of a position that is not searched: of its evaluation, and of the chance to mate with the next move.
    From `beta` on it may be more than is told."""
    if not has_legal_move(rules, position):
        return stuck_value(rules, position)
    if plies_left(position, thread) <= 0:
        return thread.draw_value[position.side]
    score = evaluate(rules, weights, position)
    value = np.int64(thread.chance_curve[np.uint64(min(abs(score), np.int64(TABLED - 1)))])
    if score < 0:
        value = -value
    faces = np.int64(0)
    if value < beta and not is_in_check(position):
        faces = mating_faces(rules, position, thread.list[ply])
    return expected(faces * FULL + (FACES - faces) * value) if faces != 0 else value
