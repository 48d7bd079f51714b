"""Composed positions with several pawns of a side on one file. Nifu only forbids drops, so such positions are valid."""

from __future__ import annotations

import importlib
from functools import cache
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kogoma.eval.explain import eval_library, explain
from kogoma.eval.game import default_game
from kogoma.lab.kifu.formats import FORMATS, games_as_bytes, read_games
from kogoma.lab.kifu.game import Game
from kogoma.rules.custom.registry import load_file
from kogoma.rules.position import Position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import Variant, find
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from oracles import mates
from oracles import shogi as oracle
from support import referee
from support.peers import absent
from support.random_games import pieces_of, plain, random_placement
from support.random_variants import rules_of
from support.scope import mostly_long
from support.usi_client import ROOT, UsiClient

pytestmark = pytest.mark.slow

NAMES = ("minishogi", "judkins", "gorogoro", "shogi", "tori")  # in tori, a file may hold two swallows after a drop
NINE = "4p3k/4P4/4P4/4P4/4P4/4P4/4P4/4P4/K3P4 b 2R2B4G4S4N4L9p 1"  # nine pawns on one file, eight of them Black's
MATE_IN_ONE = "4k4/9/4P4/4P4/4P4/9/9/9/9 b G2r2b3g4s4n4l15p 1"


@cache
def variant_of(name: str) -> Variant:
    return load_file(str(ROOT / "docs" / "custom-variants" / "tori.toml")) if name == "tori" else find(name)


@cache
def rules_for(name: str) -> oracle.Rules:
    return rules_of(variant_of(name))


@cache
def solver() -> MateSolver:
    return MateSolver(Table(8))


def crowded(rng: Random, name: str) -> oracle.Position:
    """Return a random position in which one side has more unpromoted pawns on a file than may be dropped there. The
    other pieces are on the board, in a hand, or missing."""
    rules = rules_for(name)
    letter, most = next(iter(rules.per_file.items()))
    pieces = pieces_of(rules)
    pawns = pieces.count(letter)

    def begin() -> tuple[dict[tuple[int, int], str], list[str]]:
        side, file, rows = rng.randrange(2), rng.randrange(rules.files), list(range(rules.ranks))
        rng.shuffle(rows)
        stacked = rng.randint(most + 1, min(pawns, rules.ranks - 1))
        owned = letter if side == oracle.BLACK else letter.lower()
        others = [piece for piece in pieces if piece != letter] + [letter] * (pawns - stacked)
        return {(file, row): owned for row in rows[:stacked]}, others

    return random_placement(rng, rules, begin)


randoms = st.integers(0, 2**32 - 1).map(Random)


@pytest.mark.parametrize("name", mostly_long(NAMES, "minishogi", "shogi"))
@given(rng=randoms)
@settings(max_examples=60)
def test_moves_and_keys_equal_the_reference_rules(name: str, rng: Random) -> None:
    expected = crowded(rng, name)
    position = Position(variant_of(name), oracle.write_sfen(expected))
    for _ in range(4):
        legal = oracle.legal_moves(expected)
        assert sorted(position.legal_moves()) == sorted(plain(list(legal))), position.sfen()
        assert position.in_check == oracle.in_check(expected, expected.turn)
        assert position.key == Position(variant_of(name), position.sfen()).key
        if not legal or position.outcome():
            break
        usi = rng.choice(sorted(legal))
        expected = legal[usi]
        position.push(*plain([usi]))
    while position.moves:
        position.pop()
    assert position.sfen() == Position(variant_of(name), position.sfen()).sfen()


