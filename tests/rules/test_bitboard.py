"""The operations on bitboards of both widths, compared with operations on Python's integers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.kernel_entries import scratch_dtype
from support.kernels import entries_library as library
from support.scope import count

pytestmark = pytest.mark.slow

WIDTHS = {"64": 64, "128": 128}
EVERY_BIT = {layout: (1 << width) - 1 for layout, width in WIDTHS.items()}
Boards = st.integers(0, EVERY_BIT["128"]) | st.sets(st.integers(0, 127), max_size=4).map(
    lambda squares: sum(1 << square for square in squares)
)


def words(board: int, layout: str) -> int | list[int]:
    """Return a bitboard in the form in which a struct stores it: as one integer, or as two integers of 64 bits each."""
    return board if layout == "64" else [board & EVERY_BIT["64"], board >> 64]


def from_words(stored: np.ndarray[tuple[int, ...], np.dtype[np.uint64]]) -> int:
    return sum(int(word) << 64 * number for number, word in enumerate(np.atleast_1d(stored)))


OPERATIONS: list[Callable[[int, int, int], int]] = [  # functions of two boards and of the board with all bits set
    lambda one, other, every: one & (one - 1) if one else 0,
    lambda one, other, every: one & -one | (one & -one) - 1 if one else every,
    lambda one, other, every: every - (1 << one.bit_length() - 1) + 1 if one else every,
    lambda one, other, every: one & other,
    lambda one, other, every: one | other,
    lambda one, other, every: one ^ other,
    lambda one, other, every: every - one,
    lambda one, other, every: 0,
]
NAMES = ("clear_lsb", "up_to_lowest", "down_to_highest", "&", "|", "^", "~", "empty_like")
UNTOUCHED = 999


@pytest.mark.parametrize("layout", WIDTHS)
@settings(max_examples=count(500, 100), deadline=None)
@given(one=Boards, other=Boards)
@example(one=0, other=0)
@example(one=EVERY_BIT["128"], other=1 << 127)
@example(one=1 << 63, other=1 << 64)
@example(one=1 << 64, other=1 << 63)
@example(one=1, other=1 << 127)
def test_operations_equal_those_of_integers(layout: str, one: int, other: int) -> None:
    every = EVERY_BIT[layout]
    one, other = one & every, other & every
    scratch = np.zeros(1, scratch_dtype(layout))
    scratch[0]["given"][0], scratch[0]["given"][1] = words(one, layout), words(other, layout)
    scratch[0]["number"][3] = UNTOUCHED
    library(layout)("bitboard_operations", scratch)
    boards = [from_words(board) for board in scratch[0]["board"]]
    assert dict(zip(NAMES, boards)) == {
        name: operation(one, other, every) for name, operation in zip(NAMES, OPERATIONS)
    }
    popcount, any_of, more_than_one, lsb = scratch[0]["number"].tolist()
    assert (popcount, any_of, more_than_one) == (one.bit_count(), one != 0, one.bit_count() > 1)
    assert lsb == ((one & -one).bit_length() - 1 if one else UNTOUCHED)
    assert [from_words(board) for board in scratch[0]["given"]] == [one, other]
