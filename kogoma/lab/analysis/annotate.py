"""What an analysis has found, written into the record of the game."""

from __future__ import annotations

from collections.abc import Sequence

from kogoma.lab.analysis.judge import Judgement
from kogoma.lab.analysis.page import remark, score_text
from kogoma.lab.kifu.game import Game, Line, Step

SHOWN = 10  # moves of a better line that become a variation


def annotate(game: Game, judgements: Sequence[Judgement]) -> None:
    """Add to every move its score as Black sees it, and to one that gave something away a remark and the better line as
    a variation."""
    for one in judgements:
        step = game.main.steps[one.ply]
        said = [step.comment, f"{score_text(*one.after, one.side)} depth {one.best.depth}", remark(one)]
        step.comment = "\n".join(part for part in said if part)
        if one.name:
            better = [Step(usi) for usi in one.best.moves[:SHOWN]]
            step.variations.append(Line(better))
