"""Fit a network (`eval.network`) that corrects the evaluation to predict search scores and results.

Adam with decoupled weight decay minimises the logistic loss of the targets (`lab.tune.targets`). The learning rate
falls to 0 in the form of a cosine. The weights of the epoch with the lowest loss on held-out games are rounded to the
integers with which the engine computes.

In the fit, the row of a feature is the sum of a row of its own and of rows that it shares with similar features
(`Features.shared`), so that a piece on a square is learnt from the piece's games on other squares too. The engine's
network has only the sums. Stockfish's trainer factorises features in the same way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from kogoma.eval.features import Features
from kogoma.eval.network_file import BESIDES, MOST_SHIFT, MOST_WEIGHT, ONE_WHOLE, Layers, WeightsError
from kogoma.eval.weights import load
from kogoma.lab.tune.positions import Positions
from kogoma.lab.tune.targets import best_scale, td_targets
from kogoma.native.cache.folders import Tell
from kogoma.rules.layout import NEURONS
from kogoma.rules.variants import Variant
from kogoma.search.dice.curve import SCALE

BATCH = 8192
BETA1, BETA2, EPSILON, TINY = 0.9, 0.999, 1e-8, 1e-7
FIRST_ROW, FIRST_OUTPUT, FIRST_BIAS = 0.02, 0.1, 0.3  # initial weights: standard deviations, and the biases
LARGEST = 32767  # of an int16

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Recipe:
    """The settings of a fit: epochs, initial learning rate, weight decay, the lambda of the targets, whether the
    network is added to all handcrafted terms or only to the running score and the tempo, and whether the fit starts
    from the variant's current network (`refine`) instead of random weights."""

    epochs: int = 60
    rate: float = 0.004
    decay: float = 0.5
    td_lambda: float = 0.5
    all_terms: bool = True
    refine: bool = False


@dataclass(frozen=True)
class Fitted:
    """A fitted network and tempo, whether they were fitted beside all handcrafted terms, and the divergence on held-out
    games before the fit, after it, and after rounding the weights: the cross entropy in nats minus that of a perfect
    prediction."""

    layers: Layers
    tempo: int
    all_terms: bool
    scale: float  # centipawns at which the odds are e to 1
    before: float
    after: float
    rounded: float
    epochs: int


class Weights(NamedTuple):
    """The fitted weights, as views of one float32 array. Outputs are in units of the scale."""

    tempo: Array  # (1,)
    bias: Array  # (NEURONS,)
    output: Array  # (2, NEURONS): for the views of the side to move and of its opponent
    row: Array  # (features, NEURONS)


def _weight_views(flat: Array) -> Weights:
    """Return the parts of `flat`, the array of all weights, as views."""
    tempo, bias, output, row = np.split(flat, np.cumsum([1, NEURONS, 2 * NEURONS]))
    return Weights(tempo, bias, output.reshape(2, NEURONS), row.reshape(-1, NEURONS))


def _with_shared_rows(weights: Weights, shared: Array) -> Array:
    """Return the weights of the engine's network as one array. `weights` has rows for the features and then the shared
    rows; `shared` has the numbers of the shared rows of each feature."""
    rows = weights.row[: len(shared)] + weights.row[shared].sum(axis=1)
    return np.concatenate([weights.tempo, weights.bias, weights.output.ravel(), rows.ravel()])


class Data(NamedTuple):
    """The positions to fit, as arrays for the compiled functions."""

    base: Array  # (count,) float32: static evaluation without the network, in units of the scale
    features: Array  # (count, 2, most), as in `Positions`
    target: Array  # (count,) float32: expected result


@njit(nogil=True, fastmath=True)
def _predict(weights: Any, data: Any, n: Any, sums: Any) -> Any:
    """Return the predicted result for the side to move in the n-th position, from 0 to 1. Write the accumulators of
    both views into `sums`."""
    total = data.base[n] + weights.tempo[0]
    for view in range(2):
        sums[view, :] = weights.bias
        for feature in data.features[n, view]:
            if feature < 0:
                break
            for i in range(NEURONS):
                sums[view, i] += weights.row[feature, i]
        part = np.float32(0)
        for i in range(NEURONS):
            clipped = min(max(sums[view, i], np.float32(0)), np.float32(1))
            part += clipped * clipped * weights.output[view, i]
        total += part
    return 1 / (1 + np.exp(-total))


