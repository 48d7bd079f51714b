"""The levels of limited strength: fewer nodes, and random errors in the scores.

A limited engine searches a fixed number of nodes with several lines, adds a normally distributed random number to each
line's score, and plays the line with the highest sum (`search.limited_strength`). Small errors are thus frequent and
large ones rare, as with human players. The Elo of each level was measured in minishogi matches: docs/usi.md.
"""

from __future__ import annotations

import bisect
import math
from typing import NamedTuple

from kogoma.rules.variants import Die, Variant


class Level(NamedTuple):
    """A level: Elo above a random mover in minishogi, nodes per move, and the standard deviation of the score errors in
    centipawns."""

    elo: int
    nodes: int
    noise: int


LEVELS = (
    Level(0, 1, 100000),
    Level(340, 1, 3000),
    Level(870, 1, 1200),
    Level(1295, 1, 500),
    Level(1595, 1, 200),
    Level(1860, 800, 60),
    Level(2220, 4000, 40),
    Level(2535, 15000, 25),
    Level(2755, 60000, 12),
)
"""The levels by number: 0 moves at random, 1 to 8 are offered by name."""

# A die decides part of each game: from random to full strength there are only 1,000 to 1,200 Elo.
LEVELS_WITH_DIE = tuple(
    level._replace(nodes=nodes, noise=noise)
    for level, (nodes, noise) in zip(
        LEVELS,
        ((1, 100000), (1, 5500), (1, 3000), (1, 2000), (1, 1450), (1, 1050), (1, 700), (1, 350), (60000, 12)),
        strict=True,
    )
)
"""The levels in variants with a die: the same numbers and `elo` as LEVELS, but about 100 Elo apart. Only level 8
searches more than one node; it is about 300 Elo stronger than level 7."""

WEAKEST, STRONGEST = LEVELS[0].elo, LEVELS[-1].elo


def levels_of(variant: Variant) -> tuple[Level, ...]:
    """Return the levels of a variant, indexed by level number. A level has the same `elo` in every variant."""
    return LEVELS if variant.die is Die.NONE else LEVELS_WITH_DIE


def level_of(variant: Variant, elo: int) -> Level:
    """Return the level with the given Elo, which must be between WEAKEST and STRONGEST. Between two measured levels,
    nodes and noise are interpolated geometrically."""
    levels = levels_of(variant)
    at = bisect.bisect_left([level.elo for level in levels], elo)
    if levels[at].elo == elo:
        return levels[at]
    below, above = levels[at - 1], levels[at]
    part = (elo - below.elo) / (above.elo - below.elo)
    return Level(elo, _between(below.nodes, above.nodes, part), _between(below.noise, above.noise, part))


def _between(low: int, high: int, part: float) -> int:
    """Return the geometric interpolation between two numbers: `low` for `part` 0, `high` for `part` 1."""
    return round(math.exp(math.log(low + 1) * (1 - part) + math.log(high + 1) * part)) - 1
