"""The static evaluation: the running score kept by make and unmake, and what the pieces do where they stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.king_safety import king_danger
from eval.pieces import walk_pieces
from eval.threats import hanging
from rules.make_move import running_score
from rules.native.bitboard import ONE, ZERO
from rules.native.kernel import kernel

LIMIT = 20000  # centipawns; decided games score higher


@kernel
def evaluate(rules: Any, weights: Any, position: Any) -> Any:
    """Centipawns for the side to move, within LIMIT."""
    black = walk_pieces(rules, weights, position, ZERO)
    white = walk_pieces(rules, weights, position, ONE)
    score = np.int64(position.score[position.ply])
    score += black[2] - white[2] + black[3] - white[3]
    score -= king_danger(rules, weights, position, ZERO, white[0], black[1], white[4])
    score += king_danger(rules, weights, position, ONE, black[0], white[1], black[4])
    score -= hanging(rules, weights, position, ZERO, white[0], black[0])
    score += hanging(rules, weights, position, ONE, black[0], white[0])
    if position.side != 0:
        score = -score
    return max(-LIMIT, min(LIMIT, score + weights.tempo))


@kernel
def write_terms(rules: Any, weights: Any, position: Any, out: Any) -> None:
    """Each term for Black and White, in the order of `eval.explain.TERMS`."""
    out[0] = running_score(rules, position)
    out[1] = 0
    for side in range(2):
        us = np.uint64(side)
        them = us ^ ONE
        own = walk_pieces(rules, weights, position, us)
        enemy = walk_pieces(rules, weights, position, them)
        out[2 + side] = own[2]
        out[4 + side] = own[3]
        out[6 + side] = -king_danger(rules, weights, position, us, enemy[0], own[1], enemy[4])
        out[8 + side] = -hanging(rules, weights, position, us, enemy[0], own[0])
        out[10 + side] = weights.tempo if position.side == us else 0
