"""How near a king is to being mated: attackers and what they hold in hand against defenders and ways out."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.pieces import king_zone
from rules.native.bitboard import ONE, ZERO, load_bb, popcount
from rules.native.kernel import kernel


@kernel
def hand_pressure(rules: Any, weights: Any, position: Any, side: Any) -> Any:
    """Danger that a side's hand means to the enemy king."""
    pressure = np.int64(0)
    kind = ONE
    while kind <= rules.hand_types:
        pressure += weights.king_hand[kind] * np.int64(position.hand[side, kind])
        kind += ONE
    return pressure


@kernel
def king_danger(rules: Any, weights: Any, position: Any, side: Any, attacked: Any, guarded: Any, pressure: Any) -> Any:
    """Centipawns by which the king of `side` stands worse: its danger squared, so that threats add up to more than
    their sum. `attacked` is what the enemy attacks, `guarded` what the side guards without its king."""
    king = np.uint64(position.king[side, ZERO])
    zone = king_zone(rules, position, side)
    ways_out = load_bb(rules.steps, side, king, rules.king) & ~load_bb(position.by_side, side) & ~attacked
    danger = pressure + hand_pressure(rules, weights, position, side ^ ONE)
    danger += weights.king_weak_square * np.int64(popcount(zone & attacked & ~guarded))
    danger -= weights.king_defender * np.int64(popcount(zone & guarded))
    danger += weights.escape[popcount(ways_out)]
    if danger <= 0:
        return np.int64(0)
    return min(danger * danger // weights.danger_divisor, weights.danger_limit)
