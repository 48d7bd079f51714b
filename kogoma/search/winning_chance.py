"""The winning chance that a score stands for, by variant, and how much of it a move must give away to be a mistake."""

from __future__ import annotations

import math

# Centipawns at which the odds are e to 1, fitted to games of self-play: `python -m benchmarks.measure_scales FOLDER`.
# The search of variants with a die has a curve of its own (`search.dice.curve`), which was tuned for strength.
SCALES = {
    "shogi": 1340.0,
    "minishogi": 632.0,
    "minishogi-codingame": 773.0,
    "dice": 1275.0,
    "dice-hyper": 1212.0,
    "dice-codingame": 1275.0,
    "judkins": 699.0,
    "66shogi": 1409.0,
    "gorogoro": 544.0,
    "micro": 270.0,
    "kyoto": 403.0,
    "dobutsu": 270.0,
    "generals": 1481.0,
    "onitama": 40.0,
}
DEFAULT_SCALE = 700.0  # of custom variants
MOST = 20000  # centipawns; larger scores count as this

# The kinds of mistakes, the worst first: the winning chance that such a move gives away at least.
MISTAKES = {"blunder": 0.3, "mistake": 0.15, "inaccuracy": 0.07}
MISSED_MATE = 0.5  # a missed mate counts as a loss of at least this much
LOSSES = (0.0, 0.02, 0.07, 0.15, 0.3)  # the smallest loss of each column of a histogram
PHASES = 3  # opening, middle and ending: equal parts of a game's moves
# A move that seems to be at least this kind of mistake is searched again, this many times as long: first all mistakes,
# then those that still seem worse than inaccuracies, because they become problems.
DOUBTS = {"inaccuracy": 4, "mistake": 16}


def scale_of(variant: str) -> float:
    """Return the centipawns at which the odds are e to 1."""
    return SCALES.get(variant, DEFAULT_SCALE)


def winning_chance(centipawns: int, variant: str) -> float:
    """Return the expected result, from 0 (a loss) to 1 (a win; a draw counts as 0.5), of the side whose score this
    is."""
    return 1 / (1 + math.exp(-max(min(centipawns, MOST), -MOST) / scale_of(variant)))
