"""The fit: it finds what was planted, the same every time, and its files are those that the engine reads."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from eval.tables import Features, Tables
from eval.weights import load
from lab.tune.fit import Fitted, fit, logistic
from lab.tune.install import install, is_installed, provenance_in, write_weights
from lab.tune.positions import Positions
from lab.tune.store import DataError
from rules.variants import VARIANTS

SEEN, SCALE = 6, 300.0


def planted(name: str, rows: int, seed: int) -> tuple[Positions, np.ndarray[tuple[int], np.dtype[np.float64]]]:
    """Positions of random features, scored by tables that the fit has to find, and what these add to each."""
    shape, rng = Features(VARIANTS[name]), np.random.default_rng(seed)
    piece, king = rng.normal(0, 60, shape.count), rng.normal(0, 30, (shape.kings, shape.count))
    pair = np.tril(rng.normal(0, 40, (shape.count, shape.count)), -1) if shape.has_pairs else None
    features = rng.permuted(np.tile(np.arange(shape.count), (2 * rows, 1)), axis=1)[:, :SEEN].reshape(rows, 2, SEEN)
    kings = rng.integers(0, shape.kings, (rows, 2))
    worth = piece[features].sum(2) + king[kings[:, :, None], features].sum(2)
    if pair is not None:
        both = pair + pair.T
        worth += both[features[:, :, :, None], features[:, :, None, :]].sum((2, 3)) / 2
    added = worth[:, 0] - worth[:, 1] + 20
    base = rng.normal(0, 200, rows).astype(np.int16)
    result = np.where(rng.random(rows) < logistic(base + added, SCALE), 1, -1)
    whole = (features.astype(np.int16), kings.astype(np.int16), base, np.rint(base + added).astype(np.int16))
    return Positions(*whole, result.astype(np.int8), np.arange(rows) % 10 == 0), added


def foreseen(tables: Tables, tempo: int, positions: Positions) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """What tables add to each position's score."""
    features, kings = positions.features, positions.kings
    worth = tables.king[kings[:, :, None], features].sum(2).astype(float)
    if tables.pair is not None:
        worth += tables.pair[features[:, :, :, None], features[:, :, None, :]].sum((2, 3)) / 2
    difference: np.ndarray[tuple[int], np.dtype[np.float64]] = worth[:, 0] - worth[:, 1] + tempo
    return difference


def test_what_was_planted_is_found() -> None:
    positions, added = planted("dobutsu", 40_000, 1)
    told = list[str]()
    fitted = fit(VARIANTS["dobutsu"], positions, 1, told.append)
    assert fitted.after < fitted.before / 2 and len(told) >= fitted.epochs + 3
    assert fitted.scale == pytest.approx(SCALE, rel=0.1)
    apart = positions.apart
    found = foreseen(fitted.tables, fitted.tempo, positions)
    assert np.corrcoef(found[apart], added[apart])[0, 1] > 0.9
    assert fitted.tables.pair is not None and np.array_equal(fitted.tables.pair, fitted.tables.pair.T)


def test_without_pairs_on_large_boards(tmp_path: Path) -> None:
    variant = VARIANTS["shogi"]
    rng = np.random.default_rng(1)
    shape = Features(variant)
    features = rng.integers(0, 50, (2000, 2, 8)).astype(np.int16)
    worth = rng.normal(0, 100, shape.count)
    score = (worth[features[:, 0]].sum(1) - worth[features[:, 1]].sum(1)).astype(np.int16)
    kings = np.zeros((2000, 2), np.int16)
    result = np.sign(score).astype(np.int8)
    positions = Positions(features, kings, np.zeros(2000, np.int16), score, result, np.arange(2000) % 10 == 0)
    fitted = fit(variant, positions, 1, lambda text: None)
    assert fitted.tables.pair is None and fitted.after < fitted.before / 2
    write_weights(tmp_path, variant, fitted, {})
    assert provenance_in(tmp_path, variant) is not None


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
    lower = np.tril(rng.integers(-9, 9, (shape.count, shape.count), np.int16), -1)
    tables = Tables(rng.integers(-9, 9, (shape.kings, shape.count), np.int16), lower + lower.T)
    fitted = Fitted(tables, 7, 400.0, 0.1, 0.05, 3)
    candidate, output = tmp_path / "candidate", tmp_path / "a" / "output"
    assert provenance_in(candidate, variant) is None
    plain = load(variant, relations=False)
    paths = write_weights(candidate, variant, fitted, {"seed": 4})
    assert [path.name for path in paths] == [f"{stem}.json", f"{stem}.tables.xz"]
    assert (provenance_in(candidate, variant) or {})["seed"] == 4
    assert not is_installed(candidate, output, variant)
    install(candidate, output, variant)
    assert is_installed(candidate, output, variant)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(output))
    found = load(variant)
    assert np.array_equal(found["tables"].pair, lower + lower.T) and found["tempo"] == plain["tempo"] + 7
    # Written over weights that have tables, the next generation's stand on the same terms.
    write_weights(output, variant, fitted, {"seed": 5})
    assert load(variant)["tempo"] == plain["tempo"] + 7
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="-o names another folder"):
        install(candidate, tmp_path / "file", variant)
