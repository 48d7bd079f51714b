"""The fit: a table of piece relations (`eval.relations`) that makes the evaluation foresee scores and results.

The evaluation without the table stays as it is; the table corrects it. Every weight is the sum of four parts: one for
each of the two things by itself and one for both together, each of them once as it counts for whoever is to move, and
once as it counts for its owner (for the other side, which sees the board turned, it counts the other way). So rare
pairs lean on what is known of their pieces, and both sides learn from each other. All parts are found together by Adam
on the logistic loss of `(1 - RESULT_SHARE) * score + RESULT_SHARE * result`; games that were kept apart say when to
stop.
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
RATE = 0.001  # of the scale: what a weight moves in a step at first
DICE_RATE = 0.0003  # likewise, with a die
DECAY = 1400.0  # over the number of positions: what part of itself a weight loses in a step at first
PATIENCE = 3  # epochs without a better held-out loss
EPOCHS = 200
BETA1, BETA2, EPSILON, TINY = 0.9, 0.999, 1e-8, 1e-7
UNIT = 10.0  # centipawns of a term that count as much as one feature, so that factors are found before pairs
SEEN = 16  # positions; a pair seen in fewer counts nothing as a pair, so that the file stays small
MOST = 30000  # centipawns; what a table can hold

Report = Callable[[str], None]


@dataclass(frozen=True)
class Fitted:
    """A table, what is to be added to the tempo, and how they did: divergence (loss above that of a perfect guess, in
    nats) on the games kept apart, before and after."""

    table: Table
    tempo: int
    factors: dict[str, float]  # of the evaluation's terms (`PARTS`); empty where they stay as they are
    scale: float  # centipawns that mean odds of e to 1
    before: float
    after: float
    epochs: int


def logistic(centipawns: Any, scale: float) -> Any:
    """Score -> expected result, from 0 to 1."""
    return 1 / (1 + np.exp(-np.asarray(centipawns, np.float64) / scale))


def scale_of(score: Any, result: Any) -> float:
    """The scale by which scores foretell results best. `result`: 0 to 1."""
    scales = np.geomspace(20, 2000, 93)

    def loss(scale: float) -> float:
        p = np.clip(logistic(score, scale), 1e-6, 1 - 1e-6)
        return float(-np.mean(result * np.log(p) + (1 - result) * np.log(1 - p)))

    return float(min(scales, key=loss))


class Weights(NamedTuple):
    """What is fitted: parts of one array of float32, or views of it. A pair is indexed by its lower number first."""

    tempo: Any  # (1,)
    term: Any  # (terms,): a factor less 1, times UNIT
    turn: Any  # (features,): for the side to move
    owner: Any  # (features,): likewise, and taken off where the other side has it
    turn_pair: Any  # (rows, features)
    owner_pair: Any  # (rows, features)


def _parts(flat: Any, shape: Features, terms: int) -> Weights:
    """The parts of an array of all weights."""
    n, pairs = shape.count, shape.rows * shape.count
    tempo, term, turn, owner, turn_pair, owner_pair = np.split(flat, np.cumsum([1, terms, n, n, pairs]))
    return Weights(tempo, term, turn, owner, turn_pair.reshape(-1, n), owner_pair.reshape(-1, n))


class Data(NamedTuple):
    """All positions."""

    base: Any  # (count,): the evaluation without the table
    terms: Any  # (count, terms): parts of it, over UNIT
    features: Any  # (count, most), as in `Positions`
    target: Any  # (count,): expected result
    swapped: Any  # (features,): the same thing for the other side
    rows: int  # features below this number are paired with all of higher numbers
    scale: float


@njit(nogil=True)
def _foreseen(weights: Any, data: Any, n: Any) -> Any:
    """The expected result of the side to move in the n-th position."""
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
    """Add the part of the n-th position."""
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
    """Add the mean gradient of a batch."""
    for n in batch:
        _add_gradient(gradient, data, n, (_foreseen(weights, data, n) - data.target[n]) / len(batch))


@njit(nogil=True)
def _divergence(weights: Any, data: Any, chosen: Any) -> Any:
    """How far the chosen positions are from their targets on average, in nats."""
    total = 0.0
    for n in chosen:
        p = min(max(_foreseen(weights, data, n), TINY), 1 - TINY)
        t = min(max(data.target[n], TINY), 1 - TINY)
        total += t * np.log(t / p) + (1 - t) * np.log((1 - t) / (1 - p))
    return total / len(chosen)


@njit(nogil=True)
def _adam(weight: Any, gradient: Any, mean: Any, square: Any, step: Any, rate: Any, decay: Any) -> None:
    """One step of Adam with decoupled decay for all weights; the gradient is zero afterwards."""
    correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    for i in range(len(weight)):
        g = gradient[i]
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * g
        square[i] = BETA2 * square[i] + (1 - BETA2) * g * g
        weight[i] -= rate * correction * mean[i] / (np.sqrt(square[i]) + EPSILON) + decay * weight[i]
        gradient[i] = 0.0


def fit(variant: Variant, positions: Positions, seed: int, report: Report) -> Fitted:
    """Fit a table to positions; the same ones and the same seed give the same table."""
    shape = Features(variant)
    result = (positions.result + 1) / 2
    scale = scale_of(positions.score, result)
    target = (1 - RESULT_SHARE) * logistic(positions.score, scale) + RESULT_SHARE * result
    rate = RATE
    if variant.die:
        # Leaves are turned into winning chances by this scale. Targets are noisy, so steps are small.
        scale, target = SCALE / math.log(10), positions.outlook.astype(np.float64)
        rate = DICE_RATE
    swapped = np.array(shape.swapped(), np.int32)
    base, terms = positions.static_eval.astype(np.float64), positions.terms / UNIT
    data = Data(base, terms, positions.features, target, swapped, shape.rows, scale)
    apart, order = np.flatnonzero(positions.apart), np.flatnonzero(~positions.apart)
    count = terms.shape[1]
    size = 1 + count + 2 * shape.count * (1 + shape.rows)
    flat, flat_gradient, mean, square = (np.zeros(size, np.float32) for _ in range(4))
    weights, gradient = _parts(flat, shape, count), _parts(flat_gradient, shape, count)
    before = best = _divergence(weights, data, apart)
    kept, kept_epoch, step, decay = flat.copy(), 0, 0, DECAY / len(order)
    rng = np.random.Generator(np.random.PCG64(seed))
    report(f"{len(order):,} positions, {len(apart):,} kept apart, {size:,} weights, scale {scale:.0f} cp")
    report("epoch   apart   learnt   divergence; * is the best so far")
    report(f"{0:5}  {before:.5f}  {_divergence(weights, data, order[: len(apart)]):.5f}")
    for epoch in range(1, EPOCHS + 1):
        rng.shuffle(order)
        annealed = 1 - (epoch - 1) / EPOCHS
        for start in range(0, len(order), BATCH):
            step += 1
            _gradient(weights, gradient, data, order[start : start + BATCH])
            _adam(flat, flat_gradient, mean, square, step, annealed * rate * scale, annealed * decay)
        loss = _divergence(weights, data, apart)
        learnt = _divergence(weights, data, order[: len(apart)])
        report(f"{epoch:5}  {loss:.5f}  {learnt:.5f}{' *' if loss < best else ''}")
        if loss < best:
            best, kept, kept_epoch = loss, flat.copy(), epoch
        elif epoch - kept_epoch >= PATIENCE:
            break
    found, seen = _parts(kept, shape, count), np.zeros((shape.rows, shape.count), np.int64)
    _count(positions.features, seen)
    factors = {name: max(0.0, 1 + float(part) / UNIT) for name, part in zip(PARTS, found.term)}
    table, tempo = _table(shape, found, seen >= SEEN), round(float(found.tempo[0]))
    if "relations" in factors:
        table, tempo = _added(variant, table, tempo, factors["relations"])
    return Fitted(table, tempo, factors, scale, before, best, kept_epoch)


def _added(variant: Variant, table: Table, tempo: int, factor: float) -> tuple[Table, int]:
    """A table and tempo that correct the evaluation with the table of now, as ones that correct it without."""
    old, without = load(variant), load(variant, relations=False)
    if "table" in old:
        table = np.clip(np.rint(old["table"] * factor) + table, -MOST, MOST).astype(np.int16)
    return table, tempo + old["tempo"] - without["tempo"]


@njit(nogil=True)
def _count(features: Any, seen: Any) -> None:
    """How many positions each pair is seen in."""
    for row in features:
        for i in range(len(row)):
            for j in range(i):
                low, high = min(row[i], row[j]), max(row[i], row[j])
                if 0 <= low < len(seen):
                    seen[low, high] += 1


def _table(shape: Features, weights: Weights, counts: Any) -> Table:
    """One table of all parts, of pairs only where `counts` says so. What a thing counts by itself goes to its pairs
    with the mover's king, which is always there; what that king counts, to its pairs with the other one."""
    swapped = np.array(shape.swapped())
    alone = weights.turn + weights.owner - weights.owner[swapped]
    rows, columns = shape.above_diagonal()
    low, high = np.minimum(swapped[rows], swapped[columns]), np.maximum(swapped[rows], swapped[columns])
    table = np.zeros((shape.rows, shape.count))
    table[rows, columns] = weights.turn_pair[rows, columns] + weights.owner_pair[rows, columns]
    table[rows, columns] -= weights.owner_pair[low, high]
    table *= counts
    kings = shape.variant.squares
    table[:kings, kings:] += alone[kings:]
    table[:kings, kings : 2 * kings] += alone[:kings, None]
    whole = np.clip(np.rint(table), -MOST, MOST).astype(np.int16)
    return whole + np.triu(whole, 1).T if shape.rows == shape.count else whole
