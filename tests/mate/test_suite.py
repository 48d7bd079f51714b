"""The mate solver solves all positions of tests/data/mates.tsv and tsume.tsv."""

from __future__ import annotations

from collections import Counter

import pytest

from kogoma.rules.position import new_position
from kogoma.search.mate.problems import examine
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.table_memory import Table
from support.mates import Problem, problems
from support.scope import mostly_long

LIMITS = MateLimits(nodes=2_000_000)
GAMES = ("minishogi", "judkins", "gorogoro", "micro", "kyoto", "shogi")


@pytest.mark.parametrize("game", mostly_long(GAMES, *GAMES[:-1]))
def test_every_answer_is_correct(game: str) -> None:
    """Check that a quick search finds the verdict of each problem. If the verdict is a mate, a second search must prove
    the length of the shortest mate."""
    solver, chosen = MateSolver(Table(16)), [problem for problem in problems() if problem.game == game]
    assert Counter(problem.verdict for problem in chosen)["nomate"] > 5
    for problem in chosen:
        position = new_position(game, problem.sfen)
        answer = solver.solve(position, LIMITS)
        assert answer.verdict == problem.verdict, problem
        if problem.verdict == MATE:
            assert answer.plies >= problem.plies, problem
            exact = solver.solve(position, MateLimits(nodes=2_000_000, shortest=True))
            assert (exact.plies, exact.is_shortest) == (problem.plies, True), problem
            assert leads_to_mate(problem, exact.moves), problem


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_problems_without_the_attackers_king_are_solved(game: str) -> None:
    """Check that the solver solves problems in which the attacker has no king, and that each problem is sound: only one
    first move mates."""
    solver = MateSolver(Table(16))
    chosen = [problem for problem in problems("tsume") if problem.game == game]
    assert len(chosen) >= (200 if game == "shogi" else 20)
    for problem in chosen:
        assert problem.sfen.split()[0].count("K") == 0 and problem.proof != "-"
        found = examine(solver, new_position(game, problem.sfen), LIMITS)
        assert found.is_sound and found.answer.plies == problem.plies, problem
        assert leads_to_mate(problem, found.answer.moves), problem


def leads_to_mate(problem: Problem, moves: list[str]) -> bool:
    """Return whether every move of the attacker gives check and the last move mates."""
    position = new_position(problem.game, problem.sfen)
    for number, move in enumerate(moves):
        position.push(move)
        if number % 2 == 0 and not position.in_check:
            return False
    end = position.outcome()
    return end is not None and end.reason == "checkmate"


def test_cshogi_agrees() -> None:
    """Check that cshogi's df-pn solver finds a mate in the 9x9 problems that have a mate, and in no other 9x9
    problem."""
    cshogi = pytest.importorskip("cshogi")
    peer, board = cshogi.DfPn(), cshogi.Board()
    for problem in problems():
        if problem.game == "shogi":
            board.set_sfen(problem.sfen)
            assert bool(peer.search(board)) == (problem.verdict == MATE), problem