@njit(nogil=True, fastmath=True)
def _add_gradient(weights: Any, gradient: Any, data: Any, n: Any, sums: Any, slope: Any) -> None:
    """Add the gradient of the n-th position's loss to `gradient`. `slope` is the derivative of this loss with respect
    to the position's evaluation, and `sums` has its accumulators, which are overwritten."""
    gradient.tempo[0] += slope
    for view in range(2):
        for i in range(NEURONS):
            value = sums[view, i]
            clipped = min(max(value, np.float32(0)), np.float32(1))
            gradient.output[view, i] += slope * clipped * clipped
            inside = np.float32(1) if clipped == value else np.float32(0)
            sums[view, i] = inside * slope * weights.output[view, i] * np.float32(2) * clipped
        for i in range(NEURONS):
            gradient.bias[i] += sums[view, i]
        for feature in data.features[n, view]:
            if feature < 0:
                break
            for i in range(NEURONS):
                gradient.row[feature, i] += sums[view, i]


@njit(nogil=True)
def _gradient(weights: Any, gradient: Any, data: Any, batch: Any) -> None:
    """Add the mean gradient of the loss over the positions with the numbers `batch` to `gradient`."""
    sums = np.empty((2, NEURONS), np.float32)
    for n in batch:
        slope = np.float32((_predict(weights, data, n, sums) - data.target[n]) / len(batch))
        _add_gradient(weights, gradient, data, n, sums, slope)


@njit(nogil=True)
def _divergence(weights: Any, data: Any, chosen: Any) -> Any:
    """Return the mean divergence, in nats, between predictions and targets in the positions with the numbers
    `chosen`."""
    total, sums = 0.0, np.empty((2, NEURONS), np.float32)
    for n in chosen:
        p = min(max(_predict(weights, data, n, sums), TINY), 1 - TINY)
        t = min(max(data.target[n], TINY), 1 - TINY)
        total += t * np.log(t / p) + (1 - t) * np.log((1 - t) / (1 - p))
    return total / len(chosen)


@njit(nogil=True)
def _adam_step(weight: Any, gradient: Any, mean: Any, square: Any, step: Any, rate: Any, decay: Any) -> None:
    """Change the weights by one step of Adam with decoupled weight decay (Loshchilov and Hutter: Decoupled Weight Decay
    Regularization, 2019). Set the gradient to zero."""
    correction = np.sqrt(1 - BETA2**step) / (1 - BETA1**step)
    for i in range(len(weight)):
        g = gradient[i]
        mean[i] = BETA1 * mean[i] + (1 - BETA1) * g
        square[i] = BETA2 * square[i] + (1 - BETA2) * g * g
        weight[i] -= rate * (correction * mean[i] / (np.sqrt(square[i]) + EPSILON) + decay * weight[i])
        gradient[i] = 0.0


