"""Proofs of the suite's mates by rules that are independent of the engine (`support/mates/proof.py`). These tests prove
a few lines; `benchmarks/prove_mates.py` proves all."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from functools import cache

import pytest

from kogoma.search.mate.solver import MATE
from oracles import shogi as oracle
from support.mates import Problem, problems
from support.mates.proof import FOR_EVER, SolversAdvice, TooLong, Unproven, prove, prove_mate, prove_none
from support.mates.rule_books import Naive, rule_book
from support.peers import absent

GAMES = ("minishogi", "judkins", "gorogoro", "micro", "kyoto", "shogi")
MOST = 15  # maximum number of positions in a proof
ASKED = 4  # number of problems of each variant and verdict


@cache
def advice(game: str) -> SolversAdvice:
    return SolversAdvice(game)


def some(game: str, verdict: str, suite: str = "mates") -> list[Problem]:
    """Return a few problems of a suite that have this variant and verdict. These problems are spread evenly over the
    suite."""
    found = [problem for problem in problems(suite) if problem.game == game and problem.verdict == verdict]
    return found[:: len(found) // ASKED]


@pytest.mark.parametrize("game", GAMES)
def test_some_lines_are_proven(game: str) -> None:
    try:
        book = rule_book("cshogi" if game == "shogi" else "naive", game)
    except ImportError:
        absent("cshogi")
    proven = 0
    for problem in (*some(game, MATE), *some(game, "nomate"), *some(game, MATE, "tsume")):
        with contextlib.suppress(TooLong):
            prove(book, problem, advice(game), MOST)
            proven += 1
    assert proven > 1


def test_false_claims_are_not_proven() -> None:
    book = Naive("minishogi")
    for problem in some("minishogi", MATE):
        start = book.start(problem.sfen)
        for plies in (problem.plies, FOR_EVER):
            with pytest.raises(Unproven):
                prove_none(book, start, plies, advice("minishogi"))
        with pytest.raises(Unproven):
            prove_mate(book, start, problem.plies - 2, advice("minishogi"))
    for problem in some("minishogi", "nomate"):
        with pytest.raises(Unproven):
            prove_mate(book, book.start(problem.sfen), 9, advice("minishogi"))


class BadAdvice:
    """An adviser that always proposes the first checking move or the first reply that it finds, even if there is no
    mate."""

    def __init__(self, book: Naive) -> None:
        self._book = book

    def attack(self, sfen: str, plies: float) -> str | None:
        return next((usi.replace("-", "+") for usi, _ in self._book.checks(self._book.start(sfen))), None)

    def defend(self, replies: Sequence[tuple[str, str]], plies: float) -> str | None:
        return next((usi for usi, _ in replies), None)


def test_bad_advice_proves_nothing_false() -> None:
    book = Naive("minishogi")
    adviser = BadAdvice(book)
    for problem in (*some("minishogi", MATE), *some("minishogi", "nomate")):
        start = book.start(problem.sfen)
        for plies in (1, 3, 7):
            mates = problem.verdict == MATE and problem.plies <= plies
            for claim, proof in ((True, prove_mate), (False, prove_none)):
                with contextlib.suppress(Unproven):
                    proof(book, start, plies, adviser, MOST)
                    assert mates == claim, (problem, plies)


def test_cshogis_rules_equal_the_reference_rules() -> None:
    try:
        book = rule_book("cshogi", "shogi")
    except ImportError:
        absent("cshogi")
    naive = Naive("shogi")
    for problem in (*some("shogi", MATE), *some("shogi", "nomate")):
        for moves in ("checks", "replies"):
            found, wanted = (dict(getattr(rules, moves)(rules.start(problem.sfen))) for rules in (book, naive))
            assert {usi: book.sfen(after) for usi, after in found.items()} == {
                usi: naive.sfen(after) for usi, after in wanted.items()
            }, problem
        assert wanted.keys() == oracle.legal_moves(oracle.parse_sfen(naive.rules, problem.sfen)).keys()
