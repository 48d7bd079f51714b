"""The fit: it finds known values, is repeatable, and writes files that the engine reads."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.eval.explain import eval_library
from kogoma.eval.features import Features
from kogoma.eval.game import game_struct
from kogoma.eval.network_file import MOST_WEIGHT, Layers, WeightsError
from kogoma.eval.weights import load
from kogoma.lab.tune import fit as kernels
from kogoma.lab.tune.fit import Fitted, Recipe, fit
from kogoma.lab.tune.positions import ABSENT, Positions
from kogoma.lab.tune.store import DataError
from kogoma.lab.tune.targets import Played, logistic
from kogoma.lab.tune.weight_files import install, is_installed, provenance_in, write_weights
from kogoma.rules.layout import FEATURES, NEURONS
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import VARIANTS
from kogoma.search.dice import curve
from support.random_networks import random_network
from support.scope import mostly_long

pytestmark = pytest.mark.slow

SEEN, SCALE = 6, 300.0
RECIPE = Recipe(epochs=12, td_lambda=0.2)
Array = np.ndarray[Any, Any]


def planted(name: str, count: int, seed: int) -> tuple[Positions, Array]:
    """Return positions with random features, and the value of each position that the fit has to find. This value is
    computed from random values of the features. The position's score and result are computed from the same values. Each
    position is a game of its own."""
    shape, rng = Features(VARIANTS[name]), np.random.default_rng(seed)
    kings = VARIANTS[name].squares
    values = rng.normal(0, 120, (2, shape.count))
    others = rng.permuted(np.tile(np.arange(2 * kings, 2 * kings + 24), (count, 1)), axis=1)[:, :SEEN]
    own = np.hstack([rng.integers(0, 3, (count, 1)), rng.integers(kings, kings + 3, (count, 1)), others])
    features = np.stack([own, rng.permuted(own, axis=0)], axis=1)  # the features of the two views are independent here
    features = np.pad(features, ((0, 0), (0, 0), (0, 1)), constant_values=ABSENT)
    added = values[0, features[:, 0, :-1]].sum(1) - values[1, features[:, 1, :-1]].sum(1) + 20
    base = rng.normal(0, 200, count).astype(np.int16)
    result = np.where(rng.random(count) < logistic(base + added, SCALE), 1, -1)
    score, always = np.rint(base + added).astype(np.int16), np.ones(count, np.bool_)
    played = Played(np.zeros(count, np.uint8), score, result.astype(np.int8), always)
    index = np.arange(count)
    return Positions(features.astype(np.int16), base, index % 10 == 0, index, played), added


def outputs(layers: Layers, features: Array) -> Array:
    """Return the output of a network for each position, computed with numpy."""
    rows = np.vstack([layers.rows[:-4], np.zeros((1, NEURONS))])  # the index ABSENT means the last row
    sums = rows[features].sum(axis=2) + layers.rows[-3]
    total: Array = (np.clip(sums, 0, 181) ** 2 * layers.rows[-2:]).sum(axis=(1, 2))
    return total / 2.0**layers.shift


@pytest.mark.long
@pytest.mark.parametrize(("name", "count"), mostly_long([("dobutsu", 40_000), ("shogi", 40_000)], ("dobutsu", 40_000)))
def test_known_values_are_found(name: str, count: int) -> None:
    positions, added = planted(name, count, 1)
    told = list[str]()
    fitted = fit(VARIANTS[name], positions, RECIPE, 1, told.append)
    assert fitted.after < 0.3 * fitted.before and len(told) == RECIPE.epochs + 4
    assert fitted.rounded == pytest.approx(fitted.after, abs=0.001)
    assert fitted.scale == pytest.approx(SCALE, rel=0.1)
    apart = positions.held_out
    found = outputs(fitted.layers, positions.features[apart]) + fitted.tempo
    assert np.corrcoef(found, added[apart])[0, 1] > 0.9
    predicted = logistic(positions.static_eval[apart] + found, fitted.scale)
    result = (positions.played.result[apart] + 1) / 2
    target = 0.8 * logistic(positions.played.score[apart], fitted.scale) + 0.2 * result
    divergence = target * np.log(target / predicted) + (1 - target) * np.log((1 - target) / (1 - predicted))
    assert fitted.rounded == pytest.approx(divergence.mean(), abs=1e-5)


@pytest.mark.long
def test_a_refined_fit_starts_from_the_current_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that a refined fit starts from the current network. The divergence before the first epoch must equal the
    divergence that numpy computes for the current network."""
    variant, (positions, _) = VARIANTS["dobutsu"], planted("dobutsu", 12_000, 3)
    current, tempo = load(variant), load(variant, network=False)["tempo"]
    found = outputs(current["layers"], positions.features) + current["tempo"] - tempo
    score = np.rint(positions.static_eval + found).astype(np.int16)
    positions = replace(positions, played=positions.played._replace(score=score))
    told, recipe = list[str](), Recipe(epochs=1, rate=1e-6, td_lambda=0.0, refine=True)
    fitted = fit(variant, positions, recipe, 1, told.append)
    apart = positions.held_out
    predicted, target = (logistic(cp[apart], fitted.scale) for cp in (positions.static_eval + found, score))
    divergence = target * np.log(target / predicted) + (1 - target) * np.log((1 - target) / (1 - predicted))
    started = float(told[3].split()[1])
    assert started == pytest.approx(divergence.mean(), abs=1e-5) and started < 0.01 * fitted.before
    (tmp_path / "dobutsu.json").write_text("{}")
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    with pytest.raises(WeightsError, match="dobutsu has no network to refine"):
        fit(variant, positions, recipe, 1, told.append)


