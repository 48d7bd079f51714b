"""Estimate, without making a check, whether the defender certainly has a reply, and about how many."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb, popcount, store_bb
from kogoma.native.kernel import kernel
from kogoma.native.types import Bitboard, Flag
from kogoma.rules.attacks import attacks, slide_attackers, step_attackers
from kogoma.rules.checks import kind_after, king_flights, leaves_flight, occupied_after
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, SQUARE_MASK
from kogoma.rules.types import Move, Position, Rules, Side, Square
from kogoma.search.types import MateState


@kernel
def prepare_replies(rules: Rules, position: Position, mate: MateState) -> None:
    """Compute the flight squares of the defender's king and the pieces that may be pinned. The number of replies to
    each check is estimated from them. The attacker must be to move. If the game can also end in another way than by
    mate, or if the attacker may play any move, only set `mate.prepared` to 0."""
    us = position.side
    them = us ^ ONE
    own = load_bb(position.by_side, us)
    enemy = load_bb(position.by_side, them)
    mate.prepared = np.int64(rules.sudden_end == 0 and mate.every_move == 0)
    mate.flights = 0
    if mate.prepared == 0:
        return
    square = np.uint64(position.king[them, ZERO])
    king = load_bb(rules.square, square)
    free = king_flights(rules, position)
    mate.flights = np.int64(popcount(free))
    bound = king
    for bundle in range(ONE, rules.slide_sets + ONE):
        far = load_bb(rules.reach, them, bundle, square) & load_bb(position.by_slide, bundle) & own
        while any_of(far):
            bound = bound | (load_bb(rules.between, square, lsb(far)) & enemy)
            far = clear_lsb(far)
    store_bb(mate.free, ZERO, free)
    store_bb(mate.bound, ZERO, bound)


@kernel
def has_drop_between(rules: Rules, position: Position, side: Side, squares: Bitboard) -> Flag:
    """Return whether `side` can drop a piece on one of the squares. Piece types whose number on a file of the board is
    limited, such as pawns, are not considered."""
    for kind in range(ONE, rules.hand_types + ONE):
        if position.hand[side, kind] != 0 and rules.most_per_file[kind] == 0:
            if any_of(squares & ~load_bb(rules.no_drop, side, kind)):
                return True
    return False


@kernel
def open_squares(rules: Rules, position: Position, move: Move) -> Bitboard:
    """Return the squares between the defender's king and the piece that gives check by `move`. Return no squares if
    that piece attacks the king by a step."""
    us = position.side
    to = move & SQUARE_MASK
    king = np.uint64(position.king[us ^ ONE, ZERO])
    squares = load_bb(rules.between, king, to)
    if rules.line_jumps != 0:
        if any_of(load_bb(rules.steps, us, to, kind_after(rules, position, move)) & load_bb(rules.square, king)):
            return empty_like(squares)
    return squares


@kernel
def captors(rules: Rules, position: Position, mate: MateState, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the defender's pieces that attack a square, without the king and the pieces that may be pinned."""
    them = position.side ^ ONE
    found = step_attackers(rules, position, them, square) | slide_attackers(rules, position, them, square, occupied)
    return found & ~load_bb(mate.bound, ZERO)


@kernel
def guess_replies(rules: Rules, position: Position, mate: MateState, move: Move) -> Any:
    """Return an estimate of the number of replies to the check `move`, which does not mate. `prepare_replies` must have
    been called. All interpositions on a square count as one, because usually either all of them help or none."""
    us = position.side
    them = us ^ ONE
    to = move & SQUARE_MASK
    target = load_bb(rules.square, to)
    king = np.uint64(position.king[them, ZERO])
    occupied = occupied_after(rules, position, move)
    fled = occupied ^ load_bb(rules.square, king)
    covered = attacks(rules, us, kind_after(rules, position, move), to, fled)
    count = popcount(load_bb(mate.free, ZERO) & ~target & ~covered)
    count += popcount(captors(rules, position, mate, to, occupied))
    if any_of(target & load_bb(rules.steps, them, king, rules.king)):
        guards = step_attackers(rules, position, us, to) | slide_attackers(rules, position, us, to, occupied)
        if not any_of(guards & occupied & ~target):
            count += ONE
    squares = open_squares(rules, position, move)
    if any_of(squares) and has_drop_between(rules, position, them, squares):
        count += popcount(squares)
    return np.int64(max(count, ONE))


@kernel
def has_reply(rules: Rules, position: Position, mate: MateState, move: Move) -> Flag:
    """Return True if the check `move` certainly has a reply, and False if this is unknown. `prepare_replies` must have
    been called."""
    if mate.prepared == 0:
        return False
    if leaves_flight(rules, position, move, load_bb(mate.free, ZERO)):
        return True
    them = position.side ^ ONE
    to = move & SQUARE_MASK
    origin = load_bb(rules.square, (move >> ORIGIN_SHIFT) & SQUARE_MASK)
    if not move & DROP and any_of(load_bb(mate.hiding, ZERO) & origin):
        return False
    occupied = occupied_after(rules, position, move)
    if any_of(captors(rules, position, mate, to, occupied)):
        return True
    squares = open_squares(rules, position, move)
    return any_of(squares) and has_drop_between(rules, position, them, squares)
