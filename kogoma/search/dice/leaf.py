"""Leaves of the dice search: games that are over, and positions at depth 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.evaluate import evaluate
from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.attacks import can_capture_king
from kogoma.rules.checks import generate_checks, is_in_check, mates
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.movegen import has_legal_move
from kogoma.rules.repetition import DRAWS, GOES_ON, WINS
from kogoma.rules.terminal import NO_ROOT, verdict, verdict_without_move
from kogoma.rules.types import Depth, Move, MoveList, Ply, Position, Rules, Score
from kogoma.rules.variants import FACES
from kogoma.search.dice.conversion import value_of
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.expectation import expected
from kogoma.search.dice.values import NAMED
from kogoma.search.types import Thread, Value

NOT_OVER = FULL + 1


@kernel
def value_of_verdict(position: Position, thread: Thread, found: Int) -> Value:
    """Return the value, for the side to move, of the verdict `found` (see `rules.terminal`)."""
    if found == DRAWS:
        return thread.draw_value[position.side]
    return np.int64(FULL if found & WINS else -FULL)


@kernel
def ended_value(rules: Rules, position: Position, thread: Thread) -> Value:
    """If a rule has ended the game, return its value for the side to move, otherwise NOT_OVER. A lack of legal moves is
    not tested here (see `stuck_value`). A repetition counts only if the position has occurred `repetition_fold` times,
    because with a die a position that has recurred once need not recur again."""
    found = verdict(rules, position, np.int64(NO_ROOT), thread.last_ply)
    return np.int64(NOT_OVER) if found == GOES_ON else value_of_verdict(position, thread, found)


@kernel
def target_file(rules: Rules, move: Move) -> Any:
    """Return the file of the board on which a move ends. The files that die faces name are counted from 0 at the left;
    for all other files the result is NAMED."""
    column = (move & SQUARE_MASK) % rules.files
    if rules.files <= NAMED:
        return column
    unnamed = rules.files - np.uint64(NAMED)
    return column - unnamed if column >= unnamed else np.uint64(NAMED)


@kernel
def stuck_value(rules: Rules, position: Position, thread: Thread) -> Value:
    """Return the value, for the side to move, of a position in which that side has no legal move."""
    return value_of_verdict(position, thread, verdict_without_move(rules, position, thread.last_ply))


@kernel
def plies_left(position: Position, thread: Thread) -> Int:
    """Return the number of plies after which the game will be a draw because of its length."""
    return thread.last_ply - position.game_ply - np.int64(position.ply)


@kernel
def mating_faces(rules: Rules, position: Position, moves: MoveList) -> Any:
    """Return a lower bound of the number of die faces that allow a mate by a direct check or, in variants in which
    kings are captured, allow the capture of the king. `moves` is scratch space for a move list. The side to move must
    not be in check."""
    if rules.king_capture != 0:
        # The face of the king's file allows the capture, and so does the face 6, which allows every move.
        return np.int64(2 if can_capture_king(rules, position) else 0)
    count = generate_checks(rules, position, moves)
    files = ZERO
    faces = np.int64(0)
    for i in range(count):
        move = np.uint64(moves[i])
        file = target_file(rules, move)
        if files & (ONE << file) == 0 and (rules.check_wins != 0 or mates(rules, position, move)):
            files |= ONE << file
            if file < NAMED:
                faces += 1
    return faces + 1 if files != 0 else faces  # the face 6 allows every move


@kernel
def is_leaf(position: Position, depth: Depth) -> Flag:
    """Return whether a position is a leaf: `depth` is used up and the side to move is not in check. In check, the
    search goes one ply deeper."""
    return depth < 0 or (depth == 0 and not is_in_check(position))


@kernel
def leaf_value(game: Game, position: Position, thread: Thread, beta: Score, ply: Ply) -> Value:
    """Return the value of a leaf for the side to move, from its static evaluation and the number of die faces that
    allow a mate at once. A value of at least `beta` may be a lower bound."""
    rules = game.rules
    if not has_legal_move(rules, position):
        return stuck_value(rules, position, thread)
    value = value_of(thread, evaluate(game, position))
    faces = np.int64(0)
    if value < beta and not is_in_check(position):
        faces = mating_faces(rules, position, thread.list[ply])
    return expected(faces * FULL + (FACES - faces) * value) if faces != 0 else value
