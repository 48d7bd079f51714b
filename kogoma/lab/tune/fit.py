"""Fit a relation table (`eval.relation_table`) that corrects the evaluation to predict search scores and results.

Every weight of the table is a sum of terms for the two features alone and for their pair. Each term exists twice:
relative to the side to move, and relative to the owner, with the opposite sign for the opponent. So rare pairs are
estimated from their pieces, and both sides share data. Adam minimises the logistic loss of the target
`(1 - RESULT_SHARE) * score + RESULT_SHARE * result`, with early stopping by the loss on held-out games.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from kogoma.eval.relation_table import Features, Table
from kogoma.eval.weights import load
from kogoma.lab.tune.positions import PARTS, Positions
from kogoma.rules.variants import Variant
from kogoma.search.dice.values import SCALE

RESULT_SHARE = 0.2
BATCH = 8192
RATE = 0.001  # initial learning rate of Adam, as a share of the scale
DICE_RATE = 0.0003  # learning rate for variants with a die, whose targets are noisy
DECAY = 1400.0  # initial weight decay of a step, multiplied by the number of positions
PATIENCE = 3  # epochs without a lower held-out loss before the fit stops
EPOCHS = 200
BETA1, BETA2, EPSILON, TINY = 0.9, 0.999, 1e-8, 1e-7
UNIT = 10.0  # so many centipawns of a term count as one feature, so that factors converge before pairs
MIN_POSITIONS = 16  # pairs seen in fewer positions get no pair term, which keeps the file small
MAX_WEIGHT = 30000  # centipawns; a relation table has int16 weights

Report = Callable[[str], None]


@dataclass(frozen=True)
class Fitted:
    """A fitted table and tempo, with the divergence on held-out games before and after: the cross entropy in nats minus
    that of a perfect prediction."""

    table: Table
    tempo: int
    factors: dict[str, float]  # of the terms of the evaluation, by PARTS; empty if they were not fitted
    scale: float  # centipawns at which the odds are e to 1
    before: float
    after: float
    epochs: int


def logistic(centipawns: Any, scale: float) -> Any:
    """Return the expected result, from 0 to 1, of scores in centipawns. A score of `scale` centipawns means odds of e
    to 1."""
    return 1 / (1 + np.exp(-np.asarray(centipawns, np.float64) / scale))


def best_scale(score: Any, result: Any) -> float:
    """Return the scale with which `logistic` best predicts the results (0 to 1) from the scores (centipawns)."""
    scales = np.geomspace(20, 2000, 93)

    def loss(scale: float) -> float:
        p = np.clip(logistic(score, scale), 1e-6, 1 - 1e-6)
        return float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))

    return float(min(scales, key=loss))


class Weights(NamedTuple):
    """The fitted weights, as views of one float32 array. Pairs are indexed by the lower feature number first."""

    tempo: Any  # (1,)
    term: Any  # (terms,): (factor - 1) * UNIT
    turn: Any  # (features,): relative to the side to move
    owner: Any  # (features,): relative to the owner; subtracted if the opponent has the feature
    turn_pair: Any  # (rows, features)
    owner_pair: Any  # (rows, features)


def _weight_views(flat: Any, shape: Features, terms: int) -> Weights:
    """Return the parts of `flat`, the array of all weights, as views. `terms` is the number of evaluation terms."""
    n, pairs = shape.count, shape.rows * shape.count
    tempo, term, turn, owner, turn_pair, owner_pair = np.split(flat, np.cumsum([1, terms, n, n, pairs]))
    return Weights(tempo, term, turn, owner, turn_pair.reshape(-1, n), owner_pair.reshape(-1, n))


class Data(NamedTuple):
    """The positions to fit, as arrays for the compiled functions."""

    base: Any  # (count,): static evaluation without the table
    terms: Any  # (count, terms): terms of the evaluation / UNIT
    features: Any  # (count, most), as in `Positions`
    target: Any  # (count,): expected result
    swapped: Any  # (features,): the same feature of the opponent
    rows: int  # features below this number have a row in the table
    scale: float


@njit(nogil=True)
def _predict(weights: Any, data: Any, n: Any) -> Any:
    """Return the predicted result for the side to move in the n-th position, from 0 to 1."""
    total = data.base[n] + weights.tempo[0]
    for i in range(len(weights.term)):
        total += weights.term[i] * data.terms[n, i]
    features, swapped = data.features[n], data.swapped
    for i in range(len(features)):
        a = features[i]
        if a < 0:
            break
        total += weights.turn[a] + weights.owner[a] - weights.owner[swapped[a]]
        for j in range(i):
            b = features[j]
            low, high = min(a, b), max(a, b)
            if low >= data.rows:
                break
            other, another = swapped[a], swapped[b]
            total += weights.turn_pair[low, high] + weights.owner_pair[low, high]
            total -= weights.owner_pair[min(other, another), max(other, another)]
    return 1 / (1 + np.exp(-total / data.scale))


@njit(nogil=True)
def _add_gradient(gradient: Any, data: Any, n: Any, slope: Any) -> None:
    """Add the gradient of the n-th position's loss to `gradient`. `slope` is the derivative of this loss with respect
    to the position's evaluation."""
    gradient.tempo[0] += slope
    for i in range(len(gradient.term)):
        gradient.term[i] += slope * data.terms[n, i]
    features, swapped = data.features[n], data.swapped
    for i in range(len(features)):
        a = features[i]
        if a < 0:
            break
        gradient.turn[a] += slope
        gradient.owner[a] += slope
        gradient.owner[swapped[a]] -= slope
        for j in range(i):
            b = features[j]
            low, high = min(a, b), max(a, b)
            if low >= data.rows:
                break
            other, another = swapped[a], swapped[b]
            gradient.turn_pair[low, high] += slope
            gradient.owner_pair[low, high] += slope
            gradient.owner_pair[min(other, another), max(other, another)] -= slope


