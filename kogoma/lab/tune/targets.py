"""Targets of the fit: expected results that combine search scores with what happened later in the game."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

Array = np.ndarray[Any, Any]


class Played(NamedTuple):
    """All positions of the games, quiet or not, in the order in which they were played."""

    side: Array  # (count,) uint8: side to move
    score: Array  # (count,) int16: search score for the side to move, in centipawns
    result: Array  # (count,) int8: 1 won, 0 drawn, -1 lost for the side to move
    last: Array  # (count,) bool: the last position of its game


def logistic(centipawns: Any, scale: float) -> Any:
    """Return the expected result, from 0 to 1, of scores in centipawns. A score of `scale` centipawns means odds of e
    to 1."""
    return (1 + np.tanh(np.asarray(centipawns, np.float64) / (2 * scale))) / 2  # unlike `exp`, `tanh` cannot overflow


def best_scale(score: Any, result: Any) -> float:
    """Return the scale with which `logistic` best predicts the results (0 to 1) from the scores (centipawns)."""
    scales = np.geomspace(20, 2000, 93)

    def loss(scale: float) -> float:
        p = np.clip(logistic(score, scale), 1e-6, 1 - 1e-6)
        return float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))

    return float(min(scales, key=loss))


def td_targets(played: Played, scale: float, td_lambda: float) -> Array:
    """Return the TD(lambda) targets of positions: expected results from 0 to 1 for the side to move.

    Each target mixes the expected result by the search score, with the weight 1 - `td_lambda`, and the target of the
    next position; after the last position of a game, this is its result (Sutton: Learning to Predict by the Methods of
    Temporal Differences, 1988). So a target depends on later scores of the game; the later they are, the less they
    count.
    """
    return np.asarray(_targets(played, logistic(played.score, scale), td_lambda))


@njit(nogil=True)
def _targets(played: Any, expected: Any, td_lambda: Any) -> Any:
    found, following = np.empty(len(expected)), 0.0
    for n in range(len(expected) - 1, -1, -1):
        if played.last[n]:
            following = (played.result[n] + 1) / 2
        elif played.side[n + 1] != played.side[n]:
            following = 1 - following
        following = found[n] = (1 - td_lambda) * expected[n] + td_lambda * following
    return found