def fit(variant: Variant, positions: Positions, recipe: Recipe, seed: int, report: Tell) -> Fitted:
    """Return a network and a tempo bonus fitted to positions. The same positions, recipe and seed give the same
    weights, and with `recipe.refine` these depend on the current network too. `report` gets lines about the progress.
    Raises WeightsError if the current network is needed but cannot be read or does not exist."""
    played, index = positions.played, positions.index
    if variant.die:
        scale = SCALE / math.log(10)  # with it, the search converts evaluations to winning chances
    else:
        scale = best_scale(played.score[index], (played.result[index] + 1) / 2)
    target = td_targets(played, scale, recipe.td_lambda)[index]
    base = (positions.static_eval / scale).astype(np.float32)
    data = Data(base, positions.features, target.astype(np.float32))
    held_out, order = np.flatnonzero(positions.held_out), np.flatnonzero(~positions.held_out)
    rng = np.random.Generator(np.random.PCG64(seed))
    shared = Features(variant).shared()
    size = 1 + 3 * NEURONS + (int(shared.max()) + 1) * NEURONS
    flat, flat_gradient, mean, square = (np.zeros(size, np.float32) for _ in range(4))
    weights, gradient = _weight_views(flat), _weight_views(flat_gradient)
    own = gradient._replace(row=gradient.row[: len(shared)])
    best_flat = _with_shared_rows(weights, shared)
    before = best = _divergence(_weight_views(best_flat), data, held_out)
    if recipe.refine:
        flat[: len(best_flat)] = best_flat = _current_network(variant, scale)  # the shared rows are 0
        best = _divergence(_weight_views(best_flat), data, held_out)
    else:
        weights.bias[:] = FIRST_BIAS
        weights.output[:] = rng.normal(0, FIRST_OUTPUT, weights.output.shape)
        weights.row[:] = rng.normal(0, FIRST_ROW, weights.row.shape)
    best_epoch, step, steps = 0, 0, recipe.epochs * -(-len(order) // BATCH)
    report(f"{len(order):,} positions, {len(held_out):,} held out, {len(best_flat):,} weights, scale {scale:.0f} cp")
    report("divergence after each epoch, in held-out and in trained positions; * marks the lowest held-out one so far")
    report("epoch  held out trained")
    report(f"{0:5}  {best:.5f}")
    for epoch in range(1, recipe.epochs + 1):
        rng.shuffle(order)
        for start in range(0, len(order), BATCH):
            rate = recipe.rate * (1 + math.cos(math.pi * step / steps)) / 2
            step += 1
            _gradient(_weight_views(_with_shared_rows(weights, shared)), own, data, order[start : start + BATCH])
            np.add.at(gradient.row, shared, own.row[:, None])
            _adam_step(flat, flat_gradient, mean, square, step, rate, recipe.decay)
        current = _with_shared_rows(weights, shared)
        loss = _divergence(_weight_views(current), data, held_out)
        learnt = _divergence(_weight_views(current), data, order[: len(held_out)])
        report(f"{epoch:5}  {loss:.5f}  {learnt:.5f}{' *' if loss < best else ''}")
        if loss < best:
            best, best_flat, best_epoch = loss, current, epoch
    found = _weight_views(best_flat)
    layers = rounded(found, scale, positions.features.shape[2])
    tempo = round(float(found.tempo[0]) * scale)
    after = _divergence(_weight_views(_as_floats(layers, tempo, scale)), data, held_out)
    return Fitted(layers, tempo, recipe.all_terms, scale, before, best, after, best_epoch)


def rounded(weights: Weights, scale: float, most: int) -> Layers:
    """Return weights as the integers of the engine. Weights of the first layer are limited so that no accumulator of a
    position with `most` features can overflow."""
    limit = LARGEST // (most + 1)
    rows = np.zeros((len(weights.row) + BESIDES, NEURONS))
    rows[: len(weights.row)], rows[-3] = weights.row, weights.bias
    rows = np.clip(np.rint(rows * ONE_WHOLE), -limit, limit)
    outputs = weights.output.astype(np.float64) * scale / ONE_WHOLE**2  # centipawns
    shift = MOST_SHIFT
    while np.abs(scaled := np.rint(outputs * 2**shift)).max() > LARGEST or np.abs(scaled).sum() > MOST_WEIGHT:
        shift -= 1
    rows[-2:] = scaled
    return Layers(rows.astype(np.int16), shift)


def _current_network(variant: Variant, scale: float) -> Array:
    """Return the weights of the variant's current network as one array."""
    found = load(variant)
    if "layers" not in found:
        raise WeightsError(f"{variant.name} has no network to refine")
    return _as_floats(found["layers"], found["tempo"] - load(variant, network=False)["tempo"], scale)


def _as_floats(layers: Layers, tempo: int, scale: float) -> Array:
    """Return the weights that `layers` and `tempo` stand for as one array."""
    rows = layers.rows.astype(np.float64)
    outputs = rows[-2:] * ONE_WHOLE**2 / 2**layers.shift / scale
    parts = np.array([tempo / scale]), rows[-3] / ONE_WHOLE, outputs.ravel(), rows[:-BESIDES].ravel() / ONE_WHOLE
    return np.concatenate(parts).astype(np.float32)
