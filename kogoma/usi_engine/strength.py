"""Playing weaker than one can: fewer nodes, and scores read inaccurately.

A limited engine searches so many nodes, several lines at once, and adds to each line's score a random number with a
normal distribution; the move of the line that then has the highest score is played. So a small error is made often and
a large one seldom, as people do. The levels: `search.levels.level`.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from kogoma.search.levels.level import level_of

MOST = 3000  # centipawns; beyond, and where mate is seen, a position is won for the weakest, too


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
