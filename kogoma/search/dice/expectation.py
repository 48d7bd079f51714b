"""Exact arithmetic of chance nodes: the expected value, its inverse, and the windows of Star1.

Every legal move belongs to the file on which it ends. Faces of the die name at most five files; on a wider board the
other files together form one more, number NAMED. If G of the named files have moves, G faces allow one file each, and
the other 6 - G faces allow every move. The sum over the faces is the sum of the named files' best values plus 6 - G
times the best of all. Bounds of the files therefore bound the sum, and a window for the sum gives a window for each
file (Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes", 1983).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.native.types import Int, IntArray
from kogoma.rules.variants import FACES
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.values import DENOMINATOR, NAMED, NUMERATOR
from kogoma.search.types import Value


@kernel
def expected(total: Value) -> Value:
    """Return the value before the roll: the mean of the values of the six faces, reduced by the discount for one ply
    and rounded towards 0. `total` is the sum of these six values."""
    value = abs(total) * NUMERATOR // DENOMINATOR
    return value if total >= 0 else -value


@kernel
def smallest_sum(value: Value) -> Any:
    """Return the smallest sum of the values of the six faces for which `expected` is at least `value`."""
    if value > 0:
        return (value * DENOMINATOR + NUMERATOR - 1) // NUMERATOR
    return -(((1 - value) * DENOMINATOR - 1) // NUMERATOR)


@kernel
def sum_of_faces(bounds: IntArray, file_order: IntArray, files: Int) -> Any:
    """Return the sum of the values of the six die faces. `bounds` holds the best value of the moves to each file of the
    board. `file_order` lists the files to which moves are legal, and `files` is their number."""
    total = np.int64(0)
    best = np.int64(-FULL - 1)
    free = np.int64(FACES)
    for i in range(files):
        value = bounds[file_order[i]]
        if file_order[i] < NAMED:
            total += value
            free -= 1
        best = max(best, value)
    return total + free * best


@kernel
def least_value(bounds: IntArray, file_order: IntArray, files: Int, file: Int, goal: Value) -> Any:
    """Let x be the best value of the moves to the board's file `file`. Return, as (numerator, denominator), the x with
    which the sum of the values of the six die faces is `goal`. If the sum exceeds `goal` for every x, return a number
    below every possible value. `bounds` holds the best values of the moves to the other files."""
    total = np.int64(0)
    best = np.int64(-FULL - 1)
    free = np.int64(FACES)
    for i in range(files):
        if file_order[i] < NAMED:
            free -= 1
        if file_order[i] != file:
            value = bounds[file_order[i]]
            if file_order[i] < NAMED:
                total += value
            best = max(best, value)
    rest = goal - total
    if file >= NAMED:
        if rest < free * best:
            return np.int64(-FULL - 2), np.int64(1)
        return rest, free
    if rest - free * best <= best:
        return rest - free * best, np.int64(1)
    return rest, free + 1


@kernel
def window_low(hi: IntArray, file_order: IntArray, files: Int, file: Int, goal: Value) -> Any:
    """Return the lower window bound for searching the moves to the board's file `file`. If none of these moves has a
    higher value than this bound, the sum of the values of the six die faces cannot exceed `goal`. `hi` holds upper
    bounds of the best values of the moves to the other files. `file_order` lists the files to which moves are legal,
    and `files` is their number."""
    numerator, denominator = least_value(hi, file_order, files, file, goal)
    return max(numerator // denominator, np.int64(-FULL - 1))


@kernel
def window_high(lo: IntArray, file_order: IntArray, files: Int, file: Int, goal: Value) -> Any:
    """Return the upper window bound for searching the moves to the board's file `file`. If one of these moves has at
    least this bound as its value, the sum of the values of the six die faces certainly reaches `goal`. `lo` holds lower
    bounds of the best values of the moves to the other files. `file_order` lists the files to which moves are legal,
    and `files` is their number."""
    numerator, denominator = least_value(lo, file_order, files, file, goal)
    return min(-(-numerator // denominator), np.int64(FULL + 1))
