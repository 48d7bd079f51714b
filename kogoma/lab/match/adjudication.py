"""Adjudication: games decided before their end, by the engines' scores or by length."""

from __future__ import annotations

from dataclasses import dataclass

from kogoma.lab.records.record import Score
from kogoma.rules.outcome import Outcome

MATE = 1_000_000  # what a mate counts as, in centipawns


@dataclass(frozen=True)
class Adjudication:
    """When a game is cut short; 0 plies or moves: never. Scores are in centipawns.

    `max_plies`: a draw after so many plies. Resignation: an engine's own score was `-resign_score` or worse in each of
    its last `resign_moves` moves (and its opponent's as good, if `resign_twosided`). A draw: after ply `draw_from` both
    scores were at most `draw_score` from 0 in the last `draw_moves` moves of each.
    """

    max_plies: int = 0
    resign_moves: int = 0
    resign_score: int = 0
    resign_twosided: bool = False
    draw_from: int = 0
    draw_moves: int = 0
    draw_score: int = 0


class Adjudicator:
    """Follows the scores of one game."""

    def __init__(self, settings: Adjudication) -> None:
        self._settings = settings
        self._losing, self._winning, self._level = [0, 0], [0, 0], 0  # moves in a row, and plies in a row

    def outcome(self, side: int, score: Score | None, plies: int) -> Outcome | None:
        """The decision, if there is one, after `side` moved with that score; `plies` have been played."""
        settings = self._settings
        value = None if score is None else _centipawns(score)
        if settings.resign_moves:
            lost = value is not None and value <= -settings.resign_score
            won = value is not None and value >= settings.resign_score
            self._losing[side] = self._losing[side] + 1 if lost else 0
            self._winning[side] = self._winning[side] + 1 if won else 0
            for loser in (side, 1 - side):
                agreed = self._winning[1 - loser] >= settings.resign_moves or not settings.resign_twosided
                if self._losing[loser] >= settings.resign_moves and agreed:
                    return Outcome(1 - loser, "adjudicated_win")
        if settings.draw_moves:
            level = value is not None and abs(value) <= settings.draw_score
            self._level = self._level + 1 if level else 0
            if plies >= settings.draw_from and self._level >= 2 * settings.draw_moves:
                return Outcome(None, "adjudicated_draw")
        if settings.max_plies and plies >= settings.max_plies:
            return Outcome(None, "max_moves")
        return None


def _centipawns(score: Score) -> int:
    if score.kind == "cp":
        return score.value
    return MATE if score.value > 0 else -MATE