@pytest.mark.long
def test_the_gradient_is_the_slope_of_the_loss() -> None:
    """Check that the gradient equals the slope of the loss. The slope is computed with numpy from small changes of the
    weights."""
    rng, count, size = np.random.default_rng(1), 40, Features(VARIANTS["dobutsu"]).count
    flat = rng.normal(0, 0.3, 1 + 3 * NEURONS + size * NEURONS).astype(np.float32)
    features = rng.integers(0, size, (count, 2, 5)).astype(np.int16)
    features[::2, :, -1] = ABSENT
    base, target = rng.normal(0, 1, count).astype(np.float32), rng.random(count).astype(np.float32)
    data, gradient = kernels.Data(base, features, target), np.zeros_like(flat)
    kernels._gradient(kernels._weight_views(flat), kernels._weight_views(gradient), data, np.arange(count))

    def loss(flat: Array) -> float:
        weights = kernels._weight_views(flat)
        rows = np.vstack([weights.row, np.zeros((1, NEURONS))])
        sums = np.clip(rows[features].sum(axis=2) + weights.bias, 0, 1) ** 2
        p = logistic(base + weights.tempo + (sums * weights.output).sum(axis=(1, 2)), 1.0)
        return float(-(target * np.log(p) + (1 - target) * np.log(1 - p)).mean())

    wide = flat.astype(np.float64)
    for index in (0, 5, 2 * NEURONS, *rng.choice(len(flat), 200, replace=False)):
        step = np.zeros(len(flat))
        step[index] = 1e-5
        slope = (loss(wide + step) - loss(wide - step)) / 2e-5
        assert gradient[index] == pytest.approx(slope, abs=2e-5), index


def test_the_engine_computes_what_was_fitted() -> None:
    """Check that the network adds its output to the static evaluation. This output must equal the one that numpy
    computes from the rounded weights."""
    variant = VARIANTS["minishogi"]
    layers = random_network(variant)
    game = game_struct(variant, {**load(variant, network=False), "layers": layers})
    without = game_struct(variant, load(variant, network=False))
    library, out = eval_library(layout_of(variant)), np.zeros(2 * FEATURES, np.int64)
    position = new_position(variant, "1r2k/2sgp/5/PGB2/K1S1R b b 11")
    count = library("list_features_of", game, position.struct.copy(), out)
    added = np.floor(outputs(layers, out.reshape(1, 2, FEATURES)[:, :, :count]))
    scores = [library("static_eval", used, position.struct.copy()) for used in (game, without)]
    assert scores[0] - scores[1] == added[0]


