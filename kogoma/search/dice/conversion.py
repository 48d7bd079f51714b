"""Conversions between scores in centipawns and values (winning chances), by the curve in the thread struct."""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.rules.types import Score
from kogoma.search.dice.curve import TABLED
from kogoma.search.types import Thread, Value


@kernel
def value_of(thread: Thread, centipawns: Score) -> Value:
    """Convert a score in centipawns to a value (a winning chance)."""
    value = np.int64(thread.chance_curve[min(abs(centipawns), np.int64(TABLED - 1))])
    return value if centipawns >= 0 else -value


@kernel
def centipawns_of(thread: Thread, value: Value) -> Score:
    """Convert a value (a winning chance) to a score in centipawns: the smallest one with at least this value."""
    low = np.int64(0)
    high = np.int64(TABLED)
    while low < high:
        middle = (low + high) // np.int64(2)
        if thread.chance_curve[middle] < abs(value):
            low = middle + 1
        else:
            high = middle
    centipawns = min(low, np.int64(TABLED - 1))
    return centipawns if value >= 0 else -centipawns
