"""The fit: it finds what was planted, the same every time, and its files are those that the engine reads."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.eval.relation_table import Features
from kogoma.eval.weights import load
from kogoma.lab.tune.fit import Fitted, fit, logistic
from kogoma.lab.tune.positions import PARTS, Positions
from kogoma.lab.tune.store import DataError
from kogoma.lab.tune.weight_files import install, is_installed, provenance_in, write_weights
from kogoma.rules.variants import VARIANTS
from kogoma.search.dice.values import SCALE as SCALE_OF_CHANCES
from support.scope import mostly_long

pytestmark = pytest.mark.slow

SEEN, SCALE = 6, 300.0


def planted(name: str, count: int, seed: int) -> tuple[Positions, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Positions of random features, scored by a table that the fit has to find, and what it adds to each."""
    shape, rng = Features(VARIANTS[name]), np.random.default_rng(seed)
    kings = VARIANTS[name].squares
    table = np.triu(rng.normal(0, 40, (shape.rows, shape.count)), 1)
    others = rng.permuted(np.tile(np.arange(2 * kings, 2 * kings + 24), (count, 1)), axis=1)[:, :SEEN]
    features = np.hstack([rng.integers(0, 3, (count, 1)), rng.integers(kings, kings + 3, (count, 1)), others])
    added = sum_of(table, np.sort(features, axis=1)) + 20
    base = rng.normal(0, 200, count).astype(np.int16)
    result = np.where(rng.random(count) < logistic(base + added, SCALE), 1, -1)
    whole = (features.astype(np.int16), base, np.rint(base + added).astype(np.int16))
    return Positions(
        *whole, result.astype(np.int8), np.arange(count) % 10 == 0, np.zeros(count), np.zeros((count, 0))
    ), added


def sum_of(table: np.ndarray[Any, Any], features: np.ndarray[Any, Any]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What a table adds to each position's score; features ascend."""
    total = np.zeros(len(features))
    for one in range(features.shape[1]):
        for other in range(one + 1, features.shape[1]):
            has_row = features[:, one] < len(table)
            total[has_row] += table[features[has_row, one], features[has_row, other]]
    return total


@pytest.mark.parametrize(("name", "count"), mostly_long([("dobutsu", 40_000), ("shogi", 40_000)], ("dobutsu", 40_000)))
def test_what_was_planted_is_found(name: str, count: int) -> None:
    positions, added = planted(name, count, 1)
    told = list[str]()
    fitted = fit(VARIANTS[name], positions, 1, told.append)
    assert fitted.after < 0.6 * fitted.before and len(told) >= fitted.epochs + 3
    assert fitted.scale == pytest.approx(SCALE, rel=0.1)
    apart = positions.held_out
    found = sum_of(fitted.table, np.sort(positions.features, axis=1)) + fitted.tempo
    assert np.corrcoef(found[apart], added[apart])[0, 1] > 0.9
    if name == "dobutsu":
        assert np.array_equal(fitted.table, fitted.table.T)
    else:
        assert fitted.table.shape == (162, Features(VARIANTS[name]).count)


def test_with_a_die_the_factors_of_terms_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variant, (positions, _) = VARIANTS["dice"], planted("dice", 20_000, 4)
    terms = np.random.default_rng(5).normal(0, 300, (20_000, len(PARTS))).astype(np.int16)
    king = PARTS.index("king")
    outlook = logistic(terms.sum(1) - terms[:, king] / 2, SCALE_OF_CHANCES / math.log(10))
    base = terms.sum(1).astype(np.int16)
    fitted = fit(variant, replace(positions, terms=terms, static_eval=base, td_target=outlook), 1, lambda text: None)
    assert fitted.factors == pytest.approx({name: 0.5 if name == "king" else 1.0 for name in PARTS}, abs=0.1)
    old = load(variant, relations=False)
    write_weights(tmp_path, variant, fitted, {"seed": 1})
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    new = load(variant, relations=False)
    assert new["danger_limit"] == round(old["danger_limit"] * fitted.factors["king"])
    assert (
        new["value"]["R"] == round(old["value"]["R"] * fitted.factors["pieces"])
        and new["square"].keys() == old["square"].keys()
    )
    assert load(variant)["table"].any()


def test_the_same_data_and_seed_give_the_same_file(tmp_path: Path) -> None:
    variant, (positions, _) = VARIANTS["dobutsu"], planted("dobutsu", 12_000, 2)
    files = []
    for number, seed in enumerate((1, 1, 2)):
        fitted = fit(variant, positions, seed, lambda text: None)
        written = write_weights(tmp_path / str(number), variant, fitted, {"seed": 1})
        files.append([path.read_bytes() for path in written])
    assert files[0] == files[1] and files[0][0] == files[2][0] and files[0][1] != files[2][1]


@pytest.mark.parametrize(
    ("name", "stem"),
    [("minishogi-codingame", "minishogi"), ("dice-codingame", "dice"), ("micro", "micro"), ("onitama", "onitama")],
)
def test_written_and_installed_weights_are_those_that_are_read(
    name: str, stem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = VARIANTS[name]
    shape, rng = Features(variant), np.random.default_rng(3)
    upper = np.triu(rng.integers(-9, 9, (shape.count, shape.count), np.int16), 1)
    fitted = Fitted(upper + upper.T, 7, {}, 400.0, 0.1, 0.05, 3)
    candidate, output = tmp_path / "candidate", tmp_path / "a" / "output"
    assert provenance_in(candidate, variant) is None
    plain = load(variant, relations=False)
    paths = write_weights(candidate, variant, fitted, {"seed": 4})
    assert [path.name for path in paths] == [f"{stem}.json", f"{stem}.relations.xz"]
    assert (provenance_in(candidate, variant) or {})["seed"] == 4
    assert not is_installed(candidate, output, variant)
    install(candidate, output, variant)
    assert is_installed(candidate, output, variant)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(output))
    found = load(variant)
    assert np.array_equal(found["table"], upper + upper.T) and found["tempo"] == plain["tempo"] + 7
    # Written over weights that have a table, the next generation's stand on the same terms.
    write_weights(output, variant, fitted, {"seed": 5})
    assert load(variant)["tempo"] == plain["tempo"] + 7
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="name another folder with -o"):
        install(candidate, tmp_path / "file", variant)
