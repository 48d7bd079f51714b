"""The comparison of kernels' type aliases with the types that numba infers."""

from __future__ import annotations

import numpy as np
from numba import types

from kogoma.native.kernel import kernel
from kogoma.native.type_check import contradictions
from kogoma.native.types import Flag, Int
from kogoma.rules.types import Move, MoveList, Score


def test_contradictions_are_found() -> None:
    def worth(move: Move, moves: MoveList, quiet: Flag) -> Score:
        return moves[0] if quiet else move

    def count(moves: MoveList, first: Int) -> Int:
        return np.int64(moves[first])

    wrong, right = kernel(worth), kernel(count)
    wrong.compile((types.int64, types.int64[::1], types.int64))
    right.compile((types.uint16[::1], types.uint64))
    place = f"{__name__}.worth"
    assert contradictions([wrong, right]) == [
        f"{place}: move is int64, not uint64",
        f"{place}: moves is int64 array, not uint16 array",
        f"{place}: quiet is int64, not bool",
    ]
    wrong.compile((types.uint64, types.uint16[::1], types.boolean))
    assert f"{place}: return is uint64, not int64" in contradictions([wrong])
