"""One look at the replies to a check, without playing it: most checks surely leave one, so that they do not mate."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import slide_attackers, step_attackers
from rules.checks import king_flights, leaves_flight
from rules.moves import DROP, ORIGIN_SHIFT, SQUARE_MASK
from rules.native.bitboard import (
    ONE,
    ZERO,
    any_of,
    clear_lsb,
    load_bb,
    lsb,
    popcount,
    store_bb,
)
from rules.native.kernel import kernel


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
    free = king_flights(rules, position)
    mate.flights = np.int64(popcount(free))
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
    if leaves_flight(rules, position, move, load_bb(mate.free, ZERO)):
        return True
    them = position.side ^ ONE
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    target = load_bb(rules.square, to)
    king = np.uint64(position.king[them, ZERO])
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE) | target
    if not move & DROP:
        here = load_bb(rules.square, origin)
        if any_of(load_bb(mate.hiding, ZERO) & here):
            return False
        occupied = occupied ^ here
    free = ~load_bb(mate.bound, ZERO)
    if any_of(step_attackers(rules, position, them, to) & free):
        return True
    if any_of(slide_attackers(rules, position, them, to, occupied) & free):
        return True
    squares = load_bb(rules.between, king, to)
    return any_of(squares) and has_drop_between(rules, position, them, squares)
