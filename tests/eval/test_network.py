"""The network: kernels compared with plain Python, and intact, damaged, wrong and missing files."""

from __future__ import annotations

import json
import lzma
import random
import re
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from kogoma.eval.explain import ONITAMA_TERMS, TERMS, eval_library, explain, shares
from kogoma.eval.features import Features
from kogoma.eval.game import default_game, game_struct
from kogoma.eval.network_file import WeightsError, load_network, save_network
from kogoma.eval.weights import cached_weights, load, path_of
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import FEATURES
from kogoma.rules.position import new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import Struct
from kogoma.rules.variants import VARIANTS, Variant
from oracles.network import expanded, network, seen
from support.random_networks import forget_weights, random_network

# Variants with different pieces or boards, from all layouts.
GAMES = ("minishogi", "kyoto", "dobutsu", "generals", "judkins", "66shogi", "onitama", "shogi")


def random_positions(variant: Variant, count: int) -> list[BasePosition]:
    """Return `count` positions from random games of a variant."""
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
def test_the_output_equals_that_of_plain_python(name: str) -> None:
    variant = VARIANTS[name]
    layers = random_network(variant)
    game = game_struct(variant, {**load(variant, network=False), "layers": layers})
    without = game_struct(variant, load(variant, network=False))
    library, terms = eval_library(layout_of(variant)), ONITAMA_TERMS if variant.cards else TERMS
    place = 2 * terms.index("network")
    for position in random_positions(variant, 40):
        out = np.zeros(2 * len(terms), np.int64)
        total = library("explain_terms", game, position.struct.copy(), out)
        expected = network(variant, position.sfen(), layers)
        shown = out[place : place + 2].tolist()
        assert shown == ([0, expected] if position.turn else [expected, 0]), position.sfen()
        plain = library("static_eval", without, position.struct.copy())
        assert total == max(-20000, min(20000, plain + expected)), position.sfen()


@pytest.mark.parametrize("name", GAMES)
def test_the_network_may_replace_all_terms_except_those_of_single_pieces(name: str) -> None:
    variant = VARIANTS[name]
    layers = random_network(variant)
    data = {**load(variant, network=False), "layers": layers, "all_terms": False}
    game = game_struct(variant, data)
    library = eval_library(layout_of(variant))
    for position in random_positions(variant, 40):
        pieces = explain(position, network=False)[0][0][1]
        expected = (-pieces if position.turn else pieces) + network(variant, position.sfen(), layers) + data["tempo"]
        found = library("static_eval", game, position.struct.copy())
        assert found == max(-20000, min(20000, expected)), position.sfen()


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_updated_accumulators_equal_those_from_scratch(name: str) -> None:
    """Check that updated accumulators give the same evaluation as accumulators computed from scratch. The random games
    include null moves, moves that are taken back, and positions that are not evaluated."""
    variant = VARIANTS[name]
    layers = random_network(variant)
    game = game_struct(variant, {**load(variant, network=False), "layers": layers})
    library, rng = eval_library(layout_of(variant)), random.Random(name)
    checked = 0
    while checked < 400:
        position = new_position(variant)
        while position.outcome() is None and len(position.moves) < 200:
            position.push(rng.choice(sorted(position.legal_moves())))
            for _ in range(rng.choice((0, 0, 0, 1, 2))):
                if position.moves:
                    position.pop()
            if rng.random() < 0.3:
                continue
            scratch, ply = position.struct.copy(), len(position.moves)
            expected = library("static_eval", game, scratch)
            position.fields["score"][ply] = scratch[0]["score"][ply]  # `push` does not update the running score
            assert library("incremental_eval", game, position.struct) == expected, position.sfen()
            passed = after_null_move(position)
            expected = library("static_eval", game, passed.copy())
            assert library("incremental_eval", game, passed) == expected, position.sfen()
            checked += 1


def after_null_move(position: BasePosition) -> Struct:
    """Return a copy of a position's struct after a null move. The fields of the copy are changed as the search changes
    them."""
    struct = position.struct.copy()
    now, ply = struct[0], int(struct[0]["ply"])
    now["ply"], now["side"] = ply + 1, 1 - now["side"]
    now["key"][ply + 1] = now["key"][ply] ^ position.rules[0]["zobrist_side"]
    for name in ("move", "captured", "moved"):
        now[name][ply + 1] = 0
    for name in ("score", *["cards"] * bool(position.variant.cards)):
        now[name][ply + 1] = now[name][ply]
    return struct


