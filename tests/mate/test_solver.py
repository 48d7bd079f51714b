"""The mate solver compared with an exhaustive search by the reference rules, and its solutions."""

from __future__ import annotations

import random
from functools import cache

import pytest

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position, new_position
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields, new_struct
from kogoma.search.mate.problems import examine
from kogoma.search.mate.solver import MATE, NO_MATE, UNKNOWN, MateAnswer, MateLimits, MateSolver, mate_rules
from kogoma.search.mate.state import fill_origins, mate_dtype
from kogoma.search.table_memory import Table
from oracles import mates
from oracles import shogi as oracle
from support.kernels import SHOGI_GAMES, cases, entries_library, onitama_cases, plain_usi
from support.random_games import random_position, random_positions
from support.scope import count, mostly_long

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cases")]  # computing `cases` is slow, so one process runs them

CHECK_GAMES = ("minishogi", "judkins", "gorogoro", "micro", "kyoto")
ENOUGH = MateLimits(nodes=300_000)
SHORTEST = MateLimits(nodes=1_000_000, shortest=True)
DEEP, SHALLOW = 5, 3  # plies of the exhaustive search, in minishogi and in other variants


@cache
def solver() -> MateSolver:
    return MateSolver(Table(8))


def no_longer(answer: MateAnswer, plies: int) -> bool:
    """Return whether the answer is a mate within `plies` plies."""
    return answer.verdict == MATE and answer.plies <= plies


def ends_in_mate(position: BasePosition, answer: MateAnswer) -> bool:
    """Return whether the moves of the answer are legal and end in mate, by the reference rules."""
    game = oracle.Game(oracle.RULES[position.variant.name], position.sfen())
    for number, move in enumerate(answer.moves):
        game.push(next(usi for usi in oracle.legal_moves(game.position) if usi.replace("-", "+") == move))
        assert number % 2 or oracle.in_check(game.position, game.position.turn), (position.sfen(), answer)
    return not oracle.legal_moves(game.position) and oracle.in_check(game.position, game.position.turn)


@pytest.mark.parametrize("name", mostly_long(SHOGI_GAMES, "minishogi", "dobutsu", "generals"))
def test_all_checks_are_found(name: str) -> None:
    """Check that the solver finds all moves that give check. They include direct checks, discovered checks, and checks
    in which a piece turns over during its move and then attacks through the square that it left."""
    found = 0
    for case in cases(name):
        variant = case.position.variant
        mate = new_struct(mate_dtype(layout_of(variant)))
        rules = mate_rules(variant)
        fill_origins(fields(rules), fields(mate)["origins"])
        count = entries_library(layout_of(variant))("forcing", rules, case.position.struct.copy(), mate)
        moves = sorted(plain_usi(case, int(move)) for move in fields(mate)["list"][:count])
        checks = [
            usi
            for usi, (_, after) in case.moves.items()
            if oracle.in_check(after, after.turn) or ((end := oracle.decided(after)) and end.winner != after.turn)
        ]
        assert moves == sorted(checks), case.position.sfen()
        found += count
    assert found > 100


@pytest.mark.parametrize("name", mostly_long(CHECK_GAMES, "minishogi", "gorogoro", "micro"))
def test_verdicts_and_lengths_equal_an_exhaustive_search(name: str) -> None:
    most, found = DEEP if name == "minishogi" else SHALLOW, dict[int | None, int]()
    for board in random_positions(name)[: count(40, 15)]:
        position = Position(name, oracle.write_sfen(board))
        if position.outcome() is not None:
            continue
        sfen = position.sfen()
        quick, exact = solver().solve(position, ENOUGH), solver().solve(position, SHORTEST)
        shortest = mates.shortest_mate(board, most)
        found[shortest] = found.get(shortest, 0) + 1
        if shortest is not None:
            assert quick.verdict == MATE and quick.plies >= shortest, (sfen, shortest, quick)
            assert (exact.verdict, exact.plies, exact.is_shortest) == (MATE, shortest, True), sfen
        else:
            assert not no_longer(quick, most) and not no_longer(exact, most), (sfen, quick, exact)
        for answer in (quick, exact):
            if answer.verdict == MATE:
                assert len(answer.moves) <= answer.plies + answer.useless and ends_in_mate(position, answer), sfen
    assert found[None] > count(5, 0)


@pytest.mark.parametrize("name", mostly_long(["dobutsu", "generals"], "dobutsu"))
def test_forced_wins_equal_an_exhaustive_search(name: str) -> None:
    """Check that the solver finds forced wins within three plies in variants that are won by capturing the king. In
    these variants, a mating move wins the game two plies later."""
    rng, won = random.Random(3), 0
    for _ in range(40):
        board = random_position(rng, name)
        position = new_position(name, oracle.write_sfen(board))
        answer = solver().solve(position, MateLimits(nodes=20_000, shortest=True))
        soon = mates.wins_within(board, 3)
        if soon:  # this side captures the enemy king or brings its own king to the goal
            assert no_longer(answer, 3), (position.sfen(), answer)
            won += 1
        else:
            assert not no_longer(answer, 1), (position.sfen(), answer)
    assert won > 5


