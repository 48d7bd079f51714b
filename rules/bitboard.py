"""One set of bitboard operations for every width. At width 64 a bitboard is a uint64.

Kernels combine bitboards with `& | ^ ~` and use these functions for everything else, so that numba picks the
implementation by type. Each function here is only a name; its bodies are the overloads below it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

ONE = np.uint64(1)


@intrinsic
def _trailing_zeros(typing_context: Any, word: Any) -> Any:
    """uint64 -> uint64; undefined for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def _leading_zeros(typing_context: Any, word: Any) -> Any:
    """uint64 -> uint64; undefined for 0."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.uint64(types.uint64), codegen


@intrinsic
def _population(typing_context: Any, word: Any) -> Any:
    """uint64 -> uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


def load(array: Any, *index: Any) -> Any:
    """The bitboard at array[index]."""


@overload(load, strict=False)
def _load(array: Any, *index: Any) -> Any:
    if len(index) == array.ndim:
        return lambda array, *index: array[index]
    return None


def store(array: Any, index: Any, board: Any) -> None:
    """array[index] = board, for a one-dimensional array of bitboards."""


@overload(store, strict=False)
def _store(array: Any, index: Any, board: Any) -> Any:
    if board == types.uint64:

        def store(array: Any, index: Any, board: Any) -> None:
            array[index] = board

        return store
    return None


def scan(board: Any) -> Any:
    """The lowest square of a board that is not empty, as uint64."""


@overload(scan, strict=False)
def _scan(board: Any) -> Any:
    return (lambda board: _trailing_zeros(board)) if board == types.uint64 else None


def rest(board: Any) -> Any:
    """The board without its lowest square."""


@overload(rest, strict=False)
def _rest(board: Any) -> Any:
    return (lambda board: board & (board - ONE)) if board == types.uint64 else None


def count(board: Any) -> Any:
    """How many squares are set, as uint64."""


@overload(count, strict=False)
def _count(board: Any) -> Any:
    return (lambda board: _population(board)) if board == types.uint64 else None


def any_of(board: Any) -> Any:
    """True if any square is set."""


@overload(any_of, strict=False)
def _any_of(board: Any) -> Any:
    return (lambda board: board != np.uint64(0)) if board == types.uint64 else None


def several(board: Any) -> Any:
    """True if more than one square is set."""


@overload(several, strict=False)
def _several(board: Any) -> Any:
    return (lambda board: (board & (board - ONE)) != np.uint64(0)) if board == types.uint64 else None


def none_of(board: Any) -> Any:
    """An empty bitboard of the same width as `board`."""


@overload(none_of, strict=False)
def _none_of(board: Any) -> Any:
    return (lambda board: np.uint64(0)) if board == types.uint64 else None


def up_to_lowest(board: Any) -> Any:
    """All squares up to and including the lowest one set; every square if none is."""


@overload(up_to_lowest, strict=False)
def _up_to_lowest(board: Any) -> Any:
    return (lambda board: board ^ (board - ONE)) if board == types.uint64 else None


def down_to_highest(board: Any) -> Any:
    """All squares down to and including the highest one set; every square if none is."""


@overload(down_to_highest, strict=False)
def _down_to_highest(board: Any) -> Any:
    if board == types.uint64:
        return lambda board: ~np.uint64(0) << (np.uint64(63) - _leading_zeros(board | ONE))
    return None
