"""Entries for the Python side: a position from its board and hands, and moves played and taken back on it."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, TYPE_MASK, attacked, inspect
from rules.bitboard import any_of, load, none_of, store
from rules.declaration import may_declare
from rules.ending import ending, over
from rules.kernel import entry, kernel
from rules.layout import position_dtype, rules_dtype
from rules.make_move import SEEN_MASK, SIDE_SHIFT, flip, make, running_score, unmake
from rules.movegen import is_legal

ZERO = np.uint64(0)


@kernel
def derive(rules: Any, position: Any) -> None:
    """Everything that follows from `board`, `hand` and `side`, as the only entry of the game."""
    nothing = none_of(load(rules.board, ZERO))
    for index in range(len(position.by_type)):
        store(position.by_type, np.uint64(index), nothing)
    for index in range(len(position.by_slide)):
        store(position.by_slide, np.uint64(index), nothing)
    store(position.by_side, ZERO, nothing)
    store(position.by_side, ONE, nothing)
    position.seen[:] = np.uint16(0)
    key = ZERO
    square = ZERO
    while square < rules.squares:
        piece = np.uint64(position.board[square])
        if piece != 0:
            side = piece >> SIDE_SHIFT
            kind = piece & TYPE_MASK
            flip(rules, position, side, kind, square)
            key ^= rules.zobrist[side, square, kind]
            if kind == rules.king:
                position.king[side, ZERO] = np.uint8(square)
        square += ONE
    for s in range(2):
        side = np.uint64(s)
        kind = ONE
        while kind <= rules.hand_types:
            held = ONE
            while held <= np.uint64(position.hand[side, kind]):
                key ^= rules.zobrist_hand[side, kind, held]
                held += ONE
            kind += ONE
    if position.side != 0:
        key ^= rules.zobrist_side
    position.ply = ZERO
    position.first = ZERO
    position.key[ZERO] = key
    position.score[ZERO] = np.int32(running_score(rules, position))
    position.move[ZERO] = np.uint16(0)
    position.captured[ZERO] = np.uint8(0)
    position.moved[ZERO] = np.uint8(0)
    position.seen[key & SEEN_MASK] = np.uint16(1)
    inspect(rules, position)
    in_check = any_of(load(position.checkers, ZERO))
    position.checks_run[ZERO] = np.int16(in_check)


@entry(rules=rules_dtype, position=position_dtype)
def set_up(rules: Any, position: Any) -> Any:
    """Derive all fields; 1 if the side to move could capture the other's king, otherwise 0."""
    derive(rules, position)
    them = position.side ^ ONE
    occupied = load(position.by_side, ZERO) | load(position.by_side, ONE)
    return np.int64(attacked(rules, position, position.side, np.uint64(position.king[them, ZERO]), occupied))


@entry(rules=rules_dtype, position=position_dtype, move=int)
def play(rules: Any, position: Any, move: Any) -> Any:
    """Make a legal move; 1 if it gave check."""
    make(rules, position, np.uint64(move))
    return np.int64(any_of(load(position.checkers, position.ply)))


@entry(rules=rules_dtype, position=position_dtype, move=int)
def may_play(rules: Any, position: Any, move: Any) -> Any:
    """1 if a move, whatever its bits, is legal; otherwise 0."""
    return np.int64(not over(rules, position) and is_legal(rules, position, np.uint64(move)))


@entry(rules=rules_dtype, position=position_dtype)
def take_back(rules: Any, position: Any) -> Any:
    """Unmake the last move; 0."""
    unmake(rules, position)
    return np.int64(0)


@entry(rules=rules_dtype, position=position_dtype)
def declares(rules: Any, position: Any) -> Any:
    """1 if the side to move may declare that it has won; otherwise 0."""
    return np.int64(may_declare(rules, position))


@entry(rules=rules_dtype, position=position_dtype)
def ended_by(rules: Any, position: Any) -> Any:
    """How the game has ended although there may be moves (`rules.ending`); 0 if it has not."""
    return np.int64(ending(rules, position)) if rules.sudden_end != 0 else np.int64(0)
