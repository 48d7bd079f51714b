"""Attacks: sliding attacks, attackers of a square, and the checkers and pinned pieces of the side to move."""

from __future__ import annotations

import numpy as np

from kogoma.native.bitboard import (
    ONE,
    ZERO,
    any_of,
    clear_lsb,
    down_to_highest,
    empty_like,
    load_bb,
    lsb,
    popcount,
    store_bb,
    up_to_lowest,
)
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Bitboard, Flag, Int
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.types import PieceType, Position, Rules, Side, Square


@inlined
def slides(rules: Rules, side: Side, bundle: Int, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a slider of `side` attacks from `square` along the rays of `bundle`, up to and including
    the first occupied square of each ray."""
    rays = rules.rays
    first = load_bb(rays, side, bundle, square, np.uint64(0))
    second = load_bb(rays, side, bundle, square, np.uint64(1))
    third = load_bb(rays, side, bundle, square, np.uint64(2))
    fourth = load_bb(rays, side, bundle, square, np.uint64(3))
    return (
        (first & up_to_lowest(first & occupied))
        | (second & up_to_lowest(second & occupied))
        | (third & down_to_highest(third & occupied))
        | (fourth & down_to_highest(fourth & occupied))
    )


@inlined
def rays_reached(rules: Rules, side: Side, bundle: Int, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a slider of `side` attacks from `square` along all its rays."""
    reached = slides(rules, side, bundle, square, occupied)
    if bundle >= rules.first_wide:
        reached = reached | slides(rules, side, bundle + rules.wide_sets, square, occupied)
    return reached


@inlined
def attacks(rules: Rules, side: Side, kind: PieceType, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the squares that a piece of type `kind` attacks from `square`, given the `occupied` squares."""
    reached = load_bb(rules.steps, side, square, kind)
    bundle = rules.slide_set[kind]
    if bundle != 0:
        reached = reached | rays_reached(rules, side, bundle, square, occupied)
    return reached


@kernel
def step_attackers(rules: Rules, position: Position, side: Side, square: Square) -> Bitboard:
    """Return the pieces of `side` that attack `square` by a step."""
    near = load_bb(rules.near, side, square) & load_bb(position.by_side, side)
    found = empty_like(near)
    while any_of(near):
        origin = lsb(near)
        near = clear_lsb(near)
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        found = found | (load_bb(rules.steps, side ^ ONE, square, kind) & load_bb(rules.square, origin))
    return found


@kernel
def slide_attackers(rules: Rules, position: Position, side: Side, square: Square, occupied: Bitboard) -> Bitboard:
    """Return the pieces of `side` that attack `square` along a ray, given the `occupied` squares."""
    them = side ^ ONE
    found = empty_like(occupied)
    for bundle in range(ONE, rules.slide_sets + ONE):
        far = (
            load_bb(rules.reach, them, bundle, square)
            & load_bb(position.by_slide, bundle)
            & load_bb(position.by_side, side)
        )
        while any_of(far):
            slider = lsb(far)
            far = clear_lsb(far)
            if not any_of(load_bb(rules.between, square, slider) & occupied):
                found = found | load_bb(rules.square, slider)
    return found


@kernel
def attacked(rules: Rules, position: Position, side: Side, square: Square, occupied: Bitboard) -> Flag:
    """Return whether a piece of `side` attacks `square`, given the `occupied` squares."""
    if any_of(step_attackers(rules, position, side, square)):
        return True
    return any_of(slide_attackers(rules, position, side, square, occupied))


@kernel
def set_check_info(rules: Rules, position: Position) -> None:
    """Compute the checkers and pinned pieces of the side to move, for the newest ply. In variants where the king can be
    captured, nothing is pinned."""
    us = position.side
    them = us ^ ONE
    king = np.uint64(position.king[us, np.uint64(0)])
    own = load_bb(position.by_side, us)
    enemy = load_bb(position.by_side, them)
    occupied = own | enemy
    checkers = step_attackers(rules, position, them, king)
    pinned = empty_like(own)
    for bundle in range(ONE, rules.slide_sets + ONE):
        far = load_bb(rules.reach, us, bundle, king) & load_bb(position.by_slide, bundle) & enemy
        while any_of(far):
            slider = lsb(far)
            far = clear_lsb(far)
            shield = load_bb(rules.between, king, slider) & occupied
            if not any_of(shield):
                checkers = checkers | load_bb(rules.square, slider)
            elif popcount(shield) == 1 and rules.king_capture == 0:
                pinned = pinned | (shield & own)
    store_bb(position.checkers, position.ply, checkers)
    store_bb(position.pinned, position.ply, pinned)


@kernel
def can_capture_king(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move attacks the opponent's king."""
    them = position.side ^ ONE
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return attacked(rules, position, position.side, np.uint64(position.king[them, np.uint64(0)]), occupied)
