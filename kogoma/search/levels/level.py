"""Levels of strength: how many nodes a move gets, and how inaccurately scores are read.

How many Elo a step is has been measured by matches in minishogi: docs/usi.md.
"""

from __future__ import annotations

import bisect
import math
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
