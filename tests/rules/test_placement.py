"""The placement phase: 66-shogi, and the custom variants that have one."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from types import ModuleType

import pytest

from kogoma.rules.custom.errors import VariantFileError
from kogoma.rules.custom.reader import read_variant
from kogoma.rules.custom.registry import load_file
from kogoma.rules.custom.writer import write_game
from kogoma.rules.position import Position
from kogoma.rules.variants import VARIANTS, infer, infer_from_moves
from oracles import shogi as oracle
from support import referee, scope
from support.contradictions import CONTRADICTIONS
from support.placement import PEER, PEER_NAME, SHOGI66, compare_with_reference_rules, placed
from support.scope import mostly_long
from support.usi_client import ROOT
from support.variant_judge import judge

# The number of placements multiplies the counts; after the first rook or bishop, a player has one piece less to place.
PLACEMENTS = (42, 1764, 50400, 1440000, 25920000, 466560000)


@pytest.fixture(scope="module")
def peer() -> ModuleType:
    """Return pyffish with 66-shogi after the placements."""
    module = referee.pyffish()
    module.load_variant_config(PEER)
    return module


@pytest.mark.parametrize("depth", range(1, 7))
def test_placements_are_counted(depth: int) -> None:
    """Check the numbers of sequences of placements, which were computed by hand."""
    assert Position(SHOGI66).perft(depth) == PLACEMENTS[depth - 1]


def test_the_reference_rules_count_the_same() -> None:
    start = oracle.parse_sfen(oracle.RULES["66shogi"], SHOGI66.start)
    assert tuple(oracle.perft(start, depth) for depth in (1, 2)) == PLACEMENTS[:2]


@pytest.mark.slow
def test_play_from_random_arrangements(peer: ModuleType) -> None:
    """Compare the number of positions after 3 plies (4 with --all), and the legal moves in random positions, with
    Fairy-Stockfish's rules."""
    rng, seen = random.Random(66), 0
    for number in range(scope.count(30, 4)):
        position = placed(rng)
        if number < 3:
            fen = referee.sfen_to_fen(position.sfen())
            total = sum(len(peer.legal_moves(PEER_NAME, fen, [move])) for move in peer.legal_moves(PEER_NAME, fen, []))
            assert position.perft(2) == total, position.sfen()
        while position.outcome() is None and len(position.moves) < 80:
            found = peer.legal_moves(PEER_NAME, referee.sfen_to_fen(position.sfen()), [])
            theirs = [referee.move_to_usi(move, 6, 6) for move in found]
            mates = oracle.pawn_drop_mates(oracle.parse_sfen(oracle.RULES["66shogi"], position.sfen()))
            assert sorted([*position.legal_moves(), *mates]) == sorted(theirs), position.sfen()
            position.push(rng.choice(position.legal_moves()))
            seen += 1
    assert seen > 150


def test_random_games_equal_those_of_the_reference_rules() -> None:
    rng = random.Random(5)
    for _ in range(scope.count(300, 15)):
        compare_with_reference_rules(rng)


@pytest.mark.parametrize("sfen", CONTRADICTIONS)
def test_an_sfen_that_contradicts_its_move_number(sfen: str) -> None:
    if not CONTRADICTIONS[sfen]:
        assert Position(SHOGI66, sfen).sfen() == sfen
        return
    with pytest.raises(ValueError, match=re.escape(CONTRADICTIONS[sfen])):
        Position(SHOGI66, sfen)


def test_the_hands_may_be_in_any_order_and_the_number_may_be_missing() -> None:
    assert Position(SHOGI66, "6/pppppp/6/6/PPPPPP/6 b KGSNLRBkgsnlrb").sfen() == SHOGI66.start
    arranged = placed(random.Random(1)).sfen()
    assert Position(SHOGI66, arranged.rsplit(" ", 1)[0]).sfen() == arranged


def test_a_position_says_which_game_it_is() -> None:
    judkins = VARIANTS["judkins"]
    assert infer(SHOGI66.start, judkins) is SHOGI66
    assert infer("6/pppppp/6/6/PPPPPP/6 b - 1", judkins) is judkins
    assert infer_from_moves(["K*1f"], VARIANTS["shogi"]) is SHOGI66
    assert infer_from_moves(["7g7f"], VARIANTS["shogi"]) is VARIANTS["shogi"]
    assert infer_from_moves([], VARIANTS["minishogi"]) is VARIANTS["minishogi"]


# ---- Custom variants -------------------------------------------------------------------------------------------------

FOLDER = ROOT / "docs" / "custom-variants"
FREE = """
name = "free-mini"
like = "minishogi"
start = "5/ppppp/5/PPPPP/5 b KRBGSkrbgs 1"
placement_ranks = 1
"""


def test_a_custom_variant_can_have_placements() -> None:
    variant = read_variant(FREE.encode())
    assert variant.placements == 10
    assert read_variant(write_game(variant).encode()) == variant
    assert [Position(variant).perft(depth) for depth in (1, 2, 3)] == [25, 625, 625 * 16]
    wide = replace(SHOGI66, name="wide", promotion_ranks=3)
    assert read_variant(write_game(wide).encode()) == wide


@pytest.mark.slow
@pytest.mark.parametrize("name", mostly_long(("66shogi", "wide-66shogi", "free-minishogi"), "free-minishogi"))
def test_rules_search_and_mates_equal_those_of_the_reference_rules(name: str) -> None:
    """Compare the compiled rules, searches and mate searches with the reference rules in random games."""
    judge(SHOGI66 if name == "66shogi" else load_file(str(FOLDER / f"{name}.toml")), 3, games=1)


MISTAKES = {
    'choices = ["RB"]\nplacement_ranks = 0': "choices: they need a placement phase",
    "placement_ranks = 3": "both sides would place pieces on the same squares",
    'start = "5/ppppp/5/PPPPP/5 b - 1"': "the hands in start are empty",
    'start = "5/ppppp/5/PPPPP/5 b KRBGSkrbg 1"': "both hands must hold the same pieces",
    'start = "5/ppppp/5/PPPPP/5 b RBGSrbgs 1"': "one K each",
    'choices = ["RX"]': "choices: there is no piece X",
    'choices = ["RP"]': "choices: each hand must hold one P",
    'choices = ["RR"]': "lists R twice",
    "choices = [1]": "capital letters",
    'start = "5/4p/5/P4/5 b KRBGSkrbgs 1"': "could attack a square on which White places pieces",
    'start = "4g/ppppp/5/PPPPP/G4 b KRBGSkrbgs 1"': "there is no room for 5 pieces",
    "check_wins = true": "check_wins: it cannot be combined with placement_ranks",
    'die = "always"': "die: it cannot be combined with placement_ranks",
}


@pytest.mark.parametrize("lines", MISTAKES)
def test_a_phase_that_cannot_be_played(lines: str) -> None:
    keys = [line.split(" = ")[0] for line in lines.splitlines()]
    kept = [line for line in FREE.splitlines() if line.split(" = ")[0] not in keys]
    with pytest.raises(VariantFileError, match=re.escape(MISTAKES[lines])):
        read_variant("\n".join([*kept, lines]).encode())
