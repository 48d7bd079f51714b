"""Checking moves, and the quick test for a mate in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import attacks
from rules.make_move import make, unmake
from rules.movegen import drop_squares, drop_targets, emit, evasion_mask, has_board_move, plain, promotable, reach_of
from rules.moves import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from rules.native.bitboard import ONE, ZERO, any_of, clear_lsb, load_bb, lsb
from rules.native.kernel import kernel
from rules.native.layout import TYPE_MASK


@kernel
def is_in_check(position: Any) -> Any:
    """True if the side to move is in check."""
    return any_of(load_bb(position.checkers, position.ply))


@kernel
def immediate_win(rules: Any, position: Any) -> Any:
    """0: no move ends the game at once, but by leaving no answer (`mate_in_one`)."""
    return ZERO


@kernel
def checking_squares(rules: Any, position: Any, kind: Any) -> Any:
    """Where a piece of `kind` of the side to move would attack the enemy king: what the king would reach as it."""
    them = position.side ^ ONE
    king = np.uint64(position.king[them, ZERO])
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return attacks(rules, them, kind, king, occupied)


@kernel
def checks_directly(rules: Any, position: Any, move: Any) -> Any:
    """True if a move attacks the enemy king from its destination."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    kind = origin if move & DROP else np.uint64(position.board[origin]) & TYPE_MASK
    if move & PROMOTION:
        kind = rules.promoted[kind]
    return any_of(checking_squares(rules, position, kind) & load_bb(rules.square, move & SQUARE_MASK))


@kernel
def emit_drop_checks(rules: Any, position: Any, moves: Any, n: Any, kind: Any, empty: Any) -> Any:
    """Write the drops of `kind` on the empty squares that give check."""
    targets = checking_squares(rules, position, kind) & empty
    if any_of(targets):
        n = emit(moves, n, DROP | kind << ORIGIN_SHIFT, drop_squares(rules, position, kind, targets))
    return n


@kernel
def generate_drop_checks(rules: Any, position: Any, moves: Any, n: Any) -> Any:
    """Drops that give check."""
    empty = drop_targets(rules, position)
    kind = ONE
    while kind <= rules.hand_types:
        if position.hand[position.side, kind] != 0:
            n = emit_drop_checks(rules, position, moves, n, kind, empty)
            if rules.drop_either_side != 0:
                n = emit_drop_checks(rules, position, moves, n, rules.promoted[kind], empty)
        kind += ONE
    return n


@kernel
def generate_quiet_checks(rules: Any, position: Any, moves: Any, n: Any) -> Any:
    """Moves on the board that check directly and are not tactical."""
    us = position.side
    empty = load_bb(rules.board, ZERO) & ~(load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE))
    evasions = evasion_mask(rules, position)
    movers = load_bb(position.by_side, us) & ~load_bb(position.by_type, rules.king)
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        base = square << ORIGIN_SHIFT
        among = empty & ~load_bb(rules.must_promote, us, kind)
        landed = kind
        if rules.tactical_promotion == 0 and rules.promoted[kind] != 0:
            among = empty
            landed = rules.promoted[kind]
            base = base | PROMOTION
        elif rules.promotion_forced != 0 and rules.promoted[kind] != 0:
            among = plain(rules, us, kind, square, among, empty)
        among = among & checking_squares(rules, position, landed)
        if any_of(among):
            n = emit(moves, n, base, reach_of(rules, position, square, kind, evasions, among))
    return n


@kernel
def has_legal_move(rules: Any, position: Any) -> Any:
    """True unless the side to move is mated or stalemated."""
    if has_board_move(rules, position):
        return True
    empty = drop_targets(rules, position)
    if any_of(empty):
        kind = ONE
        while kind <= rules.hand_types:
            if position.hand[position.side, kind] != 0 and any_of(drop_squares(rules, position, kind, empty)):
                return True
            kind += ONE
    return False


@kernel
def mates(rules: Any, position: Any, move: Any) -> Any:
    """True if this checking move leaves no legal reply."""
    make(rules, position, move)
    mated = not has_legal_move(rules, position)
    unmake(rules, position)
    return mated


@kernel
def generate_checks(rules: Any, position: Any, moves: Any) -> Any:
    """Write all direct checks, for a side that is not in check; how many there are."""
    us = position.side
    own = load_bb(position.by_side, us)
    enemy = load_bb(position.by_side, us ^ ONE)
    n = generate_drop_checks(rules, position, moves, ZERO)
    movers = own & ~load_bb(position.by_type, rules.king)
    everywhere = load_bb(rules.board, ZERO)
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        better = rules.promoted[kind]
        unturned = checking_squares(rules, position, kind) & ~own
        among = unturned
        if better != 0:
            unturned = plain(rules, us, kind, square, unturned, enemy)
            among = unturned
            checking = checking_squares(rules, position, better) & ~own
            turned = promotable(rules, us, kind, square, checking, enemy)
            among = among | turned
        if any_of(among):
            reach = reach_of(rules, position, square, kind, everywhere, among)
            base = square << ORIGIN_SHIFT
            n = emit(moves, n, base, reach & unturned)
            if better != 0:
                n = emit(moves, n, base | PROMOTION, reach & turned)
    return n


@kernel
def mate_in_one(rules: Any, position: Any, moves: Any) -> Any:
    """A move that mates by a direct check, or 0; `moves` is room for a list. Not all mates: discovered ones are left.
    For a side that is not in check. Where checks win, any of them."""
    n = generate_checks(rules, position, moves)
    if rules.check_wins != 0 and n != 0:
        return np.uint64(moves[ZERO])
    i = ZERO
    while i < n:
        if mates(rules, position, np.uint64(moves[i])):
            return np.uint64(moves[i])
        i += ONE
    return ZERO
