"""Proofs of mates, and of positions without one, that need not trust the solver.

Asked is whether the attacker mates by checks within so many plies, every interposition counted. The solver is asked for
one side's moves alone; all moves of the other side come from a rule book that knows nothing of it:

- A mate is proven by the attacker's moves: whatever the defender replies, until every line ends in checkmate in time.
- That there is none is proven by the defender's replies: to every check there is one after which the attacker has too
  few plies left, or comes to a position for which the same was shown. Without a bound of plies these positions are a
  set that the attacker can't leave by giving check, so that no mate of any length is in it; repetition does not matter.

If the solver advises badly, the proof fails: nothing is ever proven wrongly.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import Protocol

from kogoma.rules.position import new_position
from kogoma.search.mate.solver import MATE, NO_MATE, MateLimits, MateSolver
from kogoma.search.table_memory import Table
from support.mates import Problem
from support.mates.rule_books import RuleBook, Standing

FOR_EVER = math.inf  # plies, where there is no bound
EFFORTS = (20, 500, 20_000, 2_000_000)  # nodes for each of the defender's moves, tried one after the other
ATTACK = 4_000_000  # nodes


class Unproven(Exception):
    """The advice does not lead to a proof, or the proof would be longer than it may be."""


class Adviser(Protocol):
    """Who knows which move to try."""

    def attack(self, sfen: str, plies: float) -> str | None:
        """The attacker's move that mates within so many plies."""

    def defend(self, replies: Sequence[tuple[str, str]], plies: float) -> str | None:
        """One of these moves, each with its position, after which the attacker does not mate in so many plies."""


class SolversAdvice:
    """The solver's moves in a game."""

    def __init__(self, game: str) -> None:
        self._game, self._solver = game, MateSolver(Table(16))

    def attack(self, sfen: str, plies: float) -> str | None:
        limits = MateLimits(nodes=ATTACK, plies=_bound(plies))
        return next(iter(self._solver.solve(new_position(self._game, sfen), limits).moves), None)

    def defend(self, replies: Sequence[tuple[str, str]], plies: float) -> str | None:
        open_ones = list(replies)
        for nodes in EFFORTS:
            limits, undecided = MateLimits(nodes=nodes, plies=_bound(plies)), []
            for usi, sfen in open_ones:
                verdict = self._solver.solve(new_position(self._game, sfen), limits).verdict
                if verdict == NO_MATE:
                    return usi
                if verdict != MATE:
                    undecided.append((usi, sfen))
            open_ones = undecided
        return None


def _bound(plies: float) -> int | None:
    return None if plies == FOR_EVER else int(plies)


def prove_mate(book: RuleBook, start: Standing, plies: int, adviser: Adviser, most: float = math.inf) -> int:
    """Prove that the side to move mates by checks within so many plies; how many positions of the attacker that took.
    Unproven where the adviser does not know how, or after `most` positions."""
    shown, open_ones = dict[Hashable, int](), [(start, plies)]
    while open_ones:
        position, left = open_ones.pop()
        if shown.get(position.key, plies + 1) <= left:
            continue
        if len(shown) >= most:
            raise Unproven(f"more than {most} positions")
        shown[position.key] = left
        move = adviser.attack(book.sfen(position), left) if left > 0 else None
        after = next((after for usi, after in book.checks(position) if _same(usi, move)), None)
        if after is None:
            raise Unproven(f"no mate within {left} plies by {move}: {book.sfen(position)}")
        open_ones += [(reply, left - 2) for _, reply in book.replies(after)]
    return len(shown)


def prove_none(book: RuleBook, start: Standing, plies: float, adviser: Adviser, most: float = math.inf) -> int:
    """Prove that the side to move does not mate by checks within so many plies, or at all (FOR_EVER); how many
    positions of the attacker that took. Unproven as above."""
    shown, open_ones = dict[Hashable, float](), [(start, plies)]
    while open_ones:
        position, left = open_ones.pop()
        if shown.get(position.key, -1) >= left:
            continue
        if len(shown) >= most:
            raise Unproven(f"more than {most} positions")
        shown[position.key] = left
        for move, after in book.checks(position):
            if left < 3:
                if not any(True for _ in book.replies(after)):
                    raise Unproven(f"{move} mates: {book.sfen(position)}")
                continue
            replies = dict(book.replies(after))
            if any(shown.get(reply.key, -1) >= left - 2 for reply in replies.values()):
                continue
            answer = adviser.defend([(usi, book.sfen(reply)) for usi, reply in replies.items()], left - 2)
            if answer is None:
                raise Unproven(f"no answer to {move} for {left - 2} plies: {book.sfen(position)}")
            open_ones.append((replies[answer], left - 2))
    return len(shown)


def prove(book: RuleBook, problem: Problem, adviser: Adviser, most: float = math.inf) -> tuple[int, int]:
    """Prove all that the suite says of a problem; how many positions of the attacker it took to show that there is a
    mate, and that there is none, or no shorter one."""
    start = book.start(problem.sfen)
    if problem.verdict != MATE:
        return 0, prove_none(book, start, FOR_EVER, adviser, most)
    mate = prove_mate(book, start, problem.plies, adviser, most)
    return mate, prove_none(book, start, problem.plies - 2, adviser, most) if problem.plies > 1 else 0


def _same(usi: str, move: str | None) -> bool:
    """The engine writes + where a piece turns over, whichever side comes up; the naive rules write - for the front."""
    return usi.replace("-", "+") == move
