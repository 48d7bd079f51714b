"""Whether a position is a sound problem: one solution, none shorter than was meant, and nothing left over."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import Position
from kogoma.search.mate.solver import MATE, UNKNOWN, MateAnswer, MateLimits, MateSolver, Report


@dataclass(frozen=True)
class Soundness:
    """What composers ask of a problem. `cooks` are other first moves that mate, `undecided` those for which the limits
    did not do; `left` is what the attacker has in hand when the solution ends, as letters of SFEN."""

    answer: MateAnswer
    cooks: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    left: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether there is a mate, proven to be the shortest, by one first move alone."""
        return self.answer.is_shortest and not self.cooks and not self.undecided


def examine(
    solver: MateSolver, position: BasePosition, limits: MateLimits | None = None, report: Report | None = None
) -> Soundness:
    """Solve the position with the shortest mate, and try all other first moves; each search has these limits."""
    limits = limits or MateLimits()
    answer = solver.solve(position, replace(limits, shortest=True), report)
    if answer.verdict != MATE:
        return Soundness(answer)
    cooks, undecided = list[str](), list[str]()
    game = position.copy()
    for move in position.legal_moves():
        if move == answer.moves[0]:
            continue
        game.push(move)
        if game.in_check or position.variant.king_capture:
            verdict = MATE if _has_won(game) else solver.is_mated(game, limits)
            if verdict == MATE:
                cooks.append(move)
            elif verdict == UNKNOWN:
                undecided.append(move)
        game.pop()
    return Soundness(answer, sorted(cooks), sorted(undecided), _left(position, answer))


def _has_won(game: BasePosition) -> bool:
    """Whether the side that has just moved has won already."""
    end = game.outcome()
    return end is not None and end.winner == 1 - game.turn


def _left(position: BasePosition, answer: MateAnswer) -> str:
    """The attacker's hand at the end of the solution, without useless interpositions."""
    if not isinstance(position, Position):
        return ""
    game = position.copy()
    for move in answer.moves[: len(answer.moves) - answer.useless]:
        game.push(move)
    hand = game.setup().hands[position.turn]
    held = [(position.variant.pieces[kind - 1].letter, count) for kind, count in enumerate(hand) if count]
    return "".join(f"{count if count > 1 else ''}{letter}" for letter, count in reversed(held))
