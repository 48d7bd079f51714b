"""The fit: tables of piece relations (`eval.relations`) that make the evaluation foresee scores and results.

The evaluation without tables stays as it is; the tables correct it. Every weight is the sum of a part that counts
everywhere, one for the king's square, and one for the pair, so that rare pairs lean on what is known of their pieces.
All are found together by Adam on the logistic loss of `(1 - RESULT_SHARE) * score + RESULT_SHARE * result`; games that
were kept apart say when to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from eval.tables import Features, Tables
from lab.tune.positions import Positions
from rules.variants import Variant

RESULT_SHARE = 0.2
BATCH = 8192
RATE = 1.0  # centipawns that a weight moves in a step at first
DECAY = 0.02  # of a weight, times RATE, that a step takes away: rare pairs stay near nothing
PATIENCE = 3  # epochs without a better held-out loss
EPOCHS = 60
BETA1, BETA2, EPSILON, TINY = 0.9, 0.999, 1e-8, 1e-7
MOST = 30000  # centipawns; what a table can hold

Report = Callable[[str], None]


@dataclass(frozen=True)
class Fitted:
    """Tables, what is to be added to the tempo, and how they did: divergence (loss above that of a perfect guess, in
    nats) on the games kept apart, before and after."""

    tables: Tables
    tempo: int
    scale: float  # centipawns that mean odds of e to 1
    before: float
    after: float
    epochs: int


def logistic(centipawns: Any, scale: float) -> Any:
    """Score -> expected result, from 0 to 1."""
    return 1 / (1 + np.exp(-np.asarray(centipawns, np.float64) / scale))


def scale_of(score: Any, result: Any) -> float:
    """The scale by which scores foretell results best. `result`: 0 to 1."""
    scales = np.geomspace(100, 2000, 61)

    def loss(scale: float) -> float:
        p = np.clip(logistic(score, scale), 1e-6, 1 - 1e-6)
        return float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))

    return float(min(scales, key=loss))


class Weights(NamedTuple):
    """What is fitted: four parts of one array of float32, or views of it."""

    tempo: Any  # (1,)
    piece: Any  # (features,)
    king: Any  # (kings, features)
    pair: Any  # (features, features), of which the lower triangle is used


def _parts(flat: Any, features: int, kings: int) -> Weights:
    """The parts of an array of all weights."""
    ends = np.cumsum([1, features, kings * features])
    tempo, piece, king, pair = np.split(flat, ends)
    return Weights(tempo, piece, king.reshape(kings, features), pair.reshape(features, features))


@njit(nogil=True)
def _foreseen(weights: Any, base: Any, features: Any, kings: Any, scale: Any) -> Any:
    """The expected result of the side to move. `features`: (2, most), what the mover's king sees first."""
    total = base + weights.tempo[0]
    for view in range(2):
        sign = 1.0 if view == 0 else -1.0
        for i in range(features.shape[1]):
            a = features[view, i]
            if a < 0:
                break
            total += sign * (weights.piece[a] + weights.king[kings[view], a])
            for j in range(i):
                b = features[view, j]
                total += sign * weights.pair[max(a, b), min(a, b)]
    return 1 / (1 + np.exp(-total / scale))


@njit(nogil=True)
def _add_gradient(gradient: Any, slope: Any, features: Any, kings: Any) -> None:
    """Add a position's part of the gradient."""
    gradient.tempo[0] += slope
    for view in range(2):
        change = slope if view == 0 else -slope
        for i in range(features.shape[1]):
            a = features[view, i]
            if a < 0:
                break
            gradient.piece[a] += change
            gradient.king[kings[view], a] += change
            for j in range(i):
                b = features[view, j]
                gradient.pair[max(a, b), min(a, b)] += change


@njit(nogil=True)
def _divergence(weights: Any, chosen: Any, base: Any, features: Any, kings: Any, target: Any, scale: Any) -> Any:
    """How far the chosen positions are from their targets on average, in nats."""
    total = 0.0
    for n in chosen:
        p = min(max(_foreseen(weights, base[n], features[n], kings[n], scale), TINY), 1 - TINY)
        t = min(max(target[n], TINY), 1 - TINY)
        total += t * np.log(t / p) + (1 - t) * np.log((1 - t) / (1 - p))
    return total / len(chosen)


@njit(nogil=True)
def _adam(weight: Any, gradient: Any, mean: Any, square: Any, step: Any, rate: Any) -> None:
    """One step of Adam with decoupled decay for all weights; the gradient is zero afterwards."""
    correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    for i in range(len(weight)):
        g = gradient[i]
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * g
        square[i] = BETA2 * square[i] + (1 - BETA2) * g * g
        weight[i] -= rate * (correction * mean[i] / (np.sqrt(square[i]) + EPSILON) + DECAY * weight[i])
        gradient[i] = 0.0


@njit(nogil=True)
def _gradient(
    weights: Any, gradient: Any, batch: Any, base: Any, features: Any, kings: Any, target: Any, scale: Any
) -> None:
    """Add the mean gradient of a batch."""
    for n in batch:
        slope = (_foreseen(weights, base[n], features[n], kings[n], scale) - target[n]) / len(batch)
        _add_gradient(gradient, slope, features[n], kings[n])


def fit(variant: Variant, positions: Positions, seed: int, report: Report) -> Fitted:
    """Fit tables to positions; the same ones and the same seed give the same tables."""
    shape = Features(variant)
    result = (positions.result + 1) / 2
    scale = scale_of(positions.score, result)
    target = (1 - RESULT_SHARE) * logistic(positions.score, scale) + RESULT_SHARE * result
    data = (positions.static_eval.astype(np.float64), positions.features, positions.kings, target, scale)
    apart, order = np.flatnonzero(positions.apart), np.flatnonzero(~positions.apart)
    size = 1 + shape.count * (1 + shape.kings + shape.count)
    flat, flat_gradient, mean, square = (np.zeros(size, np.float32) for _ in range(4))
    weights, gradient = (_parts(array, shape.count, shape.kings) for array in (flat, flat_gradient))
    before = best = _divergence(weights, apart, *data)
    kept, kept_epoch, step = flat.copy(), 0, 0
    rng = np.random.Generator(np.random.PCG64(seed))
    report(f"{len(order)} positions, {len(apart)} kept apart, {size} weights, scale {scale:.0f} cp")
    report(f"epoch  0: divergence of those apart {before:.5f}")
    for epoch in range(1, EPOCHS + 1):
        rng.shuffle(order)
        rate = RATE * (1 - (epoch - 1) / EPOCHS)
        for start in range(0, len(order), BATCH):
            step += 1
            _gradient(weights, gradient, order[start : start + BATCH], *data)
            _adam(flat, flat_gradient, mean, square, step, rate)
        loss = _divergence(weights, apart, *data)
        report(f"epoch {epoch:2}: {loss:.5f}, of those learnt {_divergence(weights, order[: len(apart)], *data):.5f}")
        if loss < best:
            best, kept, kept_epoch = loss, flat.copy(), epoch
        elif epoch - kept_epoch >= PATIENCE:
            break
    found = _parts(kept, shape.count, shape.kings)
    lower = np.tril(found.pair, -1)
    tables = (np.clip(np.rint(table), -MOST, MOST) for table in (found.king + found.piece, lower + lower.T))
    return Fitted(
        Tables(*(table.astype(np.int16) for table in tables)),
        round(float(found.tempo[0])),
        scale,
        before,
        best,
        kept_epoch,
    )