def test_more_pieces_in_hand_than_in_a_game_are_ignored() -> None:
    variant = VARIANTS["generals"]
    layers = random_network(variant)
    game = game_struct(variant, {**load(variant, network=False), "layers": layers})
    library, out = eval_library(layout_of(variant)), np.zeros(2 * len(TERMS), np.int64)
    for sfen in ("2k3/6/6/6/6/3K2 b 5X3v20P 1", "2k3/6/6/6/6/3K2 w 20X20s20G20V20h 1"):
        library("explain_terms", game, new_position(variant, sfen).struct, out)
        place = 2 * TERMS.index("network")
        assert max(out[place : place + 2], key=abs) == network(variant, sfen, layers)


@pytest.mark.parametrize("name", GAMES)
def test_both_views_list_the_features_in_the_same_order(name: str) -> None:
    variant = VARIANTS[name]
    game = default_game(variant)
    out = np.zeros(2 * FEATURES, np.int64)
    for position in random_positions(variant, 20):
        count = eval_library(layout_of(variant))("list_features_of", game, position.struct.copy(), out)
        black, white = out[:count].tolist(), out[FEATURES : FEATURES + count].tolist()
        assert sorted(black) == seen(variant, position.sfen(), True), position.sfen()
        assert sorted(white) == seen(variant, position.sfen(), False), position.sfen()
        kinds = [{first: kind for kind, first in Features(variant).on_board.items()}] * 2
        for one, other in zip(black, white):
            if max(one, other) >= len(kinds[0]) * variant.squares:
                continue
            n = variant.squares
            whose, kind = kinds[0][one // n * n]
            assert kinds[1][other // n * n] == (1 - whose, kind)


@pytest.mark.parametrize("name", GAMES)
def test_features_share_numbers_with_those_on_the_same_rank_or_file(name: str) -> None:
    variant = VARIANTS[name]
    features = Features(variant)
    shared = features.shared()
    assert shared.shape == (features.count, 2)
    assert sorted(set(shared.ravel().tolist())) == list(range(features.count, shared.max() + 1))
    names: dict[int, object] = {}  # the meaning of each number
    for number, pair in enumerate(shared.tolist()):
        if number < len(features.on_board) * variant.squares:
            piece, square = divmod(number, variant.squares)
            row, column = divmod(square, variant.files)
            expected: list[object] = [(piece, "rank", row), (piece, "file", column)]
        else:
            hands = [place for place in features.in_hand.items() if place[1] <= number]
            expected = [max(hands, key=lambda place: place[1])] * 2
            if number in features.in_centre.values():
                expected = [number] * 2
        assert [names.setdefault(one, what) for one, what in zip(pair, expected)] == expected
    assert len({str(what) for what in names.values()}) == len(names)


@pytest.mark.parametrize("name", GAMES)
def test_a_saved_network_is_loaded_unchanged(name: str, tmp_path: Path) -> None:
    features = Features(VARIANTS[name])
    layers = random_network(VARIANTS[name])
    save_network(tmp_path / "a.network.xz", features, layers, 5, False, {"seed": 7})
    found, head = load_network(tmp_path / "a.network.xz", features)
    assert np.array_equal(found.rows, layers.rows) and found.shift == layers.shift
    assert (head["tempo"], head["all_terms"], head["seed"]) == (5, False, 7)
    assert [path.name for path in tmp_path.iterdir()] == ["a.network.xz"]


def write_weights(folder: Path, name: str = "minishogi") -> Path:
    """Write a weights file and a random network to a folder. The weights file contains the name of the network's file.
    Return the path of the network's file."""
    variant = VARIANTS[name]
    data = load(variant, network=False)
    (folder / f"{name}.json").write_text(json.dumps({**data, "network": "x.network.xz"}), "utf-8")
    save_network(folder / "x.network.xz", Features(variant), random_network(variant), 3, True, {})
    return folder / "x.network.xz"


def test_damaged_files_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    whole = path.read_bytes()
    assert load(VARIANTS["minishogi"])["layers"].rows.any()
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
        (lzma.compress(body.replace(b'"neurons": ', b'"neurons": 1', 1)), "another variant"),
        (lzma.compress(body.replace(b'"shift": ', b'"shift": 9', 1)), "lacks the tempo, or a shift"),
        (lzma.compress(body.replace(b'"all_terms": true', b'"all_terms": 1', 1)), "lacks all_terms"),
        (lzma.compress(body[:-256] + b"\xff\x7f" * 128), "output weights are too large"),
    ]
    for content, reason in bad:
        path.write_bytes(content)
        with pytest.raises(WeightsError, match=reason):
            load(VARIANTS["minishogi"])
    path.unlink()
    with pytest.raises(WeightsError, match="cannot read the network"):
        load(VARIANTS["minishogi"])


def test_variants_with_the_same_pieces_share_a_network(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_weights(tmp_path)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    for name in ("minishogi", "minishogi-codingame", "dice", "dice-codingame"):
        assert load(VARIANTS[name])["layers"].rows.any(), name
    kyoto = path_of(VARIANTS["kyoto"])
    assert kyoto is not None and kyoto.parent != tmp_path
    # Variants with a die prefer weights that were fitted with a die. Variants without a die do not use such weights.
    (tmp_path / "dice.json").write_text((tmp_path / "minishogi.json").read_text("utf-8"), "utf-8")
    for name, file in (("dice-codingame", "dice"), ("minishogi-codingame", "minishogi"), ("minishogi", "minishogi")):
        assert path_of(VARIANTS[name]) == tmp_path / f"{file}.json", name
    assert load(VARIANTS["dice"], network=False)["tempo"] == load(VARIANTS["dice"])["tempo"] - 3


def test_a_missing_folder_of_weights_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path / "none"))
    with pytest.raises(WeightsError, match="there is no folder"):
        load(VARIANTS["minishogi"])


