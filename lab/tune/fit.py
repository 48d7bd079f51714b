"""The fit: tables of piece relations (`eval.relations`) that make the evaluation foresee scores and results.

The evaluation without tables stays as it is; the tables correct it. Every weight is the sum of a part that counts
everywhere, one for the king's square, and one for the pair, so that rare pairs lean on what is known of their pieces.
All are found together by Adam on the logistic loss of `(1 - RESULT_SHARE) * score + RESULT_SHARE * result`; games that
were kept apart say when to stop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from eval.tables import Features, Tables
from lab.tune.positions import Positions
from rules.variants import Variant

RESULT_SHARE = 0.2
BATCH = 8192
RATE = 1.0  # centipawns that a weight moves in a step at first
PATIENCE = 3  # epochs without a better held-out loss
EPOCHS = 60
BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8
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


@njit(nogil=True)
def _correction(features: Any, kings: Any, piece: Any, king: Any, pair: Any) -> Any:
    """What the tables add for the side to move. `features`: (2, n), the mover's view first, -1 behind the last."""
    total = 0.0
    for v in range(2):
        sign = 1.0 if v == 0 else -1.0
        for i in range(features.shape[1]):
            a = features[v, i]
            if a < 0:
                break
            total += sign * (piece[a] + king[kings[v], a])
            for j in range(i):
                b = features[v, j]
                total += sign * pair[max(a, b), min(a, b)]
    return total


@njit(nogil=True)
def _accumulate(features: Any, kings: Any, slope: Any, piece: Any, king: Any, pair: Any) -> None:
    """Add a position's gradient."""
    for v in range(2):
        change = slope if v == 0 else -slope
        for i in range(features.shape[1]):
            a = features[v, i]
            if a < 0:
                break
            piece[a] += change
            king[kings[v], a] += change
            for j in range(i):
                b = features[v, j]
                pair[max(a, b), min(a, b)] += change


@njit(nogil=True)
def _losses(
    features: Any, kings: Any, base: Any, target: Any, scale: Any, tempo: Any, piece: Any, king: Any, pair: Any
) -> Any:
    """The mean divergence."""
    total = 0.0
    for n in range(len(base)):
        x = (base[n] + tempo[0] + _correction(features[n], kings[n], piece, king, pair)) / scale
        p = min(max(1 / (1 + np.exp(-x)), 1e-7), 1 - 1e-7)
        t = min(max(target[n], 1e-7), 1 - 1e-7)
        total += t * np.log(t / p) + (1 - t) * np.log((1 - t) / (1 - p))
    return total / len(base)


@njit(nogil=True)
def _adam(weight: Any, gradient: Any, first: Any, second: Any, step: Any, rate: Any, decay: Any) -> None:
    """One step of Adam with decoupled decay; the gradient is zero afterwards."""
    correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    for i in range(len(weight)):
        g = gradient[i]
        first[i] = BETA1 * first[i] + (1 - BETA1) * g
        second[i] = BETA2 * second[i] + (1 - BETA2) * g * g
        weight[i] -= rate * (correction * first[i] / (np.sqrt(second[i]) + EPSILON) + decay * weight[i])
        gradient[i] = 0.0


@njit(nogil=True)
def _epoch(
    order: Any, features: Any, kings: Any, base: Any, target: Any, scale: Any, weights: Any, gradients: Any, moments: Any,
    squares: Any, shapes: Any, step: Any, rate: Any, decay: Any, batch: Any,
) -> Any:  # fmt: skip
    """One walk over all positions; how many steps have been made in all."""
    f, k = shapes
    piece, king = gradients[1 : 1 + f], gradients[1 + f : 1 + f + k * f].reshape(k, f)
    pair = gradients[1 + f + k * f :].reshape(f, f)
    w_piece, w_king = weights[1 : 1 + f], weights[1 + f : 1 + f + k * f].reshape(k, f)
    w_pair = weights[1 + f + k * f :].reshape(f, f)
    for start in range(0, len(order), batch):
        end = min(start + batch, len(order))
        for m in range(start, end):
            n = order[m]
            x = (base[n] + weights[0] + _correction(features[n], kings[n], w_piece, w_king, w_pair)) / scale
            slope = (1 / (1 + np.exp(-x)) - target[n]) / (end - start)
            gradients[0] += slope
            _accumulate(features[n], kings[n], slope, piece, king, pair)
        step += 1
        _adam(weights, gradients, moments, squares, step, rate, decay)
    return step


def fit(
    variant: Variant, positions: Positions, seed: int, report: Report, decay: float = 0.0, rate: float = RATE
) -> Fitted:
    """Fit tables to positions; the same ones and the same seed give the same tables."""
    shape = Features(variant)
    f, k = shape.count, shape.kings
    result = (positions.result + 1) / 2
    scale = scale_of(positions.score, result)
    target = (1 - RESULT_SHARE) * logistic(positions.score, scale) + RESULT_SHARE * result
    base = positions.static_eval.astype(np.float64)
    apart = np.flatnonzero(positions.apart)
    order = np.flatnonzero(~positions.apart)
    weights = np.zeros(1 + f + k * f + f * f, np.float32)
    gradients, moments, squares = (np.zeros(len(weights), np.float32) for _ in range(3))

    def divergence(chosen: Any, weights: Any) -> float:
        piece, king = weights[1 : 1 + f], weights[1 + f : 1 + f + k * f].reshape(k, f)
        pair = weights[1 + f + k * f :].reshape(f, f)
        return float(
            _losses(
                positions.features[chosen], positions.kings[chosen], base[chosen], target[chosen],
                scale, weights[:1], piece, king, pair,
            )
        )  # fmt: skip

    before = divergence(apart, weights)
    best, best_weights, best_epoch, step = before, weights.copy(), 0, 0
    rng = np.random.Generator(np.random.PCG64(seed))
    report(f"{len(order)} positions, {len(apart)} kept apart, {len(weights)} weights, scale {scale:.0f} cp")
    report(f"epoch  0: held-out divergence {before:.5f}")
    for epoch in range(1, EPOCHS + 1):
        rng.shuffle(order)
        step = _epoch(
            order, positions.features, positions.kings, base, target, scale, weights, gradients, moments, squares,
            (f, k), step, rate, decay, BATCH,
        )  # fmt: skip
        loss = divergence(apart, weights)
        report(
            f"epoch {epoch:2}: held-out divergence {loss:.5f}, training {divergence(order[: len(apart)], weights):.5f}"
        )
        if loss < best:
            best, best_weights, best_epoch = loss, weights.copy(), epoch
        elif epoch - best_epoch >= PATIENCE:
            break
    piece, king = best_weights[1 : 1 + f], best_weights[1 + f : 1 + f + k * f].reshape(k, f)
    pair = best_weights[1 + f + k * f :].reshape(f, f)
    lower = np.tril(pair, -1)
    tables = Tables(
        *(np.clip(np.rint(table), -MOST, MOST).astype(np.int16) for table in (king + piece, lower + lower.T))
    )
    return Fitted(tables, round(float(best_weights[0])), scale, before, best, best_epoch)
