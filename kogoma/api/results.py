"""Scores, progress reports and results of searches, for scripts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import total_ordering

from kogoma.search import searcher


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score for the side to move. Either `centipawns` is set, or `mate`: the plies to mate, negative or 0 if the side
    to move is mated. `bound` is "" for an exact score, otherwise "lowerbound" or "upperbound". Scores can be
    compared; bounds count as exact.

    >>> Score(mate=-2) < Score(centipawns=30) < Score(mate=7) < Score(mate=3)
    True
    >>> str(Score(centipawns=30)), str(-Score(mate=3, bound="lowerbound"))
    ('cp 30', 'mate -3 upperbound')
    """

    centipawns: int | None = None
    mate: int | None = None
    bound: str = ""

    @classmethod
    def of(cls, kind: str, value: int, bound: str = "") -> Score:
        """Return the score that USI writes as `kind` ("cp" or "mate"), `value` (in centipawns or plies) and `bound`
        ("lowerbound", "upperbound" or "")."""
        return cls(mate=value, bound=bound) if kind == "mate" else cls(centipawns=value, bound=bound)

    def _order(self) -> tuple[int, int]:
        if self.mate is not None:
            return (1 if self.mate > 0 else -1), -self.mate
        return 0, self.centipawns or 0

    def __lt__(self, other: Score) -> bool:
        return self._order() < other._order()

    def __neg__(self) -> Score:
        """Return the score from the opponent's point of view."""
        bound = {"lowerbound": "upperbound", "upperbound": "lowerbound"}.get(self.bound, "")
        if self.mate is not None:
            return Score(mate=-self.mate, bound=bound)
        return Score(centipawns=-(self.centipawns or 0), bound=bound)

    def __str__(self) -> str:
        """Return the score as text in USI's notation."""
        text = f"cp {self.centipawns}" if self.mate is None else f"mate {self.mate}"
        return f"{text} {self.bound}".rstrip()


@dataclass(frozen=True)
class Info:
    """A progress report of a search: one line (`multipv`, from 1) of one depth. `time` is in ms, and `hashfull` is in
    thousandths. `pv` is the principal variation in USI notation."""

    depth: int
    seldepth: int
    multipv: int
    score: Score
    nodes: int
    nps: int
    hashfull: int
    time: int
    pv: list[str]


@dataclass(frozen=True)
class Result:
    """The result of a search. `best` is None if there is no legal move, "win" if a win is declared, and "resign" if an
    external engine resigns. `ponder` is the expected reply, `pv` is the principal variation, and `time` is in ms."""

    best: str | None
    ponder: str | None
    score: Score
    depth: int
    nodes: int
    pv: list[str]
    time: int = field(compare=False)


def info_of(found: searcher.Info) -> Info:
    """Convert the searcher's `Info` (a progress report) to the `Info` of this module."""
    score = Score.of(found.score_kind, found.score, found.bound)
    counts = found.nodes, found.nps, found.hashfull, found.time_ms
    return Info(found.depth, found.seldepth, found.multipv, score, *counts, found.pv)


def result_of(found: searcher.Result, pv: list[str], milliseconds: int) -> Result:
    """Convert the searcher's `Result` to the `Result` of this module. `pv` is the last principal variation that was
    reported, and `milliseconds` is the time of the search."""
    if pv[:1] != [found.best]:
        pv = [move for move in (found.best, found.ponder) if move]
    score = Score.of(found.score_kind, found.score)
    return Result(found.best, found.ponder, score, found.depth, found.nodes, pv, milliseconds)