@given(rng=randoms)
@settings(max_examples=100)
def test_moves_and_checks_equal_cshogis(rng: Random) -> None:
    try:
        cshogi = importlib.import_module("cshogi")
    except ModuleNotFoundError:
        absent("cshogi")
    sfen = oracle.write_sfen(crowded(rng, "shogi"))
    board, position = cshogi.Board(), Position("shogi", sfen)
    board.set_sfen(sfen)
    moves, legal = [cshogi.move_to_usi(move) for move in board.legal_moves], position.legal_moves()
    # cshogi leaves out moves of a pawn, bishop or rook that could promote but do not.
    assert set(moves) <= set(legal) and all(f"{usi}+" in moves for usi in set(legal) - set(moves)), sfen
    assert position.in_check == board.is_check(), sfen
    assert position.may_declare() == board.is_nyugyoku(), sfen


@pytest.mark.parametrize("name", mostly_long(["minishogi", "judkins", "gorogoro", "shogi"], "minishogi"))
def test_moves_equal_pyffishs(name: str) -> None:
    rng = Random(name)
    boards = [crowded(rng, name) for _ in range(60)]
    sfens = [oracle.write_sfen(board) for board in boards]
    for board, sfen, moves in zip(boards, sfens, referee.legal_moves_of_many(sfens, variant=name), strict=True):
        legal = set(moves) - set(oracle.pawn_drop_mates(board))
        assert set(Position(name, sfen).legal_moves()) == legal, sfen


@pytest.mark.parametrize("name", mostly_long(["minishogi", "gorogoro", "shogi"], "minishogi", "gorogoro"))
@given(rng=randoms)
@settings(max_examples=25)
def test_mates_equal_an_exhaustive_search(name: str, rng: Random) -> None:
    board = crowded(rng, name)
    position, most = Position(name, oracle.write_sfen(board)), 1 if name == "shogi" else 3
    if position.outcome() is not None:
        return
    answer = solver().solve(position, MateLimits(nodes=100_000, shortest=True))
    found = answer.plies if answer.verdict == MATE and answer.plies <= most else None
    assert found == mates.shortest_mate(board, most), position.sfen()


@pytest.mark.parametrize("name", mostly_long(NAMES, "minishogi", "shogi"))
@given(rng=randoms)
@settings(max_examples=30)
def test_evaluations_and_searches_work(name: str, rng: Random) -> None:
    """Check that the network's updated accumulators equal those from scratch, that the terms of the evaluation add up
    to the score, and that a search returns a legal move."""
    variant = variant_of(name)
    position = Position(variant, oracle.write_sfen(crowded(rng, name)))
    rows, total = explain(position, True)
    difference = sum(black - white for _, black, white in rows)
    assert total == (-difference if position.turn else difference)
    if position.outcome() is not None:
        return
    game = default_game(variant)
    library = eval_library(layout_of(variant))
    position.push(rng.choice(sorted(position.legal_moves())))
    scratch, ply = position.struct.copy(), len(position.moves)
    expected = library("static_eval", game, scratch)
    position.fields["score"][ply] = scratch[0]["score"][ply]  # `push` does not update the running score
    assert library("incremental_eval", game, position.struct) == expected, position.sfen()
    position.pop()
    assert Searcher(hash_mb=1, variant=variant).search(position, Limits(depth=3)).best in position.legal_moves()


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("sfen", [NINE, MATE_IN_ONE])
def test_every_format_stores_the_position(sfen: str, form: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    first = Position("shogi", sfen).legal_moves()[0]
    path = tmp_path_factory.mktemp("records") / f"one.{form}"
    path.write_bytes(b"".join(games_as_bytes([Game.played("shogi", [first], sfen)], form)))
    [game] = read_games(path, form)
    assert (game.start, game.moves, game.error) == (sfen, [first], "")


def test_the_engine_accepts_the_position_over_usi() -> None:
    with UsiClient().ready() as engine:
        assert engine.answer(f"position sfen {NINE}") == []
        engine.send("go nodes 2000")
        assert engine.read_until("bestmove ")[-1].split()[1] in Position("shogi", NINE).legal_moves()
        engine.answer(f"position sfen {MATE_IN_ONE}")
        engine.send("go mate 5000")
        assert engine.read_until("checkmate ")[-1] == "checkmate G*5b"
