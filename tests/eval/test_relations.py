"""Tables of piece relations: the kernels against plain Python, and files that are whole, cut, foreign or missing."""

from __future__ import annotations

import json
import lzma
import random
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kogoma.eval.explain import ONITAMA_TERMS, TERMS, eval_library, explain, shares
from kogoma.eval.relation_table import Features, Table, TableError, load_table, save_table
from kogoma.eval.weights import cached_weights, load, load_cached, path_of, tuned, weights_structs
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import VARIANTS, Variant
from oracles.relations import relations

# Variants that differ in their pieces or boards, every layout among them.
GAMES = ("minishogi", "kyoto", "dobutsu", "generals", "judkins", "onitama", "shogi")


def random_table(variant: Variant, seed: int = 1) -> Table:
    """A table of small numbers."""
    rng, features = np.random.default_rng(seed), Features(variant)
    table = np.triu(rng.integers(-30, 31, (features.rows, features.count), np.int16), 1)
    return table + table.T if features.rows == features.count else table


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
def test_every_pair_counts_once(name: str) -> None:
    variant = VARIANTS[name]
    table = random_table(variant)
    rules, weights = weights_structs(variant, {**load(variant, relations=False), "table": table})
    without = weights_structs(variant, load(variant, relations=False))[1]
    library, terms = eval_library(layout_of(variant)), ONITAMA_TERMS if variant.cards else TERMS
    place = 2 * terms.index("relations")
    for position in random_positions(variant, 60):
        out = np.zeros(2 * len(terms), np.int64)
        total = library("explain_terms", rules, weights, position.struct.copy(), out)
        expected = relations(variant, position.sfen(), table)
        shown = out[place : place + 2].tolist()
        assert shown == ([0, expected] if position.turn else [expected, 0]), position.sfen()
        plain = library("static_eval", rules, without, position.struct.copy())
        assert total == max(-20000, min(20000, plain + expected)), position.sfen()


def test_more_in_hand_than_a_game_is_played_with_counts_no_further() -> None:
    variant = VARIANTS["generals"]
    table = random_table(variant)
    rules, weights = weights_structs(variant, {**load(variant, relations=False), "table": table})
    library, out = eval_library(layout_of(variant)), np.zeros(2 * len(TERMS), np.int64)
    for sfen in ("2k3/6/6/6/6/3K2 b 5X3v20P 1", "2k3/6/6/6/6/3K2 w 20X20s20G20V20h 1"):
        library("explain_terms", rules, weights, new_position(variant, sfen).struct, out)
        place = 2 * TERMS.index("relations")
        assert max(out[place : place + 2], key=abs) == relations(variant, sfen, table)


def test_on_large_boards_only_pairs_with_a_king_count() -> None:
    features = Features(VARIANTS["shogi"])
    assert features.rows == 2 * 81
    assert {first for (_, kind), first in features.on_board.items() if kind == VARIANTS["shogi"].letters["K"]} == {
        0,
        81,
    }
    assert Features(VARIANTS["judkins"]).rows == Features(VARIANTS["judkins"]).count


@pytest.mark.parametrize("name", GAMES)
def test_the_same_thing_for_the_other_side_and_back(name: str) -> None:
    swapped = Features(VARIANTS[name]).swapped()
    assert [swapped[number] for number in swapped] == list(range(len(swapped)))
    if name != "onitama":  # the card in the centre is the mover's
        assert all(number != other for number, other in enumerate(swapped))


@pytest.mark.parametrize("name", GAMES)
def test_a_file_gives_back_what_was_saved(name: str, tmp_path: Path) -> None:
    features = Features(VARIANTS[name])
    table = random_table(VARIANTS[name])
    save_table(tmp_path / "a.relations.xz", features, table, 5, {"seed": 7})
    found, head = load_table(tmp_path / "a.relations.xz", features)
    assert np.array_equal(found, table)
    assert (head["tempo"], head["seed"]) == (5, 7)
    assert [path.name for path in tmp_path.iterdir()] == ["a.relations.xz"]


def write_weights(folder: Path, name: str = "minishogi") -> Path:
    """A folder of weights that name a file with a table; the path of that file."""
    variant = VARIANTS[name]
    data = load(variant, relations=False)
    (folder / f"{name}.json").write_text(json.dumps({**data, "relations": "x.relations.xz"}), "utf-8")
    save_table(folder / "x.relations.xz", Features(variant), random_table(variant), 3, {})
    return folder / "x.relations.xz"


def test_damaged_files_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    whole = path.read_bytes()
    assert load(VARIANTS["minishogi"])["table"].any()
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
        (lzma.compress(body[:-2]), "its weights take"),
        (lzma.compress(body.replace(b'"ranks": 5', b'"ranks": 6', 1)), "another variant"),
        (lzma.compress(b"[1]\n" + body), "another variant"),
    ]
    for content, reason in bad:
        path.write_bytes(content)
        with pytest.raises(TableError, match=reason):
            load(VARIANTS["minishogi"])
    path.unlink()
    with pytest.raises(TableError, match="cannot read the relation table"):
        load(VARIANTS["minishogi"])


def test_games_with_the_same_pieces_share_their_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    for name in ("minishogi", "minishogi-codingame", "dice", "dice-codingame"):
        assert load(VARIANTS[name])["table"].any(), name
    kyoto = path_of(VARIANTS["kyoto"])
    assert kyoto is not None and kyoto.parent != tmp_path
    # A die makes another game: what is fitted to it comes first there, and nowhere else.
    (tmp_path / "dice.json").write_text((tmp_path / "minishogi.json").read_text("utf-8"), "utf-8")
    for name, file in (("dice-codingame", "dice"), ("minishogi-codingame", "minishogi"), ("minishogi", "minishogi")):
        assert path_of(VARIANTS[name]) == tmp_path / f"{file}.json", name
    assert load(VARIANTS["dice"], relations=False)["tempo"] == load(VARIANTS["dice"])["tempo"] - 3


def test_a_folder_of_weights_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path / "none"))
    with pytest.raises(TableError, match="there is no folder"):
        load(VARIANTS["minishogi"])


@pytest.mark.parametrize("name", ["minishogi", "onitama"])
def test_shares_add_up_to_pieces_and_relations(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weights(tmp_path, name)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    try:
        for cached in (load_cached, tuned):
            cached.cache_clear()
        for position in random_positions(VARIANTS[name], 40):
            rows = {term: black - white for term, black, white in explain(position)[0]}
            found = shares(position)
            assert sum(found.board) + sum(found.hands.values()) == rows["pieces"] + rows["relations"], position.sfen()
            empty = [square for square, cell in enumerate(position.fields["board"][: len(found.board)]) if not cell]
            assert not any(found.board[square] for square in empty)
    finally:
        for cached in (load_cached, tuned):
            cached.cache_clear()


def test_threads_that_begin_together_have_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """Records hold the table's address: a second copy would take the place of the first one, which would be freed."""
    asked = list[str]()

    def slow(variant: Variant) -> dict[str, object]:
        asked.append(variant.name)
        time.sleep(0.2)
        return {}

    monkeypatch.setattr("kogoma.eval.weights.load", slow)
    variant = replace(VARIANTS["minishogi"], name="loaded-by-two")
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(cached_weights, (variant, variant))
    assert one is other and asked == ["loaded-by-two"]
