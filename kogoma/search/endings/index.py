"""Kernels that number an ending of Onitama (`search.endings.tables`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.native.types import Int
from kogoma.search.endings.tables import FREE, UNKNOWN, Endings


@kernel
def lowest(squares: Int) -> Any:
    """Return the lowest square of a set that is not empty."""
    return np.int64(lsb(squares))


@kernel
def size(squares: Int) -> Any:
    """Return the number of squares in a set."""
    return np.int64(popcount(squares))


@kernel
def without(squares: Int, square: Int) -> Any:
    """Return a set of squares, numbered as if a square that is not in it did not exist."""
    below = (1 << square) - 1
    return squares & below | squares >> 1 & ~below


@kernel
def with_gap(squares: Int, square: Int) -> Any:
    """Return the set from which `without` made `squares`."""
    below = (1 << square) - 1
    return squares & below | (squares & ~below) << 1


@kernel
def at(table: Endings, distribution: Int, board: Int) -> Any:
    """Return the address of a position's entry."""
    return table.values + np.uint64(distribution * table.stride + board)


@kernel
def number_of(table: Endings, own_master: Int, other_master: Int, own: Int, other: Int) -> Any:
    """Return the number of a board as the side to move sees it, or UNKNOWN if the game has ended. `own` and `other` are
    the sets of students."""
    pair = table.pair[own_master, other_master]
    if pair == UNKNOWN:
        return pair
    low, high = min(own_master, other_master), max(own_master, other_master)
    own, other = without(without(own, high), low), without(without(other, high), low)
    students, others = size(own), size(other)
    number, count = 0, 0
    while own != 0:
        square = lowest(own)
        count += 1
        number += table.choose[count, square + count - 1]
        own, other = without(own & (own - 1), square), without(other, square)
    number = table.first[students, others] + number * table.choose[others, FREE - students] + rank(table, other)
    return pair * table.states + number


@kernel
def rank(table: Endings, squares: Int) -> Any:
    """Return the number of a set among all sets of as many squares."""
    number, count = 0, 0
    while squares != 0:
        count += 1
        number += table.choose[count, lowest(squares)]
        squares &= squares - 1
    return number
