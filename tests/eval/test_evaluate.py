"""The evaluation compared with another one in plain Python, its symmetry, its table of terms, and the weights file."""

from __future__ import annotations

import json
import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kogoma.eval.evaluate import LIMIT
from kogoma.eval.explain import KEPT_TERMS, TERMS, explain
from kogoma.eval.features import Features
from kogoma.eval.network_file import load_network
from kogoma.eval.weights import ESCAPES, PER_PIECE, SINGLE, load
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS, Piece
from oracles import shogi as oracle
from oracles.network import network
from support.samples import Sample

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[2] / "kogoma/eval/weights"
WEIGHTS: dict[str, Any] = json.loads((FOLDER / "minishogi.json").read_text("utf-8"))
LAYERS, HEAD = load_network(FOLDER / WEIGHTS["network"], Features(VARIANTS["minishogi"]))

Squares = set[oracle.Square]

# Onitama has its own evaluation.
SHOGI_VARIANTS = [variant.name for variant in VARIANTS.values() if not variant.cards]


def evaluate(sfen: str, variant: str = "minishogi", with_network: bool = True) -> int:
    """Return the engine's score for the side to move, in centipawns."""
    return explain(Position(variant, sfen), with_network)[1]


def rotated(sfen: str) -> str:
    """Return the SFEN of the same position with the board rotated by 180 degrees, and with the colours and the side to
    move exchanged."""
    board, turn, hands, number = sfen.split()
    turned = "".join(reversed(re.findall(r"\+?[A-Za-z]|[0-9]|/", board))).swapcase()
    return f"{turned} {'w' if turn == 'b' else 'b'} {hands.swapcase()} {number}"


def test_rotation_turns_the_board_and_swaps_the_sides() -> None:
    assert rotated("1+R2k/4p/5/P4/KGSB1 b Rp 3") == "1bsgk/4p/5/P4/K2+r1 w rP 3"
    assert rotated(rotated("r1s1g/3kp/1B1b1/PK3/1GS1+R w 2Pg 9")) == "r1s1g/3kp/1B1b1/PK3/1GS1+R w 2Pg 9"


def test_minishogi_scores_of_rotated_positions_are_equal(samples: list[Sample]) -> None:
    for sample in samples[::12]:
        assert evaluate(sample.sfen) == evaluate(rotated(sample.sfen)), sample.sfen


@pytest.mark.parametrize("variant", SHOGI_VARIANTS)
def test_scores_of_rotated_positions_are_equal_in_all_variants(variant: str) -> None:
    rng, position, scores = random.Random(variant), Position(variant), set()
    for _ in range(150):
        sfen = position.sfen()
        scores.add(evaluate(sfen, variant))
        places = position.ply < position.variant.placements  # in the other colours, the wrong side would be to move
        for with_network in () if places else (True, False):
            assert evaluate(sfen, variant, with_network) == evaluate(rotated(sfen), variant, with_network), sfen
        position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome():
            position = Position(variant)
    assert len(scores) > 50


def test_explained_terms_add_up_to_the_score(samples: list[Sample]) -> None:
    seen_terms: set[str] = set()
    counting = TERMS if HEAD["all_terms"] else KEPT_TERMS
    handcrafted = tuple(term for term in TERMS if term != "network")
    for sample in samples[::12]:
        position = Position("minishogi", sample.sfen)
        for with_network, terms in ((True, counting), (False, handcrafted)):
            rows, total = explain(position, with_network)
            assert tuple(term for term, _, _ in rows) == terms
            difference = sum(black - white for _, black, white in rows)
            assert total == max(-LIMIT, min(LIMIT, -difference if position.turn else difference)), sample.sfen
            seen_terms |= {term for term, black, white in rows if black or white}
    assert seen_terms == set(TERMS), "a term that was always 0 was not tested"


# ---- The evaluation in plain Python, on a position of the reference rules --------------------------------------------


def attacked_from(position: oracle.Position, square: oracle.Square) -> Squares:
    """Return the squares that the piece on `square` attacks, including squares with pieces of the same side."""
    found: Squares = set()
    for ray in oracle.rays(position.rules, position.board[square], square):
        for target in ray:
            found.add(target)
            if target in position.board:
                break
    return found