@pytest.mark.long
def test_onitama_wins_by_force() -> None:
    """Check that the solver finds forced wins within three plies in Onitama, and that it does not decide the start
    position within its limit of nodes."""
    start = new_position("onitama")
    assert solver().solve(start, MateLimits(nodes=20_000)).verdict == UNKNOWN
    won = 0
    for case in onitama_cases()[::12]:
        answer = solver().solve(case.position, MateLimits(nodes=20_000, shortest=True))
        soon = next((plies for plies in (1, 3) if wins_within(case.position.copy(), plies)), None)
        assert (answer.plies if no_longer(answer, 3) else None) == soon, case.position.sfen()
        won += soon is not None
    assert won > 5


def wins_within(position: BasePosition, plies: int) -> bool:
    """Return whether the side to move can force a win within `plies` plies. The winning side need not give check."""
    turn = position.turn
    for move in position.legal_moves():
        position.push(move)
        end = position.outcome()
        won = end.winner == turn if end is not None else plies > 1 and loses_within(position, plies - 1)
        position.pop()
        if won:
            return True
    return False


def loses_within(position: BasePosition, plies: int) -> bool:
    """Return whether the side to move loses within `plies` plies, whichever moves it plays."""
    turn = position.turn
    for move in position.legal_moves():
        position.push(move)
        end = position.outcome()
        lost = end.winner == 1 - turn if end is not None else wins_within(position, plies - 1)
        position.pop()
        if not lost:
            return False
    return True


def test_perpetual_check_is_no_mate() -> None:
    """Check that the solver finds no mate if a rook can only give perpetual check. The solver is asked twice: at the
    start of the game, and after the same positions have occurred several times."""
    position = Position("minishogi", "4k/5/5/R4/4K b - 1")
    assert solver().solve(position).verdict == NO_MATE
    for move in ("5d5a", "1a1b", "5a5b", "1b1a", "5b5a", "1a1b", "5a5b", "1b1a"):
        position.push(move)
    assert solver().solve(position).verdict == NO_MATE


def test_a_pawn_drop_may_mate_only_in_kyoto() -> None:
    minishogi = Position("minishogi", "4k/2S2/4G/5/K4 b P 1")
    assert "P*1b" not in minishogi.legal_moves()
    assert solver().solve(minishogi, ENOUGH).moves[:1] != ["P*1b"]
    kyoto = Position("kyoto", "4k/2S2/4+L/5/K4 b P 1")
    assert solver().solve(kyoto, ENOUGH).plies == 1
    kyoto.push("P*1b")
    assert solver().verdict_after_move(kyoto, ENOUGH) == MATE


def test_useless_interpositions_are_counted() -> None:
    """Check that the solver counts useless interpositions if a distant rook mates. The rook captures every piece that
    the defender drops between the rook and the king."""
    position = Position("minishogi", "4k/2S2/3G1/5/K1R2 b b 1")
    answer = solver().solve(position, SHORTEST)
    assert (answer.moves[0], answer.plies, len(answer.moves), answer.useless) == ("3e1e", 3, 3, 2)
    assert ends_in_mate(position, answer)


def test_limits_end_with_timeout_and_small_tables_give_no_wrong_verdicts() -> None:
    hard = Position("shogi", "9/9/2k6/9/K8/9/9/8G/9 w RS2N2L8Pbs2lp 1")
    assert solver().solve(hard, MateLimits(nodes=5000)).verdict == UNKNOWN
    assert solver().solve(hard, MateLimits(milliseconds=50)).verdict == UNKNOWN
    small, large = MateSolver(Table(1)), MateSolver(Table(32))
    for board in random_positions("judkins")[:15]:
        position = Position("judkins", oracle.write_sfen(board))
        limits = MateLimits(nodes=20_000)
        one, other = small.solve(position, limits).verdict, large.solve(position, limits).verdict
        assert one == other or UNKNOWN in (one, other), position.sfen()


def test_a_game_near_its_last_ply_has_short_mates_only() -> None:
    """Check that, in a game with a maximum number of plies, a mate on the last ply counts, but a later mate does
    not."""
    sfen = next(
        oracle.write_sfen(board) for board in random_positions("minishogi") if mates.shortest_mate(board, 3) == 3
    ).rsplit(" ", 1)[0]
    assert solver().solve(Position("minishogi-codingame", f"{sfen} 298")).verdict == MATE
    assert solver().solve(Position("minishogi-codingame", f"{sfen} 299")).verdict == NO_MATE


@pytest.mark.long
def test_other_solutions_are_found() -> None:
    """Find all mating first moves with an exhaustive search. Check that each of them is the first move of the solver's
    answer, or is reported as another solution or as undecided."""
    seen = 0
    for board in random_positions("minishogi")[: count(60, 30)]:
        if mates.shortest_mate(board, 3) is None:
            continue
        position = Position("minishogi", oracle.write_sfen(board))
        found = examine(solver(), position, ENOUGH)
        mating = {
            usi
            for usi, after in oracle.legal_moves(board).items()
            if oracle.in_check(after, after.turn) and mates.mated_within(after, 2, {})
        }
        assert mating <= {found.answer.moves[0], *found.cooks, *found.undecided}, position.sfen()
        assert found.is_sound == (not found.cooks and not found.undecided)
        seen += 1
    assert seen > count(3, 0)
