"""The tuner's positions: repeatable chunks, detection of damaged files, and the input of the fit."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma.eval.explain import eval_library
from kogoma.eval.game import game_struct
from kogoma.eval.weights import load
from kogoma.lab.tune.plan import DEFAULT, load_plan
from kogoma.lab.tune.positions import ABSENT, read_positions
from kogoma.lab.tune.selfplay import Pace, Recipe, head_of, play_chunk
from kogoma.lab.tune.store import (
    Chunk,
    DataError,
    FolderInUse,
    check_chunks,
    claimed,
    compare,
    numbers_in,
    path_of,
    read,
    read_head,
    write,
)
from kogoma.lab.tune.targets import td_targets
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import VARIANTS, Variant
from oracles.network import seen

GAMES = ("minishogi", "dice", "onitama", "dobutsu", "shogi")


def small(name: str, positions: int = 60) -> Recipe:
    return Recipe(VARIANTS[name], seed=5, nodes=40, positions=positions)


def sfen_of(variant: Variant, chunk: Chunk, row: int) -> str:
    """Return the SFEN of the position in one row of a chunk. The chunk's arrays are read as docs/tuning.md describes
    them."""
    names = {number: letter for letter, number in variant.letters.items()}
    arrays, rows = chunk.arrays, []
    for rank in arrays["board"][row].reshape(variant.ranks, variant.files):
        cells = [names[cell & 15].lower() if cell >> 4 else names[cell & 15] if cell else " " for cell in rank]
        rows.append(re.sub(" +", lambda empty: str(len(empty[0])), "".join(cells)))
    turn = "w" if arrays["side"][row] else "b"
    if variant.cards:
        one, two, three, four, between = arrays["cards"][row]
        held = f"{one},{two}/{three},{four}/{between}"
    else:
        held = "".join(
            f"{count}{names[kind].lower() if side else names[kind]}"
            for side, counts in enumerate(arrays["hand"][row])
            for kind, count in enumerate(counts, 1)
            if count
        )
    return f"{'/'.join(rows)} {turn} {held or '-'} 1"


def same(one: Chunk, other: Chunk) -> bool:
    arrays = one.arrays.items()
    return one.head == other.head and all(np.array_equal(array, other.arrays[name]) for name, array in arrays)


@pytest.mark.parametrize("name", GAMES)
def test_a_chunk_can_be_played_again(name: str) -> None:
    first = play_chunk(small(name), 3)
    play_chunk(small(name), 1)
    assert same(play_chunk(small(name), 3), first)
    assert len(first) == first.head["count"] >= 60
    assert not np.array_equal(play_chunk(small(name), 4).arrays["board"][:60], first.arrays["board"][:60])
    assert set(np.unique(first.arrays["result"])) <= {-1, 0, 1}
    assert first.arrays["quiet"].any() and not first.arrays["quiet"].all()


@pytest.mark.parametrize("name", GAMES)
def test_the_fit_gets_the_features_of_both_views(name: str, tmp_path: Path) -> None:
    variant = VARIANTS[name]
    chunk = play_chunk(small(name, 200), 0)
    write(tmp_path, 0, chunk)
    found = read_positions(variant, tmp_path, [0], True, lambda count: None)
    pieces_only = read_positions(variant, tmp_path, [0], False, lambda count: None)
    sfens = {sfen_of(variant, chunk, row): row for row in np.flatnonzero(chunk.arrays["quiet"])[::-1]}
    rows = sorted(sfens.items(), key=lambda item: item[1])
    assert len(rows) == len(found.index) == len(pieces_only.index) > 20
    data, library = load(variant, network=False), eval_library(layout_of(variant))
    evaluated = [
        (positions.static_eval, game_struct(variant, {**data, "all_terms": all_terms}))
        for positions, all_terms in ((found, True), (pieces_only, False))
    ]
    for number, (sfen, row) in enumerate(rows):
        for told, is_black in zip(found.features[number], (True, False) if " b " in sfen else (False, True)):
            assert seen(variant, sfen, is_black) == sorted(told[told != ABSENT]), sfen
        position = new_position(variant, sfen)
        for scores, game in evaluated:
            assert scores[number] == library("static_eval", game, position.struct.copy()), sfen
        assert found.index[number] == row
        assert found.played.score[row] == chunk.arrays["score"][row]
        assert found.played.result[row] == chunk.arrays["result"][row]
        assert found.held_out[number] == (chunk.arrays["game"][row] % 10 == 0)


@pytest.mark.parametrize("name", ["dice", "minishogi"])
def test_td_targets_depend_on_later_positions(name: str, tmp_path: Path) -> None:
    """Check that the TD(λ) targets equal the sum that defines them, and that games in different chunks are kept
    apart."""
    chunks = [play_chunk(small(name, 200), number) for number in (0, 1)]
    for number, chunk in enumerate(chunks):
        write(tmp_path, number, chunk)
    found = read_positions(VARIANTS[name], tmp_path, [0, 1], True, lambda count: None)
    targets = iter(td_targets(found.played, 300.0, 0.7))
    for chunk in chunks:
        arrays = chunk.arrays
        expected = [1 / (1 + math.exp(-int(score) / 300)) for score in arrays["score"]]
        for row, side in enumerate(arrays["side"]):
            wanted, weight, later = 0.0, 1.0, row
            while later < len(chunk) and arrays["game"][later] == arrays["game"][row]:
                wanted += 0.3 * weight * (expected[later] if arrays["side"][later] == side else 1 - expected[later])
                weight, later = 0.7 * weight, later + 1
            assert next(targets) == pytest.approx(wanted + weight * (arrays["result"][row] + 1) / 2, abs=1e-9)


def test_a_damaged_chunk_is_reported_and_missing(tmp_path: Path) -> None:
    recipe = small("dobutsu")
    chunk, told = play_chunk(recipe, 0), list[str]()
    for number in (0, 1, 7):
        write(tmp_path, number, Chunk({**chunk.head, "chunk": number}, chunk.arrays))
    assert numbers_in(tmp_path) == [0, 1, 7] and same(read(tmp_path, 0), chunk)
    assert read_head(tmp_path, 0) == chunk.head
    assert list(check_chunks(tmp_path, head_of(recipe), 7, told.append)) == [0, 1] and not told
    whole = path_of(tmp_path, 1).read_bytes()
    middle, end = len(whole) // 2, len(whole) // 2 + 64  # more than the unused bytes of a header
    changed = bytes(byte ^ 255 for byte in whole[middle:end])
    for bad in (b"", whole[:-30], whole[:middle], whole[:middle] + changed + whole[end:]):
        path_of(tmp_path, 1).write_bytes(bad)
        assert list(check_chunks(tmp_path, head_of(recipe), 7, told.append)) == [0]
        assert "000001.npz" in told.pop() and not told
    with pytest.raises(DataError, match="another seed: 5, now 6"):
        check_chunks(tmp_path, head_of(replace(recipe, seed=6)), 1, told.append)
    with pytest.raises(DataError, match="another engine"):
        compare({**chunk.head, "engine": "x"}, head_of(recipe), "it")


def test_positions_of_another_variant_are_refused(tmp_path: Path) -> None:
    write(tmp_path, 0, play_chunk(small("dobutsu"), 0))
    with pytest.raises(DataError, match="positions of another variant: dobutsu"):
        read_positions(VARIANTS["kyoto"], tmp_path, [0], True, lambda count: None)
    with pytest.raises(DataError, match="too few"):
        read_positions(VARIANTS["dobutsu"], tmp_path, [], True, lambda count: None)


def test_one_tuning_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    with claimed(folder), pytest.raises(FolderInUse, match="uses"), claimed(folder):
        pass
    with claimed(folder):  # the lock file of an earlier tuning does not matter
        pass
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="cannot write in"), claimed(tmp_path / "file"):
        pass


def test_hours_become_positions_and_games(tmp_path: Path) -> None:
    plan = replace(DEFAULT, variant="dobutsu", hours=1.0)
    chosen = plan.in_hours(Pace(0.001, 40.0), 2, 5000, 0.6)
    assert chosen.positions == 4_320_000  # 0.6 hours of two workers
    spent = chosen.data_seconds(Pace(0.001, 40.0), 2, chosen.positions) + chosen.fit_seconds()
    spent += chosen.games * chosen.game_seconds(Pace(0.001, 40.0)) / 2
    assert chosen.games == 1000 and spent < 3600
    short = replace(plan, hours=0.001).in_hours(Pace(0.001, 40.0), 2, 5000, 0.6)
    assert (short.positions, short.games) == (5000, 2)
    assert load_plan(tmp_path) is None
    chosen.save(tmp_path)
    assert load_plan(tmp_path) == chosen
    there: dict[str, Any] = json.loads((tmp_path / "plan.json").read_text())
    older = {name: value for name, value in there.items() if name != "all_terms"}  # from an older version
    (tmp_path / "plan.json").write_text(json.dumps({**older, "epochs": 7}))
    assert load_plan(tmp_path) == replace(chosen, epochs=7)
    for bad in ("{", "[]", json.dumps({**there, "seed": "1"}), json.dumps({**there, "x": 1}), json.dumps({"seed": 1})):
        (tmp_path / "plan.json").write_text(bad)
        with pytest.raises(DataError, match="is damaged"):
            load_plan(tmp_path)