class Side:
    """The evaluation terms of one side, computed by the definitions in eval/weights/minishogi.json and in the
    docstrings of eval/."""

    def __init__(self, position: oracle.Position, side: int, sfen: str) -> None:
        self.side = side
        self.sfen = sfen
        self.to_move = position.turn == side
        self.hand = position.hands[side]
        self.pieces = {square: piece.upper() for square, piece in position.board.items() if oracle.owner(piece) == side}
        self.reach = {square: attacked_from(position, square) for square in self.pieces}
        self.king = next(square for square, piece in self.pieces.items() if piece == "K")
        self.attacked: Squares = set().union(*self.reach.values())
        self.guarded: Squares = set().union(*(self.reach[square] for square in self.pieces if square != self.king))
        self.zone = {self.king} | self.reach[self.king]  # a king attacks all its neighbours
        last_row = 0 if side == oracle.BLACK else position.rules.ranks - 1
        self.promotion_zone = {(x, last_row) for x in range(position.rules.files)}

    def weight(self, name: str, piece: str) -> int:
        return int(WEIGHTS[name].get(piece, 0))

    def material(self) -> int:
        score = 0
        for (x, y), piece in self.pieces.items():
            row, column = (y, x) if self.side == oracle.BLACK else (4 - y, 4 - x)
            score += self.weight("value", piece) + WEIGHTS["square"][piece][row][column]
        for piece in set(self.hand):
            score += sum(WEIGHTS["hand"][piece][: self.hand.count(piece)])
        return score

    def mobility(self) -> int:
        return sum(
            self.weight("mobility", piece) * len(self.reach[square] - set(self.pieces))
            for square, piece in self.pieces.items()
        )

    def promotion_threats(self) -> int:
        return sum(
            self.weight("promotion_threat", piece)
            for square, piece in self.pieces.items()
            if "+" + piece in WEIGHTS["value"] and (self.reach[square] & self.promotion_zone) - set(self.pieces)
        )

    def king_danger(self, enemy: Side) -> int:
        danger = sum(
            self.weight("king_attack", piece) * len(enemy.reach[square] & self.zone)
            for square, piece in enemy.pieces.items()
        )
        danger += sum(self.weight("king_hand", piece) for piece in enemy.hand)
        danger += WEIGHTS["king_weak_square"] * len((self.zone & enemy.attacked) - self.guarded)
        danger -= WEIGHTS["king_defender"] * len(self.zone & self.guarded)
        danger += WEIGHTS["escape"][len(self.reach[self.king] - set(self.pieces) - enemy.attacked)]
        return int(min(max(danger, 0) ** 2 // WEIGHTS["danger_divisor"], WEIGHTS["danger_limit"]))

    def hanging(self, enemy: Side) -> int:
        name = "hanging_to_move" if self.to_move else "hanging"
        loose = (set(self.pieces) & enemy.attacked) - self.attacked
        return sum(self.weight(name, self.pieces[square]) for square in loose)

    def terms(self, enemy: Side, with_network: bool) -> list[int]:
        output = network(VARIANTS["minishogi"], self.sfen, LAYERS) if with_network else 0
        return [
            self.material(),
            self.mobility(),
            self.promotion_threats(),
            -self.king_danger(enemy),
            -self.hanging(enemy),
            output if self.to_move else 0,
            WEIGHTS["tempo"] + (HEAD["tempo"] if with_network else 0) if self.to_move else 0,
        ]


def test_every_term_equals_the_one_of_plain_python(samples: list[Sample]) -> None:
    for sample in samples[::50]:
        position = oracle.parse_sfen(oracle.MINISHOGI, sample.sfen)
        sides = Side(position, oracle.BLACK, sample.sfen), Side(position, oracle.WHITE, sample.sfen)
        for with_network in (True, False):
            black, white = sides[0].terms(sides[1], with_network), sides[1].terms(sides[0], with_network)
            expected = dict(zip(TERMS, zip(black, white)))
            expected["pieces"] = black[0] - white[0], 0
            if with_network and not HEAD["all_terms"]:
                expected = {term: expected[term] for term in KEPT_TERMS}
            if not with_network:
                del expected["network"]
            rows, total = explain(Position("minishogi", sample.sfen), with_network)
            assert {term: tuple(parts) for term, *parts in rows} == expected, sample.sfen
            score = sum(own - other for own, other in expected.values())
            assert total == max(-LIMIT, min(LIMIT, -score if position.turn else score)), sample.sfen


# ---- The weights file ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SHOGI_VARIANTS)
def test_weights_fit_their_variant(name: str) -> None:
    variant = VARIANTS[name]
    data = load(variant)
    for name in ("about", "network", "layers", "all_terms"):
        data.pop(name, None)
    letters = set(variant.letters)
    held = {piece.letter for piece in variant.pieces if not piece.royal and not piece.letter.startswith("+")}
    royal = {piece.letter for piece in variant.pieces if piece.royal}
    promoting = {piece.letter for piece in variant.pieces if piece.promotes_to}
    assert set(data) == {"value", "hand", "square", "escape", *PER_PIECE, *SINGLE}
    assert set(data["value"]) == letters - royal
    assert set(data["hand"]) == held
    assert set(data["square"]) == letters
    assert set(data["promotion_threat"]) <= promoting
    assert set(data["king_hand"]) <= held
    for name in ("mobility", "king_attack", "hanging", "hanging_to_move"):
        assert set(data[name]) <= letters - royal, name
    for letter, table in data["square"].items():
        assert [len(row) for row in table] == [variant.files] * variant.ranks, letter
    for letter, by_count in data["hand"].items():
        assert 1 <= len(by_count) <= max(variant.start.split()[0].upper().count(letter), 2), letter
    assert len(data["escape"]) == ESCAPES
    assert data["danger_divisor"] > 0
    numbers: list[object] = [data[name] for name in SINGLE] + data["escape"]
    numbers += [value for name in ("value", *PER_PIECE) for value in data[name].values()]
    numbers += [value for by_count in data["hand"].values() for value in by_count]
    numbers += [value for table in data["square"].values() for row in table for value in row]
    assert {type(number) for number in numbers} == {int}


def test_an_untuned_variant_has_sensible_values() -> None:
    """Check that the piece values of a variant without tuned weights are in a sensible order. The variant is judkins
    with another name, and with a wazir in place of the gold general."""
    wazir = Piece("W", steps=((0, 1), (0, -1), (1, 0), (-1, 0)))
    pieces = tuple(wazir if piece.letter == "G" else piece for piece in VARIANTS["judkins"].pieces)
    start = VARIANTS["judkins"].start.replace("g", "w").replace("G", "W")
    variant = replace(VARIANTS["judkins"], name="wazirs", start=start, pieces=pieces)
    value = load(variant)["value"]
    assert 0 < value["P"] < value["W"] < value["R"] < value["+R"]
    assert value["P"] < load(variant)["hand"]["P"][0] < value["+P"]
    position = Position(variant, start)
    assert len(position.legal_moves()) > 10
    assert explain(position)[1] == load(variant)["tempo"]
