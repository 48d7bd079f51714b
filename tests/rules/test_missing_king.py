"""Positions in which one side has no king, as in tsume problems."""

from __future__ import annotations

import importlib
import random

import pytest

from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import VARIANTS, find
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from oracles import shogi as oracle
from support.peers import absent
from support.random_games import plain, without_a_king

NAMES = [name for name, variant in VARIANTS.items() if not (variant.king_capture or variant.cards)]
TSUME = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_moves_equal_the_reference_rules(name: str) -> None:
    rng, compared = random.Random(name), 0
    for start in without_a_king(name):
        expected, position = start, new_position(name, oracle.write_sfen(start))
        for _ in range(4):
            legal = sorted(oracle.legal_moves(expected))
            assert sorted(position.legal_moves()) == sorted(plain(legal)), position.sfen()
            assert position.in_check == oracle.in_check(expected, expected.turn)
            compared += 1
            if not legal or position.outcome():
                break
            usi = rng.choice(legal)
            expected = oracle.legal_moves(expected)[usi]
            position.push(*plain([usi]))
            assert position.key == new_position(name, position.sfen()).key
        while position.moves:
            position.pop()
        assert position.sfen() == oracle.write_sfen(start)
    assert compared > 300


def test_moves_equal_cshogis() -> None:
    try:
        cshogi = importlib.import_module("cshogi")
    except ModuleNotFoundError:
        absent("cshogi")
    board = cshogi.Board()
    for sfen in (TSUME, *map(oracle.write_sfen, list(without_a_king("shogi"))[:40])):
        board.set_sfen(sfen)
        moves = [cshogi.move_to_usi(move) for move in board.legal_moves]
        # cshogi leaves out moves of a pawn, bishop or rook that could promote but do not.
        legal = Position("shogi", sfen).legal_moves()
        assert set(moves) <= set(legal), sfen
        assert all(f"{usi}+" in moves for usi in set(legal) - set(moves)), sfen


@pytest.mark.parametrize("name", NAMES)
def test_searches_and_evaluations_work(name: str) -> None:
    """Check that a search returns a legal move if one side has no king, and no move if there is no legal move."""
    searcher = Searcher(hash_mb=1, variant=find(name))
    for start in list(without_a_king(name))[:10]:
        position = new_position(name, oracle.write_sfen(start))
        result = searcher.search(position, Limits(depth=4))
        legal = position.legal_moves()
        assert result.best in legal if legal else result.best is None


@pytest.mark.parametrize(
    ("name", "sfen"),
    [
        ("shogi", "9/9/9/9/9/9/9/9/9 b - 1"),
        ("generals", "ykcvsr/pppppp/6/6/PPPPPP/RSVC1Y b - 1"),
        ("dobutsu", "g1e/1c1/1C1/ELG b - 1"),
        ("onitama", "ss1ss/5/5/5/SSMSS b 1,2/3,4/5 1"),
    ],
)
def test_some_kings_are_needed(name: str, sfen: str) -> None:
    with pytest.raises(ValueError, match=r"king|master"):
        new_position(name, sfen)
