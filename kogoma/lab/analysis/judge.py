"""What the moves of a game were worth: how much of its winning chances each gave away."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kogoma.lab.analysis.examine import Known, Line, Moves
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position

SCALE = 500.0  # centipawns: the logistic curve of winning chances that the evaluation is fitted with
MATES = 0.5  # of the winning chances that a missed mate counts as at least, so that it is named among the first
NAMES = ((0.3, "blunder"), (0.15, "mistake"), (0.07, "inaccuracy"))


@dataclass(frozen=True)
class Judgement:
    """A move: its ply from 0, its side, the score of the position before it and after it, both for its side, the
    winning chances that it gave away (0 to 1), and in how many plies it could have mated where it let that slip (0
    elsewhere)."""

    ply: int
    side: int
    move: str
    best: Line
    after: tuple[str, int]
    loss: float
    missed_mate: int

    @property
    def severity(self) -> float:
        """By what the worst moves are put first."""
        return max(self.loss, MATES) if self.missed_mate else self.loss

    @property
    def name(self) -> str:
        """ "blunder", "mistake", "inaccuracy", or "" for a move that is none of them."""
        return next((name for least, name in NAMES if self.severity >= least), "")


def chance(kind: str, value: int) -> float:
    """The winning chances of a score, from 0 to 1."""
    if kind == "mate":
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + math.exp(-max(min(value, 20000), -20000) / SCALE))


def judge(game: Moves, known: Known) -> list[Judgement]:
    """Every move of the game whose position has been searched."""
    position = new_position(game.variant, game.start)
    found = []
    for ply, move in enumerate(game.moves):
        lines, side = known.get(ply, ()), position.turn
        position.push(move)
        if lines:
            best = lines[0]
            end = _end_score(position) if ply + 1 == len(game.moves) else None
            after = _score_after(lines, move, known.get(ply + 1), end)
            if after is not None:
                loss = 0.0 if move == best.moves[0] else max(chance(best.kind, best.value) - chance(*after), 0.0)
                mates = best.kind == "mate" and best.value > 0
                kept = after[0] == "mate" and after[1] > 0
                missed = best.value if mates and not kept and move != best.moves[0] else 0
                found.append(Judgement(ply, side, move, best, after, loss, missed))
    return found


def _end_score(position: BasePosition) -> tuple[str, int] | None:
    """How the game has ended by its rules, as a score for the side that moved last; None if it has not."""
    end = position.outcome()
    if end is None:
        return None
    if end.winner is None:
        return "cp", 0
    return "mate", 1 if end.winner != position.turn else -1


def _score_after(
    lines: tuple[Line, ...], move: str, next_lines: tuple[Line, ...] | None, end: tuple[str, int] | None
) -> tuple[str, int] | None:
    """The score of the move that was played, for its side: by the search of the position that it led to, by the game's
    end, or by its own line."""
    if end is not None:
        return end
    own = next((line for line in lines if line.moves[0] == move), None)
    if own is not None:
        return own.kind, own.value
    if not next_lines:
        return None
    reply = next_lines[0]
    if reply.kind == "mate":
        return "mate", 1 - reply.value if reply.value < 0 else -1 - reply.value  # a ply more, for the move itself
    return reply.kind, -reply.value


def accuracy(judgements: list[Judgement], side: int) -> float | None:
    """100 less the winning chances that the side's moves gave away, in percent of a move; None without moves."""
    losses = [one.loss for one in judgements if one.side == side]
    return 100 * (1 - sum(losses) / len(losses)) if losses else None


def worst(judgements: list[Judgement]) -> list[Judgement]:
    """The moves that have a name, the worst first."""
    return sorted((one for one in judgements if one.name), key=lambda one: (-one.severity, -one.loss, one.ply))
