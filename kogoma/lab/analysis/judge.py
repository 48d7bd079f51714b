"""Judge the moves of a game by the winning chances that they gave away."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kogoma.lab.analysis.examine import Known, Moves, ScoredLine
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position

# Centipawns at which the odds are e to 1, fitted to games of self-play: `python -m benchmarks.measure_scales FOLDER`.
SCALES = {
    "shogi": 1340.0,
    "minishogi": 632.0,
    "minishogi-codingame": 773.0,
    "dice": 1275.0,
    "dice-hyper": 1212.0,
    "dice-codingame": 1275.0,
    "judkins": 699.0,
    "gorogoro": 544.0,
    "micro": 270.0,
    "kyoto": 403.0,
    "dobutsu": 270.0,
    "generals": 1481.0,
    "onitama": 40.0,
}
DEFAULT_SCALE = 700.0  # of custom variants
MISSED_MATE_SEVERITY = 0.5  # minimum severity of a missed mate
NAMES = ((0.3, "blunder"), (0.15, "mistake"), (0.07, "inaccuracy"))


@dataclass(frozen=True)
class Judgement:
    """A judged move: its ply from 0, its side, and the scores before and after it, both from the point of view of its
    side. `loss` is the winning chance that it gave away (0 to 1). `missed_mate` is the number of plies of a mate that
    it missed, or 0."""

    ply: int
    side: int
    move: str
    best: ScoredLine
    after: tuple[str, int]
    loss: float
    missed_mate: int

    @property
    def severity(self) -> float:
        """The winning chance given away, but at least MISSED_MATE_SEVERITY for a missed mate."""
        return max(self.loss, MISSED_MATE_SEVERITY) if self.missed_mate else self.loss

    @property
    def name(self) -> str:
        """The kind of mistake: "blunder", "mistake" or "inaccuracy", or "" if the move is not a mistake."""
        return next((name for least, name in NAMES if self.severity >= least), "")


def chance(kind: str, value: int, variant: str) -> float:
    """Convert a score to a winning chance from 0 to 1. `kind` is "cp" or "mate", and `value` is in centipawns or
    plies."""
    if kind == "mate":
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + math.exp(-max(min(value, 20000), -20000) / SCALES.get(variant, DEFAULT_SCALE)))


def judge(game: Moves, known: Known) -> list[Judgement]:
    """Return the judgements of a game's moves. Moves are left out if their positions have not been searched."""
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
                is_best = move == best.moves[0]
                lost = chance(best.kind, best.value, game.variant) - chance(*after, game.variant)
                loss = 0.0 if is_best else max(lost, 0.0)
                mates = best.kind == "mate" and best.value > 0
                kept = after[0] == "mate" and after[1] > 0
                missed = best.value if mates and not kept and not is_best else 0
                found.append(Judgement(ply, side, move, best, after, loss, missed))
    return found


def _end_score(position: BasePosition) -> tuple[str, int] | None:
    """If the game has ended, return its result as a score for the side that moved last. Otherwise return None."""
    end = position.outcome()
    if end is None:
        return None
    if end.winner is None:
        return "cp", 0
    return "mate", 1 if end.winner != position.turn else -1


def _score_after(
    lines: tuple[ScoredLine, ...], move: str, next_lines: tuple[ScoredLine, ...] | None, end: tuple[str, int] | None
) -> tuple[str, int] | None:
    """Return the score of the played move from its side's point of view. It is `end` (the score of the game's end) if
    the game ended, else the score of the move's line in `lines`, else the score from the search of the next position.
    Return None if all three are missing."""
    if end is not None:
        return end
    line = next((one for one in lines if one.moves[0] == move), None)
    if line is not None:
        return line.kind, line.value
    if not next_lines:
        return None
    reply = next_lines[0]
    if reply.kind == "mate":
        return "mate", 1 - reply.value if reply.value < 0 else -1 - reply.value  # one ply more, for the move itself
    return reply.kind, -reply.value


def accuracy(judgements: list[Judgement], side: int) -> float | None:
    """Return 100 minus the mean winning chance, in percent, that the moves of a side gave away. Return None if the side
    has no judged moves."""
    losses = [one.loss for one in judgements if one.side == side]
    return 100 * (1 - sum(losses) / len(losses)) if losses else None


def worst(judgements: list[Judgement]) -> list[Judgement]:
    """Return the judgements of mistakes, the worst one first."""
    return sorted((one for one in judgements if one.name), key=lambda one: (-one.severity, -one.loss, one.ply))