@pytest.mark.parametrize(
    ("variant", "content", "reason"),
    [
        ("minishogi", "{", "Expecting property name"),
        ("minishogi", "[1]", "it does not contain a JSON object"),
        ("minishogi", '{"relations": 1}', "there is no term 'relations'"),
        ("minishogi", '{"value": {"Q": 100}}', "the term 'value' has a wrong form"),
        ("minishogi", '{"value": {"P": 1.5}}', "the term 'value' has a wrong form"),
        ("minishogi", '{"tempo": 10000}', "the term 'tempo' has a wrong form"),
        ("minishogi", '{"escape": [1, 2]}', "the term 'escape' has a wrong form"),
        ("minishogi", '{"square": {"P": [[1, 2, 3, 4, 5]]}}', "the term 'square' has a wrong form"),
        ("minishogi", '{"network": 1}', "the term 'network' has a wrong form"),
        ("minishogi", '{"danger_divisor": 0}', "danger_divisor is 0"),
        ("onitama", '{"hand": {}}', "there is no term 'hand'"),
        ("onitama", '{"hanging": [1]}', "the term 'hanging' has a wrong form"),
        ("onitama", "{}", "the term 'centre_card' is missing"),
    ],
)
def test_an_unusable_weights_file_is_reported(
    variant: str, content: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    (tmp_path / f"{variant}.json").write_text(content, "utf-8")
    with pytest.raises(WeightsError, match=f"cannot read the weights .*{variant}.json: {reason}"):
        load(VARIANTS[variant])


@pytest.mark.parametrize("name", ["minishogi", "onitama"])
def test_a_share_is_the_change_of_the_output_without_the_piece(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check each piece's share of the evaluation. The share must equal the piece's own term plus the network output
    with the piece minus the network output without the piece. Both outputs are computed in plain Python."""
    write_weights(tmp_path, name)
    monkeypatch.setenv("KOGOMA_WEIGHTS", str(tmp_path))
    variant = VARIANTS[name]
    try:
        forget_weights()
        layers, rules = load(variant)["layers"], default_game(variant)[0]["rules"]
        king = int(rules["king"])
        for position in random_positions(variant, 20):
            found, sign = shares(position), -1 if position.turn else 1
            whole = network(variant, position.sfen(), layers)
            assert sign * whole == {term: black - white for term, black, white in explain(position)[0]}["network"]
            for square, cell in enumerate(map(int, position.fields["board"][: variant.squares])):
                term = float(rules["term"][cell >> 4, square, cell & 15])
                if cell and cell & 15 != king:
                    without = network(variant, sfen_without(position, square), layers)
                    assert found.board[square] == term + sign * (whole - without), position.sfen()
                else:
                    assert found.board[square] == term
    finally:
        forget_weights()


def sfen_without(position: BasePosition, square: int) -> str:
    """Return the SFEN of a position without the piece on a square."""
    board, rest = position.sfen().split(maxsplit=1)
    rows = [
        [cell for word in re.findall(r"\+?[A-Za-z]|\d", row) for cell in expanded(word)] for row in board.split("/")
    ]
    rows[square // position.variant.files][square % position.variant.files] = ""
    return "/".join("".join(cell or "1" for cell in row) for row in rows) + " " + rest


def test_threads_that_start_together_share_one_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check that two threads that start together load the weights only once. A second copy would replace the first
    copy. The memory of the first copy would then be freed, although structs still contain its address."""
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
