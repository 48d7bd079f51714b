"""Judge the moves of a game by the winning chances that they gave away. `web/page/review/judge.js` does the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kogoma.rules.position import new_position
from kogoma.search.winning_chance import LOSSES, MISSED_MATE, MISTAKES, PHASES, winning_chance


@dataclass(frozen=True)
class Moves:
    """A game: its variant, its start as an SFEN, its moves in USI notation, and its die rolls if any."""

    variant: str
    start: str
    moves: tuple[str, ...]
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class ScoredLine:
    """A line of the search and its score for the side to move: `kind` "cp" or "mate", `value` centipawns or plies."""

    moves: tuple[str, ...]
    kind: str
    value: int
    depth: int


Known = dict[int, tuple[ScoredLine, ...]]  # lines by ply, best first; () if the game has ended


@dataclass(frozen=True)
class Judgement:
    """A judged move: its ply from 0, its side, and the scores before and after it, both from the point of view of its
    side. `loss` is the winning chance that it gave away (0 to 1). `missed_mate` is the number of plies of a mate that
    it missed, or 0; a move that wins nearly as surely, perhaps by a longer mate, has missed none."""

    ply: int
    side: int
    move: str
    best: ScoredLine
    after: tuple[str, int]
    loss: float
    missed_mate: int

    @property
    def severity(self) -> float:
        """The winning chance given away, but at least MISSED_MATE for a missed mate."""
        return max(self.loss, MISSED_MATE) if self.missed_mate else self.loss

    @property
    def name(self) -> str:
        """The kind of mistake: "blunder", "mistake" or "inaccuracy", or "" if the move is not a mistake."""
        return next((name for name, least in MISTAKES.items() if self.severity >= least), "")

    @property
    def is_wrong(self) -> bool:
        """Whether the move is a mistake or a blunder. Such moves become problems, and are wrong answers to them."""
        return self.severity >= MISTAKES["mistake"]


@dataclass(frozen=True)
class Summary:
    """The moves of a side. `accuracy` is 100 minus the mean loss in percent, `counts` has the number of mistakes of
    each kind, and `missed_mates` of missed mates. `phases` are the mean losses in the opening, the middle and the
    ending. `histogram` has the number of moves for each column of LOSSES. Means of no moves are None."""

    accuracy: float | None
    counts: dict[str, int]
    missed_mates: int
    phases: tuple[float | None, ...]
    histogram: tuple[int, ...]


def chance(kind: str, value: int, variant: str) -> float:
    """Convert a score to a winning chance from 0 to 1. `kind` is "cp" or "mate", and `value` is in centipawns or
    plies."""
    if kind == "mate":
        return 1.0 if value > 0 else 0.0
    return winning_chance(value, variant)


def judge(game: Moves, known: Known) -> list[Judgement]:
    """Return the judgements of a game's moves. A move is left out if it has no line in `known`."""
    first = new_position(game.variant, game.start).turn
    found = []
    for ply, move in enumerate(game.moves):
        lines = known.get(ply, ())
        line = next((line for line in lines if line.moves[0] == move), None)
        if line is not None:
            found.append(judgement(game.variant, ply, (first + ply) % 2, lines[0], line))
    return found


def judgement(variant: str, ply: int, side: int, best: ScoredLine, line: ScoredLine) -> Judgement:
    """Return the judgement of the first move of `line`, if `best` is the best line of the position before it."""
    lost = chance(best.kind, best.value, variant) - chance(line.kind, line.value, variant)
    missed = best.value if best.kind == "mate" and best.value > 0 and lost >= min(MISTAKES.values()) else 0
    return Judgement(ply, side, line.moves[0], best, (line.kind, line.value), max(lost, 0.0), missed)


def summary(judgements: Sequence[Judgement], side: int, plies: int) -> Summary:
    """Return the summary of a side's moves in a game of `plies` moves."""
    own = [one for one in judgements if one.side == side]
    mean = _mean([one.loss for one in own])
    steps = [sum(one.loss >= least for least in LOSSES) - 1 for one in own]
    return Summary(
        None if mean is None else 100 * (1 - mean),
        {name: sum(one.name == name for one in own) for name in MISTAKES},
        sum(one.missed_mate > 0 for one in own),
        tuple(_mean([one.loss for one in own if one.ply * PHASES // plies == phase]) for phase in range(PHASES)),
        tuple(steps.count(column) for column in range(len(LOSSES))),
    )


def _mean(losses: Sequence[float]) -> float | None:
    return sum(losses) / len(losses) if losses else None


def worst(judgements: Sequence[Judgement]) -> list[Judgement]:
    """Return the judgements of mistakes, the worst one first."""
    return sorted((one for one in judgements if one.name), key=lambda one: (-one.severity, -one.loss, one.ply))