def test_scores_of_any_size_are_expected_results() -> None:
    with np.errstate(all="raise"):
        assert logistic([-30_000, 0, 30_000], 20).tolist() == [0, 0.5, 1]


def test_rounded_weights_cannot_overflow() -> None:
    flat = np.random.default_rng(2).normal(0, 50, 1 + 3 * NEURONS + 10 * NEURONS).astype(np.float32)
    layers = kernels.rounded(kernels._weight_views(flat), 400.0, 12)
    assert np.abs(layers.rows[:-2].astype(int)).max() * 13 < 1 << 15
    assert 0.4 * MOST_WEIGHT < np.abs(layers.rows[-2:].astype(int)).sum() <= MOST_WEIGHT


@pytest.mark.long
def test_with_a_die_the_scale_is_that_of_the_search() -> None:
    fitted = fit(VARIANTS["dice"], planted("dice", 2000, 4)[0], replace(RECIPE, epochs=1), 1, lambda text: None)
    assert pytest.approx(logistic(700, fitted.scale)) == 1 / (1 + 10 ** (-700 / curve.SCALE))


@pytest.mark.long
def test_with_a_die_the_target_is_the_return() -> None:
    variant, (positions, added) = VARIANTS["dice"], planted("dice", 20_000, 4)
    outlook = 2 * logistic(positions.static_eval - added, 500.0) - 1  # the scores of the positions say the opposite
    order = np.random.default_rng(4).permutation(len(added))  # `index` says where a position is in `played`
    played = Played(*(column[order] for column in positions.played._replace(result=outlook)))
    recipe = replace(RECIPE, td_lambda=1.0)
    fitted = fit(variant, replace(positions, index=np.argsort(order), played=played), recipe, 1, lambda text: None)
    apart = positions.held_out
    found = outputs(fitted.layers, positions.features[apart])
    assert np.corrcoef(found, added[apart])[0, 1] < -0.9


def test_the_same_data_and_seed_give_the_same_file(tmp_path: Path) -> None:
    variant, (positions, _) = VARIANTS["dobutsu"], planted("dobutsu", 12_000, 2)
    files = []
    for number, seed in enumerate((1, 1, 2)):
        fitted = fit(variant, positions, replace(RECIPE, epochs=2), seed, lambda text: None)
        written = write_weights(tmp_path / str(number), variant, fitted, {"seed": 1})
        files.append([path.read_bytes() for path in written])
    assert files[0] == files[1] and files[0][0] == files[2][0] and files[0][1] != files[2][1]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("minishogi-codingame", "minishogi"), ("dice-codingame", "dice"), ("micro", "micro"), ("onitama", "onitama")],
)
def test_written_and_installed_weights_are_read_unchanged(
    name: str, stem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = VARIANTS[name]
    layers = random_network(variant)
    fitted = Fitted(layers, 7, False, 400.0, 0.1, 0.05, 0.05, 3)
    candidate, output = tmp_path / "candidate", tmp_path / "a" / "output"
    assert provenance_in(candidate, variant) is None
    plain = load(variant, network=False)
    paths = write_weights(candidate, variant, fitted, {"seed": 4})
    assert [path.name for path in paths] == [f"{stem}.json", f"{stem}.network.xz"]
    assert (provenance_in(candidate, variant) or {})["seed"] == 4
    assert not is_installed(candidate, output, variant)
    install(candidate, output, variant)
    assert is_installed(candidate, output, variant)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(output))
    found = load(variant)
    assert np.array_equal(found["layers"].rows, layers.rows) and found["tempo"] == plain["tempo"] + 7
    # The new weights replace weights with a network, but use the same handcrafted terms.
    write_weights(output, variant, fitted, {"seed": 5})
    assert load(variant)["tempo"] == plain["tempo"] + 7
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="name another folder with -o"):
        install(candidate, tmp_path / "file", variant)
