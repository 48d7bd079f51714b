"""Winning chances: scores of a search in units of game results."""

from __future__ import annotations

import math

# Centipawns at which the odds are e to 1, fitted to games of self-play: `python -m benchmarks.measure_scales FOLDER`.
SCALES = {
    "shogi": 1340.0,
    "minishogi": 632.0,
    "minishogi-codingame": 773.0,
    "dice": 1557.0,
    "dice-hyper": 1212.0,
    "dice-codingame": 1557.0,
    "judkins": 699.0,
    "gorogoro": 544.0,
    "micro": 270.0,
    "kyoto": 403.0,
    "dobutsu": 270.0,
    "generals": 1481.0,
    "onitama": 40.0,
}
DEFAULT_SCALE = 700.0  # of custom variants


def chance(kind: str, value: int, variant: str) -> float:
    """Convert a score to a winning chance from 0 to 1. `kind` is "cp" or "mate", and `value` is in centipawns or
    plies."""
    if kind == "mate":
        return 1.0 if value > 0 else 0.0
    return 1 / (1 + math.exp(-max(min(value, 20000), -20000) / SCALES.get(variant, DEFAULT_SCALE)))
