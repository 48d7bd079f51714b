"""One look at the replies to a check, without playing it: most checks surely leave one, so that they do not mate."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import attacked, attacks, slide_attackers, step_attackers
from rules.moves import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from rules.native.bitboard import (
    ONE,
    ZERO,
    any_of,
    clear_lsb,
    empty_like,
    load_bb,
    lsb,
    store_bb,
)
from rules.native.kernel import kernel
from rules.native.layout import TYPE_MASK


@kernel
def survey(rules: Any, position: Any, mate: Any) -> None:
    """At the attacker's turn, with the checks generated, write down what else `has_reply` asks of the position. Nothing
    where replies alone do not settle it, as a game may end in other ways or any moves are tried."""
    us = position.side
    them = us ^ ONE
    own = load_bb(position.by_side, us)
    enemy = load_bb(position.by_side, them)
    mate.surveyed = np.int64(rules.sudden_end == 0 and mate.every_move == 0)
    mate.flights = 0
    if mate.surveyed == 0:
        return
    square = np.uint64(position.king[them, ZERO])
    king = load_bb(rules.square, square)
    occupied = own | enemy
    free = empty_like(own)
    targets = load_bb(rules.steps, them, square, rules.king) & ~enemy
    while any_of(targets):
        to = lsb(targets)
        targets = clear_lsb(targets)
        if not attacked(rules, position, us, to, occupied ^ king):
            free = free | load_bb(rules.square, to)
            mate.flights += 1
    bound = king
    bundle = ONE
    while bundle <= rules.slide_sets:
        far = load_bb(rules.reach, them, bundle, square) & load_bb(position.by_slide, bundle) & own
        while any_of(far):
            bound = bound | (load_bb(rules.between, square, lsb(far)) & enemy)
            far = clear_lsb(far)
        bundle += ONE
    store_bb(mate.free, ZERO, free)
    store_bb(mate.bound, ZERO, bound)


@kernel
def has_drop_between(rules: Any, position: Any, side: Any, squares: Any) -> Any:
    """True if the side has a drop on one of these squares for which it need not look at the file."""
    kind = ONE
    while kind <= rules.hand_types:
        if position.hand[side, kind] != 0 and rules.most_per_file[kind] == 0:
            if any_of(squares & ~load_bb(rules.no_drop, side, kind)):
                return True
        kind += ONE
    return False


@kernel
def has_reply(rules: Any, position: Any, mate: Any, move: Any) -> Any:
    """True if there surely is a reply to a check, in a position that was surveyed; otherwise there may be one."""
    if mate.surveyed == 0:
        return False
    us = position.side
    them = us ^ ONE
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    target = load_bb(rules.square, to)
    king = np.uint64(position.king[them, ZERO])
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE) | target
    kind = origin
    alone = True
    if not move & DROP:
        here = load_bb(rules.square, origin)
        alone = not any_of(load_bb(mate.hiding, ZERO) & here)
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        occupied = occupied ^ here
        if move & PROMOTION:
            kind = rules.promoted[kind]
    left = load_bb(mate.free, ZERO) & ~target
    if any_of(left):
        fled = occupied ^ load_bb(rules.square, king)
        left = left & ~attacks(rules, us, kind, to, fled)
        if move & DROP and any_of(left):
            return True
        while any_of(left):
            # A piece that leaves its square may open a line.
            if not any_of(slide_attackers(rules, position, us, lsb(left), fled)):
                return True
            left = clear_lsb(left)
    if not alone:
        return False
    free = ~load_bb(mate.bound, ZERO)
    if any_of(step_attackers(rules, position, them, to) & free):
        return True
    if any_of(slide_attackers(rules, position, them, to, occupied) & free):
        return True
    squares = load_bb(rules.between, king, to)
    return any_of(squares) and has_drop_between(rules, position, them, squares)
