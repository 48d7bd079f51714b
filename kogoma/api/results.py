"""Scores, progress reports and results of searches, for scripts."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import total_ordering

from kogoma.rules.variants import Variant, find
from kogoma.search import search
from kogoma.search.answers import LOWER_BOUND, UPPER_BOUND
from kogoma.search.winning_chance import winning_chance

_OPPOSITE = {"": "", LOWER_BOUND: UPPER_BOUND, UPPER_BOUND: LOWER_BOUND}
_BOUND_ORDER = {UPPER_BOUND: -1, "": 0, LOWER_BOUND: 1}


@total_ordering
@dataclass(frozen=True)
class Score:
    """A score for the side to move: either `centipawns` or `mate`, the number of plies to mate.

    `mate` is positive if the side to move mates, negative or 0 if it is mated. `mate_given` is true for the score of
    the side that has just mated its opponent: `mate` is 0, and it is the negation of `Score(mate=0)`. `bound` is "" for
    an exact score, "lowerbound" if the true score may be higher, "upperbound" if it may be lower.

    Scores are totally ordered: a faster mate is better, and of equal numbers, a lower bound is above the exact score,
    and an upper bound below it. The negation `-score` is the opponent's score, and reverses the order.

    >>> Score(mate=0) < Score(mate=-2) < Score(centipawns=30) < Score(mate=7) < Score(mate=3) < -Score(mate=0)
    True
    >>> str(Score(centipawns=30)), str(-Score(mate=3, bound="lowerbound")), str(-Score(mate=0))
    ('cp 30', 'mate -3 upperbound', 'mate +0')
    >>> -Score(40, bound="lowerbound")
    Score(centipawns=-40, bound='upperbound')
    """

    centipawns: int | None = None
    mate: int | None = None
    bound: str = ""
    mate_given: bool = False

    def __post_init__(self) -> None:
        """Raise ValueError unless exactly one of `centipawns` and `mate` is given, and for an invalid `bound` or
        `mate_given`; TypeError if a number is not whole."""
        if (self.centipawns is None) == (self.mate is None):
            raise ValueError("a Score needs either centipawns or mate")
        for name, value in (("centipawns", self.centipawns), ("mate", self.mate)):
            if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
                raise TypeError(f"{name} must be a whole number, not {value!r:.40}")
        if self.bound not in _OPPOSITE:
            raise ValueError(f"bound must be '', {LOWER_BOUND!r} or {UPPER_BOUND!r}, not {self.bound!r:.40}")
        if self.mate_given and self.mate != 0:
            raise ValueError("mate_given is only for mate=0")

    def _order(self) -> tuple[int, int, int]:
        bound = _BOUND_ORDER[self.bound]
        if self.mate is None:
            return 0, self.centipawns or 0, bound
        return (1 if self.mate > 0 or self.mate_given else -1), -self.mate, bound

    def __lt__(self, other: Score) -> bool:
        return self._order() < other._order() if isinstance(other, Score) else NotImplemented

    def __neg__(self) -> Score:
        """Return the score from the opponent's point of view."""
        bound = _OPPOSITE[self.bound]
        if self.mate is None:
            return Score(centipawns=-(self.centipawns or 0), bound=bound)
        return Score(mate=-self.mate, bound=bound, mate_given=self.mate == 0 and not self.mate_given)

    def to_centipawns(self, *, mate: int = 100_000) -> int:
        """Return the score as a number of centipawns. A mate now is worth `mate` centipawns, a mate in n plies `mate` -
        n, and for the side that is mated, the value is negated.

        >>> [Score(mate=plies).to_centipawns(mate=10_000) for plies in (3, -2, 0)], Score(30).to_centipawns()
        ([9997, -9998, -10000], 30)
        """
        if self.mate is None:
            return self.centipawns or 0
        return mate - self.mate if self.mate > 0 or self.mate_given else -mate - self.mate

    def winning_chance(self, variant: Variant | str) -> float:
        """Return the expected result of a game of a variant at this score: 1 is a win, 0.5 a draw, 0 a loss. Raises
        ValueError for an unknown variant.

        >>> round(Score(200).winning_chance("minishogi"), 2), Score(mate=-4).winning_chance("onitama")
        (0.58, 0.0)
        """
        variant = find(variant) if isinstance(variant, str) else variant
        if self.mate is None:
            return winning_chance(self.centipawns or 0, variant.name)
        return 1.0 if self.mate > 0 or self.mate_given else 0.0

    def __repr__(self) -> str:
        given = ((each.name, getattr(self, each.name), each.default) for each in fields(self))
        return f"Score({', '.join(f'{name}={value!r}' for name, value, default in given if value != default)})"

    def __str__(self) -> str:
        """Return the score as text in USI's notation."""
        mate = "+0" if self.mate_given else self.mate
        text = f"cp {self.centipawns}" if self.mate is None else f"mate {mate}"
        return f"{text} {self.bound}".rstrip()


@dataclass(frozen=True)
class Info:
    """A progress report of a search: one line (`multipv`, from 1) of one depth. `depth` and `seldepth` are in plies,
    `nps` is in nodes per second, `time` in ms, and `hashfull`, the used part of the transposition table, in
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
    external engine resigns. `ponder` is the expected reply, `pv` is the principal variation, and `time` is in ms.
    Without a legal move, `score` is `Score(mate=0)`, or its negation if the side to move has won."""

    best: str | None
    ponder: str | None
    score: Score
    depth: int
    nodes: int
    pv: list[str]
    time: int = field(compare=False)


def info_of(found: search.Info) -> Info:
    """Convert the searcher's `Info` (a progress report) to the `Info` of this module."""
    counts = found.nodes, found.nps, found.hashfull, found.time_ms
    return Info(found.depth, found.seldepth, found.multipv, _score_of(found), *counts, found.pv)


def result_of(found: search.Result, pv: list[str], milliseconds: int) -> Result:
    """Convert the searcher's `Result` to the `Result` of this module. `pv` is the last principal variation that was
    reported, and `milliseconds` is the time of the search."""
    if pv[:1] != [found.best]:
        pv = [move for move in (found.best, found.ponder) if move]
    return Result(found.best, found.ponder, _score_of(found), found.depth, found.nodes, pv, milliseconds)


def _score_of(found: search.Info | search.Result) -> Score:
    if found.score_kind == "mate":
        return Score(mate=found.score, bound=found.bound)
    return Score(centipawns=found.score, bound=found.bound)
