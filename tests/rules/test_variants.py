"""All variants of shogi: published perft counts, the reference rules compared with pyffish, and the engine compared
with both and with Fairy-Stockfish."""

from __future__ import annotations

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support import referee
from support.peers import absent
from support.random_games import PEER_VARIANTS, games, picked, plain, random_positions
from support.scope import mostly_long

pytestmark = pytest.mark.slow

VARIANTS = tuple(oracle.RULES)
PERFT_DEPTH = {"shogi": 3, "gorogoro": 3, "judkins": 3, "kyoto": 3, "micro": 4}


# ---- Published counts ------------------------------------------------------------------------------------------------

PUBLISHED = {
    "shogi": (30, 900, 25470, 719731, 19861490),
    "kyoto": (12, 137, 1636, 18268, 225903),
    "dobutsu": (4, 17, 123, 976, 8122, 71677),
    "dice": (14, 181, 2512, 35401),
}


@pytest.mark.parametrize("variant", PUBLISHED)
def test_published_counts(variant: str) -> None:
    counts = PUBLISHED[variant]
    assert tuple(Position(variant).perft(depth) for depth in range(1, len(counts) + 1)) == counts


@pytest.mark.parametrize("variant", PUBLISHED)
def test_the_reference_rules_give_the_published_counts(variant: str) -> None:
    start = oracle.parse_sfen(oracle.RULES[variant], oracle.RULES[variant].start)
    assert tuple(oracle.perft(start, depth) for depth in (1, 2, 3)) == PUBLISHED[variant][:3]


# ---- The reference rules and pyffish ---------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", PEER_VARIANTS)
def test_the_reference_rules_have_pyffishs_legal_moves(variant: str) -> None:
    for ply in picked(variant, 60):
        theirs = referee.legal_moves(ply.sfen, variant=variant)
        assert sorted(ply.legal_moves + ply.drop_mates) == sorted(theirs), ply.sfen


@pytest.mark.parametrize("variant", PEER_VARIANTS)
def test_the_reference_rules_have_pyffishs_legal_moves_in_random_positions(variant: str) -> None:
    for position in random_positions(variant)[:60]:
        theirs = referee.legal_moves(oracle.write_sfen(position), variant=variant)
        mates = [] if position.rules.pawn_drop_mate else oracle.pawn_drop_mates(position)
        assert sorted([*oracle.legal_moves(position), *mates]) == sorted(theirs), oracle.write_sfen(position)


@pytest.mark.parametrize("variant", mostly_long(PEER_VARIANTS, "shogi", "kyoto"))
def test_the_reference_rules_end_games_like_pyffish(variant: str) -> None:
    shortest = sorted((game for game in games(variant) if game[-1].outcome), key=len)[:2]
    for game in shortest:
        verdict, outcome = referee.judge([ply.played for ply in game[:-1]], game[0].sfen, variant), game[-1].outcome
        assert verdict is not None and outcome is not None, game[-1].sfen
        assert (verdict.winner, verdict.plies) == (outcome.winner, len(game) - 1), game[-1].sfen
        if outcome.reason != "perpetual_check":  # pyffish does not distinguish perpetual check from a repetition
            assert verdict.reason == outcome.reason, game[-1].sfen


# ---- The engine, Fairy-Stockfish and pyffish -------------------------------------------------------------------------


def drop_mates_behind(position: oracle.Position, plies: int) -> int:
    """Return the number of sequences that consist of `plies` legal moves and then an illegal pawn drop that mates."""
    if position.rules.pawn_drop_mate:
        return 0
    if plies == 0:
        return len(oracle.pawn_drop_mates(position))
    return sum(drop_mates_behind(after, plies - 1) for after in oracle.legal_moves(position).values())