@njit(nogil=True)
def _gradient(weights: Any, gradient: Any, data: Any, batch: Any) -> None:
    """Add the mean gradient of the loss over the positions with the numbers `batch` to `gradient`."""
    for n in batch:
        _add_gradient(gradient, data, n, (_predict(weights, data, n) - data.target[n]) / len(batch))


@njit(nogil=True)
def _divergence(weights: Any, data: Any, chosen: Any) -> Any:
    """Return the mean divergence, in nats, between predictions and targets in the positions with the numbers
    `chosen`."""
    total = 0.0
    for n in chosen:
        p = min(max(_predict(weights, data, n), TINY), 1 - TINY)
        t = min(max(data.target[n], TINY), 1 - TINY)
        total += t * np.log(t / p) + (1 - t) * np.log((1 - t) / (1 - p))
    return total / len(chosen)


@njit(nogil=True)
def _adam_step(weight: Any, gradient: Any, mean: Any, square: Any, step: Any, rate: Any, decay: Any) -> None:
    """Change the weights by one step of Adam with decoupled weight decay. Set the gradient to zero."""
    correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    for i in range(len(weight)):
        g = gradient[i]
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * g
        square[i] = BETA2 * square[i] + (1 - BETA2) * g * g
        weight[i] -= rate * correction * mean[i] / (np.sqrt(square[i]) + EPSILON) + decay * weight[i]
        gradient[i] = 0.0


