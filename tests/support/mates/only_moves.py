"""Proofs of Dobutsu's problems with one right move, by rules that are independent of the engine.

The tablebase only proposes moves; `support/mates/proof.py` says why a wrong proposal cannot prove anything false. Here
the attacker may play all moves, and wins when a side has lost by the reference rules. A position that occurs a fourth
time is a draw; no proof needs a repetition: a win has a number of plies, and a side that cannot be beaten within any
number of plies is not beaten by a repetition either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from kogoma.rules.position import Position
from kogoma.search.tablebase.dobutsu.values import Tablebase
from kogoma.search.tablebase.root import known_moves
from support.mates.proof import FOR_EVER, Unproven, prove_mate, prove_none
from support.mates.published import Published, values
from support.mates.rule_books import Captures, Standing


class TablebaseAdvice:
    """The moves that a tablebase proposes."""

    def __init__(self, tablebase: Tablebase) -> None:
        self._tablebase = tablebase

    def attack(self, sfen: str, plies: float) -> str | None:
        position = Position(self._tablebase.variant, sfen)
        known = known_moves(self._tablebase, position)
        return known[0].move if known and 0 < known[0].value <= plies else None

    def defend(self, replies: Sequence[tuple[str, str]], plies: float) -> str | None:
        """Prefer the reply that wins soonest, then a draw, then the slowest loss."""
        found = {usi: self._value(sfen) for usi, sfen in replies}
        known = {usi: value for usi, value in found.items() if value is not None and not 0 < value <= plies}
        return min(known, key=lambda usi: (_order(known[usi]), usi), default=None)

    def _value(self, sfen: str) -> int | None:
        """Return the value of a position for its side to move, the attacker."""
        variant = self._tablebase.variant
        board, turn = sfen.split()[:2]
        lion = next(piece.letter for piece in variant.pieces if piece.royal)
        if (lion if turn == "b" else lion.lower()) not in board:  # the reply took it; no `Position` can be without it
            return -1
        position = Position(variant, sfen)
        if (end := position.outcome()) is not None:
            return 0 if end.winner is None else (1 if end.winner == position.turn else -1)
        return self._tablebase.value(position)


def _order(value: int) -> tuple[int, int]:
    """Return a key that sorts the attacker's quickest loss first, and its quickest win last."""
    return (value > 0) - (value < 0), -value


def prove_only_move(book: Captures, problem: Published, advice: TablebaseAdvice, most: float = math.inf) -> int:
    """Prove that the first move of a problem's solution wins in the stated number of plies and no sooner, or draws,
    and that every other move has a worse result: that it loses within the stated number of plies, or does not win.
    Return the number of positions of the proofs. Raises Unproven if a claim is not proven, and TooLong if the proof of
    one needs more than `most` positions."""
    start, told, size = book.start(problem.sfen), values(problem), 0
    after = {usi.replace("-", "+"): standing for usi, standing in book.replies(start)}
    if after.keys() != told.keys():
        raise Unproven(f"the legal moves are {sorted(after)}: {problem.sfen}")
    right, *others = told
    if problem.plies:
        size += prove_mate(book, start, problem.plies, advice, most)
        size += _not_won_after(book, after[right], advice, most, problem.plies - 4)  # the other moves do not win
    else:
        size += prove_none(book, after[right], FOR_EVER, advice, most)  # the other side does not win
        size += _not_won_after(book, after[right], advice, most)
    for usi in others:
        if told[usi] < 0:
            size += _lost_after(book, after[usi], -told[usi] - 1, advice, most)
        else:
            size += _not_won_after(book, after[usi], advice, most)
    return size


def _lost_after(book: Captures, after: Standing, plies: int, advice: TablebaseAdvice, most: float) -> int:
    """Prove that the side to move wins within `plies` plies, or has won already. Return the number of positions of the
    proof."""
    return 1 if book.lost_by_move(after) else prove_mate(book, after, plies, advice, most)


def _not_won_after(
    book: Captures, after: Standing, advice: TablebaseAdvice, most: float, plies: float = FOR_EVER
) -> int:
    """Prove that the side that has just moved does not win within `plies` plies after the reply to that move: a reply
    prevents it. Return the number of positions of the proof."""
    replies = dict(book.replies(after))
    if book.lost_by_move(after):
        return 1
    reply = advice.defend([(usi, book.sfen(standing)) for usi, standing in replies.items()], plies)
    if reply is None:
        raise Unproven(f"no reply is known that prevents a win: {book.sfen(after)}")
    return prove_none(book, replies[reply], plies, advice, most)
