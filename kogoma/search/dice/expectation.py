"""The exact arithmetic of chance nodes: the expected value, its inverse, and the windows of Star1.

A legal move belongs to one file. Faces name five files at most; on a wider board the moves to all others belong to one
more, which has the number NAMED. With G named files that have moves, G faces of the die name one of them each, and the
other 6 - G leave the choice among all: the sum over the faces is that of the named files' best values plus 6 - G times
the best of all. Bounds of the files therefore bound the sum, and a window for the sum is a window for each file
(Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes", 1983).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.search.dice.values import DENOMINATOR, FACES, FULL, NAMED, NUMERATOR


@kernel
def expected(total: Any) -> Any:
    """The value before the throw, from the sum of the six faces' values: their mean less the price of a ply, rounded
    towards 0."""
    value = abs(total) * NUMERATOR // DENOMINATOR
    return value if total >= 0 else -value


@kernel
def at_least(value: Any) -> Any:
    """The least sum whose expected value is `value` or more."""
    if value > 0:
        return (value * DENOMINATOR + NUMERATOR - 1) // NUMERATOR
    return -(((1 - value) * DENOMINATOR - 1) // NUMERATOR)


@kernel
def sum_of(bounds: Any, turn: Any, files: Any) -> Any:
    """The sum over the six faces, given each file's value."""
    total = np.int64(0)
    best = np.int64(-FULL - 1)
    free = np.int64(FACES)
    i = ZERO
    while i < files:
        value = bounds[turn[i]]
        if turn[i] < NAMED:
            total += value
            free -= 1
        best = max(best, value)
        i += ONE
    return total + free * best


@kernel
def solve(bounds: Any, turn: Any, files: Any, file: Any, goal: Any) -> Any:
    """The real x, as (numerator, denominator), at which the sum reaches `goal` if that file's value is x; less than any
    value where the other files reach more without it."""
    total = np.int64(0)
    best = np.int64(-FULL - 1)
    free = np.int64(FACES)
    i = ZERO
    while i < files:
        if turn[i] < NAMED:
            free -= 1
        if turn[i] != file:
            value = bounds[turn[i]]
            if turn[i] < NAMED:
                total += value
            best = max(best, value)
        i += ONE
    rest = goal - total
    if file >= NAMED:
        if rest < free * best:
            return np.int64(-FULL - 2), np.int64(1)
        return rest, free
    if rest - free * best <= best:
        return rest - free * best, np.int64(1)
    return rest, free + 1


@kernel
def window_low(hi: Any, turn: Any, files: Any, file: Any, goal: Any) -> Any:
    """The greatest value of a file with which the sum can't exceed `goal`, given upper bounds of the others."""
    numerator, denominator = solve(hi, turn, files, file, goal)
    return max(numerator // denominator, np.int64(-FULL - 1))


@kernel
def window_high(lo: Any, turn: Any, files: Any, file: Any, goal: Any) -> Any:
    """The least value of a file with which the sum is sure to reach `goal`, given lower bounds of the others."""
    numerator, denominator = solve(lo, turn, files, file, goal)
    return min(-(-numerator // denominator), np.int64(FULL + 1))
