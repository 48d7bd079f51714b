"""The files that `analyse` writes for the board: the searched lines of games, and their mistakes as problems.

Problems of 9x9 shogi are in version 1 of ShogiHome's format `shogihome-next-move`. Those of other variants have the
same fields, and those of `_rules`, in the format `kogoma-next-move`. Scores in problems are Black's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kogoma.lab.analysis.judge import Judgement, Known, Moves, ScoredLine, judge, judgement
from kogoma.lab.kifu.game import Game
from kogoma.rules.position import new_position
from kogoma.search.winning_chance import MISTAKES
from kogoma.version import __version__

REVIEW, SHOGIHOME, OTHERS = "kogoma-review", "shogihome-next-move", "kogoma-next-move"  # names of formats
VERSION = 1
LONGEST = 10  # moves of a line in a file


def review_text(games: Sequence[tuple[Game, Moves, Known]]) -> str:
    """Return the games and the lines of their positions as JSON. The lines of each move are those of the position
    before it, as [moves, kind, value, depth]."""
    found = []
    for game, moves, known in games:
        outcome = game.outcome
        found.append({
            "variant": moves.variant,
            "start": moves.start,
            "moves": moves.moves,
            "dice": moves.dice,
            "names": [game.black, game.white],
            "end": {"winner": outcome.winner, "reason": outcome.reason} if outcome else None,
            "lines": [
                [[line.moves[:LONGEST], line.kind, line.value, line.depth] for line in known.get(ply, ())]
                for ply in range(len(moves.moves))
            ],
        })  # fmt: skip
    return _json({"format": REVIEW, "version": VERSION, "games": found})


def problems_text(games: Sequence[tuple[Game, Moves, Known]], engine: Mapping[str, Any]) -> str:
    """Return the mistakes and blunders of games as problems, in JSON. `engine` is the content of `metadata.engine`. A
    position that occurs again is left out."""
    found = {problem["sfen"]: problem for game in reversed(games) for problem in _problems(*game)}
    form = SHOGIHOME if all(moves.variant == "shogi" for _, moves, _ in games) else OTHERS
    described = {"appVersion": __version__, "engine": {"name": "Kogoma", **engine}, "criteria": _criteria()}
    return _json({"format": form, "version": VERSION, "metadata": described, "problems": [*reversed(found.values())]})


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _criteria() -> dict[str, int]:
    percent = round(100 * MISTAKES["mistake"])
    return {"winRateDropThreshold": percent, "acceptableWinRateDiff": percent}


def _problems(game: Game, moves: Moves, known: Known) -> Iterator[dict[str, Any]]:
    """Yield the problems of a game, the last one first."""
    position = new_position(moves.variant, moves.start)
    sfens = []
    for move in moves.moves:
        sfens.append(_without_number(position.sfen()))
        position.push(move)
    for one in reversed(judge(moves, known)):
        if one.is_wrong:
            ply = one.ply
            lines = [line for line in known[ply] if line.moves[0] != one.move]
            before = {"usi": moves.moves[ply - 1], "sfen": sfens[ply - 1]} if ply else None
            yield {
                "sfen": sfens[ply],
                **_rules(moves, ply),
                "candidates": [_candidate(moves.variant, one, line) for line in lines],
                "actualMove": {"usi": one.move, **_score(*one.after, one.side), "scoreSource": "research"},
                **({"previousMove": before} if before else {}),
                "source": {"ply": ply + 1, "blackPlayer": game.black, "whitePlayer": game.white},
            }


def _without_number(sfen: str) -> str:
    return " ".join([*sfen.split()[:-1], "1"])


def _rules(moves: Moves, ply: int) -> dict[str, Any]:
    """Return the fields that say by which rules a problem is played: none in 9x9 shogi."""
    if moves.variant == "shogi":
        return {}
    return {"variant": moves.variant, **({"dice": moves.dice[ply]} if moves.dice else {})}


def _candidate(variant: str, one: Judgement, line: ScoredLine) -> dict[str, Any]:
    """Return a line of a problem's position. Its first move is accepted if it is not a mistake."""
    accepted = not judgement(variant, one.ply, one.side, one.best, line).is_wrong
    score = {**_score(line.kind, line.value, one.side), "depth": line.depth}
    return {"usi": line.moves[0], **score, "accepted": accepted, "pv": line.moves[:LONGEST]}


def _score(kind: str, value: int, side: int) -> dict[str, int]:
    return {"mate" if kind == "mate" else "score": -value if side else value}
