"""The staged generators, `is_legal`, checks and mates in one in every layout, compared with the reference rules."""

from __future__ import annotations

import pytest

from kogoma.rules.move_encoding import DROP
from kogoma.rules.position import Position
from oracles import onitama as onitama_oracle
from oracles import shogi as oracle
from support.kernels import SHOGI_GAMES, Case, action_of, cases, kernels, onitama_cases, plain_usi
from support.samples import Sample
from support.scope import count, mostly_long

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases")]  # computing `cases` is slow, so one process runs them

FEW = "minishogi", "kyoto", "66shogi"  # games that are always tested


def names(case: Case, moves: list[int]) -> list[str]:
    """Return the sorted moves in USI notation. Both a promotion and an unpromotion are written with +."""
    return sorted(plain_usi(case, move) for move in moves)


@pytest.mark.parametrize("name", mostly_long(SHOGI_GAMES, *FEW))
def test_generators_are_disjoint_and_give_the_legal_moves(name: str) -> None:
    game = kernels(name)
    for case in cases(name):
        record, sfen = game.struct(case.position), case.position.sfen()
        tactical, quiet, drops = (game.stage(record, number) for number in range(3))
        moves = tactical + quiet + drops
        assert names(case, moves) == sorted(case.moves), sfen
        assert len(set(moves)) == len(moves) == game.call("count_legal", game.rules, record), sfen
        assert game.call("has_legal_move", game.rules, record) == bool(moves), sfen
        assert all(game.is_tactical(record, move) for move in tactical), sfen
        assert not any(game.is_tactical(record, move) or move & int(DROP) for move in quiet), sfen
        assert all(move & int(DROP) for move in drops), sfen


def test_generators_on_two_thousand_samples(samples: list[Sample]) -> None:
    """Check that the staged generators give the same moves as the engine's `legal_moves`. Other tests compare
    `legal_moves` with pyffish."""
    game = kernels("minishogi")
    for sample in samples[::10]:
        position = Position("minishogi", sample.sfen)
        moves = game.generated(game.struct(position))
        assert sorted(map(position.usi, moves)) == sample.legal_moves, sample.sfen


def test_onitamas_generators_are_disjoint_and_give_the_legal_moves() -> None:
    game = kernels("onitama")
    for position, told in onitama_cases():
        record, actions = game.struct(position), told.actions()
        tactical, quiet = game.stage(record, 0), game.stage(record, 1)
        assert sorted(action_of(position.usi(move)) for move in tactical + quiet) == sorted(actions)
        assert len(set(tactical + quiet)) == len(actions) == game.call("count_legal", game.rules, record)
        captures = [action for action in actions if lands_on_a_piece(told, action)]
        assert sorted(action_of(position.usi(move)) for move in tactical) == sorted(captures)
        assert [game.stage(record, number) for number in (2, 3, 4)] == [[], [], []]
        assert game.call("has_legal_move", game.rules, record) == 1
    assert len(onitama_cases()) > 200


def lands_on_a_piece(game: onitama_oracle.Game, action: str) -> bool:
    return "PASS" not in action and onitama_oracle.square_of(action[-2:]) in game.board


@pytest.mark.parametrize("name", mostly_long(SHOGI_GAMES, *FEW))
def test_is_legal_for_every_move_code(name: str) -> None:
    game = kernels(name)
    in_check = [case for case in cases(name) if oracle.in_check(case.board, case.board.turn)]
    assert len(in_check) > 10
    for case in cases(name)[::12] + in_check[::10]:
        record = game.struct(case.position)
        assert names(case, game.legal_codes(record)) == sorted(case.moves), case.position.sfen()


def test_is_legal_for_every_move_code_of_onitama() -> None:
    game = kernels("onitama")
    for position, told in onitama_cases()[::8]:
        legal = game.legal_codes(game.struct(position))
        assert sorted(action_of(position.usi(move)) for move in legal) == sorted(told.actions())


def checks_itself(move: oracle.Move, after: oracle.Position) -> bool:
    """Return whether the moved piece itself gives check. This includes a piece in Kyoto that turns over during its move
    and then attacks through the square that it left."""
    return move.target in oracle.checkers(after, after.turn)


@pytest.mark.parametrize("name", mostly_long(SHOGI_GAMES, *FEW))
def test_check_generators_give_all_direct_checks(name: str) -> None:
    game, found = kernels(name), 0
    for case in cases(name):
        record, sfen = game.struct(case.position), case.position.sfen()
        _, quiet, drops, quiet_checks, drop_checks = (names(case, game.stage(record, number)) for number in range(5))
        direct = {usi for usi, (move, after) in case.moves.items() if checks_itself(move, after)}
        assert quiet_checks == sorted(direct & set(quiet)), sfen
        assert drop_checks == sorted(direct & set(drops)), sfen
        found += len(quiet_checks) + len(drop_checks)
    assert found > 100


@pytest.mark.parametrize("name", mostly_long(SHOGI_GAMES, *FEW))
def test_mate_in_one_finds_all_mates_except_discovered_ones(name: str) -> None:
    game, mates_found, none_found = kernels(name), 0, 0
    for case in cases(name):
        record, sfen = game.struct(case.position), case.position.sfen()
        if game.call("in_check", record):
            continue
        move = game.mate_in_one(record)
        checking = {
            usi: (played, after) for usi, (played, after) in case.moves.items() if oracle.in_check(after, after.turn)
        }
        mates = {usi for usi, (_, after) in checking.items() if not escapes(after)}
        fresh = game.struct(case.position)
        for field in ("board", "hand", "side", "ply", "by_side", "by_type", "by_slide", "king", "seen"):
            assert (record[0][field] == fresh[0][field]).all(), (sfen, field)
        if move:
            assert plain_usi(case, move) in mates, sfen
            mates_found += 1
        else:
            assert not any(checks_itself(*checking[usi]) for usi in mates), (sfen, mates)
            none_found += 1
    assert mates_found > count(3, 0) and none_found > 50


def escapes(after: oracle.Position) -> bool:
    """Return whether the side to move has a legal move after which its own king is not in check."""
    return any(not oracle.in_check(then, after.turn) for then in oracle.legal_moves(after).values())