@pytest.mark.parametrize("variant", PERFT_DEPTH)
def test_divide_equals_fairy_stockfishs_in_20_positions(variant: str) -> None:
    """Check that the perft count after each move equals Fairy-Stockfish's count. Fairy-Stockfish also counts illegal
    pawn drops that mate. No moves follow such a drop, so only drops on the last ply change the count. The test checks
    that the difference equals the number of these drops."""
    path, depth, rules = referee.find_fairy_stockfish(), PERFT_DEPTH[variant], oracle.RULES[variant]
    if path is None:
        absent("fairy-stockfish")
    with referee.FairyStockfish(path, variant) as peer:
        for ply in picked(variant, 20):
            ours = {move.replace("-", "+"): n for move, n in Position(variant, ply.sfen).divide(depth)}
            theirs = {move.replace("-", "+"): n for move, n in peer.divide(ply.sfen, depth).items()}
            for usi in ply.drop_mates:
                assert theirs.pop(usi) == 0, (ply.sfen, usi)
            surplus = {move: theirs[move] - ours.get(move, 0) for move in theirs if theirs[move] != ours.get(move)}
            after = oracle.legal_moves(oracle.parse_sfen(rules, ply.sfen)) if surplus else {}
            behind = {usi.replace("-", "+"): position for usi, position in after.items()}
            mates = {move: drop_mates_behind(behind[move], depth - 2) for move in surplus}
            assert ours.keys() == theirs.keys() and surplus == mates, ply.sfen


def pyffish_perft(sfen: str, moves: list[str], depth: int, variant: str) -> int:
    """Return the number of move sequences of `depth` plies, counted with pyffish."""
    found = referee.legal_moves(sfen, moves, variant)
    return len(found) if depth == 1 else sum(pyffish_perft(sfen, [*moves, usi], depth - 1, variant) for usi in found)


def test_dobutsu_divide_equals_pyffishs_in_20_positions() -> None:
    for ply in picked("dobutsu", 20):
        expected = {usi: pyffish_perft(ply.sfen, [usi], 1, "dobutsu") for usi in ply.legal_moves}
        assert dict(Position("dobutsu", ply.sfen).divide(2)) == expected, ply.sfen
    for ply in picked("dobutsu", 4):
        assert Position("dobutsu", ply.sfen).perft(3) == pyffish_perft(ply.sfen, [], 3, "dobutsu"), ply.sfen


# ---- The engine and the reference rules, move by move ----------------------------------------------------------------


def seen(position: Position) -> tuple[object, ...]:
    """Return the properties of a position that must be the same after a move is made and taken back."""
    return position.sfen(), position.key, position.in_check, position.ply, position.moves.copy()


@pytest.mark.parametrize("variant", VARIANTS)
def test_random_games_equal_the_reference_rules(variant: str) -> None:
    for game in games(variant):
        position = Position(variant, game[0].sfen)
        for ply in game:
            outcome = position.outcome()
            assert position.sfen() == ply.sfen
            assert plain(position.legal_moves()) == plain(ply.legal_moves), ply.sfen
            assert (outcome and (outcome.winner, outcome.reason)) == ply.outcome, (ply.sfen, position.moves)
            if not oracle.RULES[variant].king_capture:
                assert sorted(position.checkers) == ply.checkers, ply.sfen
                assert position.in_check == bool(ply.checkers)
            if ply.played:
                position.push(ply.played)


@pytest.mark.parametrize("variant", VARIANTS)
def test_legal_moves_in_random_positions_equal_the_reference_rules(variant: str) -> None:
    for theirs in random_positions(variant):
        ours, rules = Position(variant, oracle.write_sfen(theirs)), theirs.rules
        assert ours.sfen() == oracle.write_sfen(theirs)
        assert plain(ours.legal_moves()) == plain(list(oracle.legal_moves(theirs))), ours.sfen()
        if not rules.king_capture:
            checkers = [oracle.square_name(rules, square) for square in oracle.checkers(theirs, theirs.turn)]
            assert sorted(ours.checkers) == sorted(checkers), ours.sfen()


@pytest.mark.parametrize("variant", VARIANTS)
def test_sfen_of_any_position_can_be_read(variant: str) -> None:
    for game in games(variant):
        position = Position(variant, game[0].sfen)
        for ply in game[:-1]:
            read = Position(variant, ply.sfen)
            assert (read.sfen(), read.key) == (ply.sfen, position.key)
            assert plain(read.legal_moves()) == plain(ply.legal_moves), ply.sfen
            position.push(ply.played)


@pytest.mark.parametrize("variant", VARIANTS)
def test_taking_back_moves_restores_the_position(variant: str) -> None:
    for game in games(variant):
        position, before = Position(variant, game[0].sfen), []
        for number, ply in enumerate(game[:-1]):
            here = seen(position)
            for usi in position.legal_moves() if number % 5 == 0 else []:
                position.push(usi)
                position.pop()
                assert seen(position) == here, usi
            before.append(here)
            position.push(ply.played)
        while before:
            position.pop()
            assert seen(position) == before.pop()
