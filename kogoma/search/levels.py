"""Playing weaker than one can: fewer nodes, and scores read inaccurately.

A limited engine searches so many nodes, several lines at once, and adds to each line's score a random number with a
normal distribution; the move of the line that then has the highest score is played. So a small error is made often and
a large one seldom, as people do. How many Elo a level is has been measured by matches in minishogi: docs/usi.md.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from random import Random
from typing import NamedTuple


class Level(NamedTuple):
    """How strong, in Elo above a player of random moves, and by what means: nodes a move, and the standard deviation
    of what is added to scores, in centipawns."""

    elo: int
    nodes: int
    noise: int


LEVELS = (
    Level(0, 1, 100000),
    Level(180, 1, 6000),
    Level(375, 1, 3000),
    Level(685, 1, 1500),
    Level(915, 1, 900),
    Level(1250, 1, 500),
    Level(1480, 1, 280),
    Level(1615, 1, 150),
    Level(1705, 600, 40),
    Level(2005, 2000, 30),
    Level(2310, 6000, 20),
    Level(2625, 20000, 10),
    Level(2865, 60000, 0),
)
WEAKEST, STRONGEST = LEVELS[0].elo, LEVELS[-1].elo
MOST = 3000  # centipawns; beyond, and where mate is seen, a position is won for the weakest, too


def level_of(elo: int) -> Level:
    """What gives that many Elo, from WEAKEST to STRONGEST: between two measured levels nodes and noise grow evenly by
    factors."""
    at = bisect.bisect_left([level.elo for level in LEVELS], elo)
    if LEVELS[at].elo == elo:
        return LEVELS[at]
    below, above = LEVELS[at - 1], LEVELS[at]
    part = (elo - below.elo) / (above.elo - below.elo)
    return Level(elo, _between(below.nodes, above.nodes, part), _between(below.noise, above.noise, part))


def _between(low: int, high: int, part: float) -> int:
    return round(math.exp(math.log(low + 1) * (1 - part) + math.log(high + 1) * part)) - 1


class Line(NamedTuple):
    """A line of the search: its moves, and its score in centipawns, infinite for a mate."""

    moves: Sequence[str]
    score: float


class Handicap:
    """One player of limited strength; `generator` makes its errors."""

    def __init__(self, elo: int, generator: Random) -> None:
        self._level, self._generator = level_of(elo), generator

    @property
    def nodes(self) -> int:
        """How many nodes a move gets."""
        return self._level.nodes

    @property
    def multipv(self) -> int:
        """How many lines are compared: as many as could be taken for the best one."""
        return 1 + self._level.noise // 10

    def choose(self, lines: Sequence[Line]) -> Line:
        """The line that looks best to this player; there must be one."""
        return max(lines, key=lambda line: self._generator.gauss(min(max(line.score, -MOST), MOST), self._level.noise))
