"""A position from its board and hands."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, TYPE_MASK, attacked, inspect
from rules.bitboard import any_of, load, none_of, store
from rules.kernel import kernel
from rules.make_move import SEEN_MASK, SIDE_SHIFT, flip, running_score

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


@kernel
def exposed(rules: Any, position: Any) -> Any:
    """True if the side to move could capture the other's king."""
    them = position.side ^ ONE
    occupied = load(position.by_side, ZERO) | load(position.by_side, ONE)
    return attacked(rules, position, position.side, np.uint64(position.king[them, ZERO]), occupied)
