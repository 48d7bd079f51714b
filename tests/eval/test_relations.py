"""Tables of piece relations: the kernels against plain Python, and files that are whole, cut, foreign or missing."""

from __future__ import annotations

import json
import lzma
import random
from pathlib import Path

import numpy as np
import pytest

from eval.explain import ONITAMA_TERMS, TERMS, eval_library, explain
from eval.shares import shares
from eval.tables import Features, TableError, Tables, load_tables, save_tables
from eval.weights import load, loaded, records, tuned
from oracles.relations import relations
from rules.native.rules_record import layout_of
from rules.position import BasePosition, new_position
from rules.variants import VARIANTS, Variant

# Variants that differ in their pieces or boards, every layout among them.
GAMES = ("minishogi", "kyoto", "dobutsu", "generals", "judkins", "onitama", "shogi")


def random_tables(variant: Variant, seed: int = 1) -> Tables:
    """Tables of small numbers."""
    rng, features = np.random.default_rng(seed), Features(variant)
    lower = np.tril(rng.integers(-30, 31, (features.count, features.count), np.int16), -1)
    return Tables(rng.integers(-99, 100, (features.kings, features.count), np.int16), lower + lower.T)


def random_positions(variant: Variant, count: int) -> list[BasePosition]:
    """Positions of random games."""
    rng, found = random.Random(variant.name), list[BasePosition]()
    position = new_position(variant)
    while len(found) < count:
        if position.outcome() is not None:
            position = new_position(variant)
        position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome() is None and rng.random() < 0.3:
            found.append(new_position(variant, position.sfen()))
    return found


@pytest.mark.parametrize("name", GAMES)
def test_every_pair_counts_once_for_each_king(name: str) -> None:
    variant = VARIANTS[name]
    tables = random_tables(variant)
    rules, weights = records(variant, {**load(variant), "tables": tables})
    without = records(variant, {**load(variant), "tables": None})[1]
    library, terms = eval_library(layout_of(variant)), ONITAMA_TERMS if variant.cards else TERMS
    place = 2 * terms.index("relations")
    for position in random_positions(variant, 60):
        out = np.zeros(2 * len(terms), np.int64)
        total = library("explain_terms", rules, weights, position.record.copy(), out)
        expected = [relations(variant, position.sfen(), tables, black) for black in (True, False)]
        assert out[place : place + 2].tolist() == expected, position.sfen()
        plain = library("static_eval", rules, without, position.record.copy())
        difference = expected[position.turn] - expected[1 - position.turn]
        assert total == max(-20000, min(20000, plain + difference)), position.sfen()


@pytest.mark.parametrize("name", GAMES)
def test_a_file_gives_back_what_was_saved(name: str, tmp_path: Path) -> None:
    features = Features(VARIANTS[name])
    tables = random_tables(VARIANTS[name])
    save_tables(tmp_path / "a.tables.xz", features, tables, 5, {"seed": 7})
    found, head = load_tables(tmp_path / "a.tables.xz", features)
    assert np.array_equal(found.king, tables.king)
    assert np.array_equal(found.pair, tables.pair)
    assert (head["tempo"], head["seed"]) == (5, 7)
    assert [path.name for path in tmp_path.iterdir()] == ["a.tables.xz"]


def write_weights(folder: Path, name: str = "minishogi") -> Path:
    """A folder of weights that name a file of tables; the path of that file."""
    variant = VARIANTS[name]
    data = {key: value for key, value in load(variant).items() if key != "tables"}
    (folder / f"{name}.json").write_text(json.dumps({**data, "relations": "x.tables.xz"}), "utf-8")
    save_tables(folder / "x.tables.xz", Features(variant), random_tables(variant), 3, {})
    return folder / "x.tables.xz"


def test_damaged_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    whole = path.read_bytes()
    assert load(VARIANTS["minishogi"])["tables"].pair.any()
    assert (
        load(VARIANTS["minishogi"])["tempo"]
        == json.loads((tmp_path / "minishogi.json").read_text("utf-8"))["tempo"] + 3
    )
    body = lzma.decompress(whole)
    bad = [
        (b"", "damaged"),
        (whole[:-40], "damaged"),
        (whole[:5000] + bytes([whole[5000] ^ 1]) + whole[5001:], "damaged"),
        (random.Random(1).randbytes(9999), "damaged"),
        (lzma.compress(body[:-2]), "do not fit"),
        (lzma.compress(body.replace(b'"ranks": 5', b'"ranks": 6', 1)), "another game"),
        (lzma.compress(b"[1]\n" + body), "another game"),
    ]
    for content, reason in bad:
        path.write_bytes(content)
        with pytest.raises(TableError, match=reason):
            load(VARIANTS["minishogi"])
    path.unlink()
    with pytest.raises(TableError, match="missing"):
        load(VARIANTS["minishogi"])


def test_games_with_the_same_pieces_share_their_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    for name in ("minishogi", "minishogi-codingame", "dice", "dice-codingame"):
        assert load(VARIANTS[name])["tables"].pair.any(), name
    assert "tables" not in load(VARIANTS["kyoto"])


@pytest.mark.parametrize("name", ["minishogi", "onitama"])
def test_shares_add_up_to_pieces_and_relations(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weights(tmp_path, name)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    try:
        for cached in (loaded, tuned):
            cached.cache_clear()
        for position in random_positions(VARIANTS[name], 40):
            rows = {term: black - white for term, black, white in explain(position)[0]}
            found = shares(position)
            assert sum(found.board) + sum(found.hands.values()) == rows["pieces"] + rows["relations"], position.sfen()
            empty = [square for square, cell in enumerate(position.fields["board"][: len(found.board)]) if not cell]
            assert not any(found.board[square] for square in empty)
    finally:
        for cached in (loaded, tuned):
            cached.cache_clear()
