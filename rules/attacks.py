"""Who attacks what: sliding attacks, attackers of a square, and the checkers and pins of the side to move."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.bitboard import any_of, count, down_to_highest, load, none_of, rest, scan, store, up_to_lowest
from rules.kernel import kernel
from rules.layout import TYPES

ONE = np.uint64(1)
TYPE_MASK = np.uint64(15)


@kernel
def slides(rules: Any, side: Any, bundle: Any, square: Any, occupied: Any) -> Any:
    """Squares that a slider with this bundle of rays attacks from `square`, blockers included."""
    rays = rules.rays
    first = load(rays, side, bundle, square, np.uint64(0))
    second = load(rays, side, bundle, square, np.uint64(1))
    third = load(rays, side, bundle, square, np.uint64(2))
    fourth = load(rays, side, bundle, square, np.uint64(3))
    return (
        (first & up_to_lowest(first & occupied))
        | (second & up_to_lowest(second & occupied))
        | (third & down_to_highest(third & occupied))
        | (fourth & down_to_highest(fourth & occupied))
    )


@kernel
def attacks(rules: Any, side: Any, kind: Any, square: Any, occupied: Any) -> Any:
    """Squares that a piece of type `kind` attacks from `square`."""
    reached = load(rules.steps, side, square, kind)
    bundle = rules.slide_set[kind]
    if bundle != 0:
        reached = reached | slides(rules, side, bundle, square, occupied)
    return reached


@kernel
def step_attackers(rules: Any, position: Any, side: Any, square: Any) -> Any:
    """Pieces of `side` that attack `square` by a step: what a piece of the other side would step to from there."""
    them = side ^ ONE
    found = none_of(load(position.by_side, side))
    for kind in range(TYPES):
        k = np.uint64(kind)
        found = found | (load(rules.steps, them, square, k) & load(position.by_type, k))
    return found & load(position.by_side, side)


@kernel
def slide_attackers(rules: Any, position: Any, side: Any, square: Any, occupied: Any) -> Any:
    """Pieces of `side` that attack `square` along a ray, given what is occupied."""
    them = side ^ ONE
    found = none_of(occupied)
    bundle = ONE
    while bundle <= rules.slide_sets:
        far = load(rules.reach, them, bundle, square) & load(position.by_slide, bundle) & load(position.by_side, side)
        while any_of(far):
            slider = scan(far)
            far = rest(far)
            if not any_of(load(rules.between, square, slider) & occupied):
                found = found | load(rules.square, slider)
        bundle += ONE
    return found


@kernel
def attacked(rules: Any, position: Any, side: Any, square: Any, occupied: Any) -> Any:
    """True if a piece of `side` attacks `square`, given what is occupied."""
    if any_of(step_attackers(rules, position, side, square)):
        return True
    return any_of(slide_attackers(rules, position, side, square, occupied))


@kernel
def inspect(rules: Any, position: Any) -> None:
    """Work out the checkers of the side to move and its pinned pieces, for the newest entry. Where kings are captured,
    nothing is pinned."""
    us = position.side
    them = us ^ ONE
    king = np.uint64(position.king[us, np.uint64(0)])
    own = load(position.by_side, us)
    enemy = load(position.by_side, them)
    occupied = own | enemy
    checkers = step_attackers(rules, position, them, king)
    pinned = none_of(own)
    bundle = ONE
    while bundle <= rules.slide_sets:
        far = load(rules.reach, us, bundle, king) & load(position.by_slide, bundle) & enemy
        while any_of(far):
            slider = scan(far)
            far = rest(far)
            shield = load(rules.between, king, slider) & occupied
            if not any_of(shield):
                checkers = checkers | load(rules.square, slider)
            elif count(shield) == 1 and rules.king_capture == 0:
                pinned = pinned | (shield & own)
        bundle += ONE
    store(position.checkers, position.ply, checkers)
    store(position.pinned, position.ply, pinned)
