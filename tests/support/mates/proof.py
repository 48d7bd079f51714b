"""Proofs that a position has a mate or has none. They are valid even if the mate solver makes mistakes.

The question is whether the attacker can mate by checks within a number of plies; interpositions count. The solver only
proposes the moves of one side. All moves of the other side come from rules that are independent of the solver:

- A proof of a mate has one move of the attacker in each position, and all replies of the defender. Every line has to
  end in checkmate in time.
- A proof that there is no mate has one reply of the defender to each check. After the reply, the attacker has too few
  plies left, or the new position is proven in the same way. Without a limit of plies, these positions form a set
  that the attacker cannot leave by giving check, so none of them has a mate of any length. Repetition does not matter.

A bad proposal makes the proof fail. It can never prove something false.
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

FOR_EVER = math.inf  # the number of plies if there is no limit
EFFORTS = (20, 500, 20_000, 2_000_000)  # node limits for a search after a defender's reply, tried in this order
ATTACK = 4_000_000  # node limit for finding a move of the attacker


class Unproven(Exception):
    """The proposed moves do not lead to a proof, or the proof is too long."""


class TooLong(Unproven):
    """The proof needs more positions than are allowed."""


class Adviser(Protocol):
    """A source of proposed moves."""

    def attack(self, sfen: str, plies: float) -> str | None:
        """Return a move of the attacker that should lead to mate within `plies` plies, or None if no such move is
        known."""

    def defend(self, replies: Sequence[tuple[str, str]], plies: float) -> str | None:
        """Return a move of the defender after which the attacker should have no mate within `plies` plies, or None if
        no such move is known. `replies` has (move, SFEN after the move) for each legal move."""


class SolversAdvice:
    """The moves that the mate solver proposes in a variant."""

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
    """Prove that the side to move can mate by checks within `plies` plies. Return the number of the proof's positions
    in which the attacker is to move. Raises Unproven if the adviser proposes no move that mates in time, and TooLong if
    the proof needs more than `most` positions."""
    shown, open_ones = dict[Hashable, int](), [(start, plies)]
    while open_ones:
        position, left = open_ones.pop()
        if shown.get(position.key, plies + 1) <= left:
            continue
        if len(shown) >= most:
            raise TooLong(f"the proof needs more than {most} positions")
        shown[position.key] = left
        move = adviser.attack(book.sfen(position), left) if left > 0 else None
        after = next((after for usi, after in book.checks(position) if _same(usi, move)), None)
        if after is None:
            raise Unproven(f"the move {move} gives no mate within {left} plies: {book.sfen(position)}")
        open_ones += [(reply, left - 2) for _, reply in book.replies(after)]
    return len(shown)


def prove_none(book: RuleBook, start: Standing, plies: float, adviser: Adviser, most: float = math.inf) -> int:
    """Prove that the side to move cannot mate by checks within `plies` plies, or within any number of plies if `plies`
    is FOR_EVER. Return the number of the proof's positions in which the attacker is to move. Raises Unproven if the
    adviser finds no defence, and TooLong if the proof needs more than `most` positions."""
    shown, open_ones = dict[Hashable, float](), [(start, plies)]
    while open_ones:
        position, left = open_ones.pop()
        if shown.get(position.key, -1) >= left:
            continue
        if len(shown) >= most:
            raise TooLong(f"the proof needs more than {most} positions")
        shown[position.key] = left
        for move, after in book.checks(position):
            if left < 3:
                if not any(True for _ in book.replies(after)):
                    raise Unproven(f"the position has a mate, by {move}: {book.sfen(position)}")
                continue
            replies = dict(book.replies(after))
            if any(shown.get(reply.key, -1) >= left - 2 for reply in replies.values()):
                continue
            answer = adviser.defend([(usi, book.sfen(reply)) for usi, reply in replies.items()], left - 2)
            if answer is None:
                raise Unproven(
                    f"no reply to {move} is known that avoids mate for {left - 2} plies: {book.sfen(position)}"
                )
            open_ones.append((replies[answer], left - 2))
    return len(shown)


def prove(book: RuleBook, problem: Problem, adviser: Adviser, most: float = math.inf) -> tuple[int, int]:
    """Prove the verdict and the number of plies that the suite has for a problem. Return the number of positions in the
    proof that there is a mate, and the number in the proof that there is no mate or no shorter mate. If one of the
    proofs is not needed, its number is 0."""
    start = book.start(problem.sfen)
    if problem.verdict != MATE:
        return 0, prove_none(book, start, FOR_EVER, adviser, most)
    mate = prove_mate(book, start, problem.plies, adviser, most)
    return mate, prove_none(book, start, problem.plies - 2, adviser, most) if problem.plies > 1 else 0


def _same(usi: str, move: str | None) -> bool:
    """Return whether `usi`, a move of the reference rules or of cshogi, and `move`, a move of the engine, are the same
    move. The engine writes + both for promoting a piece and for turning it back, but the reference rules write - for
    turning it back."""
    return usi.replace("-", "+") == move