def fit(variant: Variant, positions: Positions, seed: int, report: Report) -> Fitted:
    """Return evaluation weights fitted to positions: a relation table, a tempo bonus, and factors for the evaluation
    terms. The same positions and seed give the same weights. `report` gets lines about the progress."""
    shape = Features(variant)
    result = (positions.result + 1) / 2
    scale = best_scale(positions.score, result)
    target = (1 - RESULT_SHARE) * logistic(positions.score, scale) + RESULT_SHARE * result
    rate = RATE
    if variant.die:
        # The search of dice variants converts evaluations to winning chances with this scale.
        scale, target = SCALE / math.log(10), positions.td_target.astype(np.float64)
        rate = DICE_RATE
    swapped = np.array(shape.swapped(), np.int32)
    base, terms = positions.static_eval.astype(np.float64), positions.terms / UNIT
    data = Data(base, terms, positions.features, target, swapped, shape.rows, scale)
    held_out, order = np.flatnonzero(positions.held_out), np.flatnonzero(~positions.held_out)
    count = terms.shape[1]
    size = 1 + count + 2 * shape.count * (1 + shape.rows)
    flat, flat_gradient, mean, square = (np.zeros(size, np.float32) for _ in range(4))
    weights, gradient = _weight_views(flat, shape, count), _weight_views(flat_gradient, shape, count)
    before = best = _divergence(weights, data, held_out)
    best_flat, best_epoch, step, decay = flat.copy(), 0, 0, DECAY / len(order)
    rng = np.random.Generator(np.random.PCG64(seed))
    report(f"{len(order):,} positions, {len(held_out):,} held out, {size:,} weights, scale {scale:.0f} cp")
    report("divergence after each epoch, in held-out and in trained positions; * marks the lowest held-out one so far")
    report("epoch  held out trained")
    report(f"{0:5}  {before:.5f}  {_divergence(weights, data, order[: len(held_out)]):.5f}")
    for epoch in range(1, EPOCHS + 1):
        rng.shuffle(order)
        annealed = 1 - (epoch - 1) / EPOCHS
        for start in range(0, len(order), BATCH):
            step += 1
            _gradient(weights, gradient, data, order[start : start + BATCH])
            _adam_step(flat, flat_gradient, mean, square, step, annealed * rate * scale, annealed * decay)
        loss = _divergence(weights, data, held_out)
        learnt = _divergence(weights, data, order[: len(held_out)])
        report(f"{epoch:5}  {loss:.5f}  {learnt:.5f}{' *' if loss < best else ''}")
        if loss < best:
            best, best_flat, best_epoch = loss, flat.copy(), epoch
        elif epoch - best_epoch >= PATIENCE:
            break
    found, seen = _weight_views(best_flat, shape, count), np.zeros((shape.rows, shape.count), np.int64)
    _count_pairs(positions.features, seen)
    factors = {name: max(0.0, 1 + float(part) / UNIT) for name, part in zip(PARTS, found.term)}
    table, tempo = _build_table(shape, found, seen >= MIN_POSITIONS), round(float(found.tempo[0]))
    if "relations" in factors:
        table, tempo = _add_current_table(variant, table, tempo, factors["relations"])
    return Fitted(table, tempo, factors, scale, before, best, best_epoch)


def _add_current_table(variant: Variant, table: Table, tempo: int, factor: float) -> tuple[Table, int]:
    """Return the (table, tempo) that the engine uses. The fitted `table` and `tempo` are corrections, so the current
    table, multiplied by `factor`, and the current table's change of the tempo are added to them."""
    old, without = load(variant), load(variant, relations=False)
    if "table" in old:
        table = np.clip(np.rint(old["table"] * factor) + table, -MAX_WEIGHT, MAX_WEIGHT).astype(np.int16)
    return table, tempo + old["tempo"] - without["tempo"]


@njit(nogil=True)
def _count_pairs(features: Any, seen: Any) -> None:
    """Add to `seen[low, high]` the number of positions that have both the features `low` and `high`, where `low` <=
    `high`."""
    for row in features:
        for i in range(len(row)):
            for j in range(i):
                low, high = min(row[i], row[j]), max(row[i], row[j])
                if 0 <= low < len(seen):
                    seen[low, high] += 1


def _build_table(shape: Features, weights: Weights, is_frequent: Any) -> Table:
    """Return a relation table that contains the terms of pairs and of single features. Only the pairs marked by
    `is_frequent` keep their own terms. The term of a single feature is added to the feature's pairs with the king of
    the side to move, which is always on the board. The term of that king itself is added to its pairs with the other
    king."""
    swapped = np.array(shape.swapped())
    alone = weights.turn + weights.owner - weights.owner[swapped]
    rows, columns = shape.stored_indices()
    low, high = np.minimum(swapped[rows], swapped[columns]), np.maximum(swapped[rows], swapped[columns])
    table = np.zeros((shape.rows, shape.count))
    table[rows, columns] = weights.turn_pair[rows, columns] + weights.owner_pair[rows, columns]
    table[rows, columns] -= weights.owner_pair[low, high]
    table *= is_frequent
    kings = shape.variant.squares
    table[:kings, kings:] += alone[kings:]
    table[:kings, kings : 2 * kings] += alone[:kings, None]
    rounded = np.clip(np.rint(table), -MAX_WEIGHT, MAX_WEIGHT).astype(np.int16)
    return rounded + np.triu(rounded, 1).T if shape.rows == shape.count else rounded
