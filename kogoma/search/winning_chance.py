"""The winning chance that a score stands for, by variant."""

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
    "gorogoro": 544.0,
    "micro": 270.0,
    "kyoto": 403.0,
    "dobutsu": 270.0,
    "generals": 1481.0,
    "onitama": 40.0,
}
DEFAULT_SCALE = 700.0  # of custom variants
MOST = 20000  # centipawns; larger scores count as this


def winning_chance(centipawns: int, variant: str) -> float:
    """Return the expected result, from 0 (a loss) to 1 (a win; a draw counts as 0.5), of the side whose score this
    is."""
    return 1 / (1 + math.exp(-max(min(centipawns, MOST), -MOST) / SCALES.get(variant, DEFAULT_SCALE)))
