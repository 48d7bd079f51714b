"""Bitboard operations for kernels: a bitboard is a uint64, or on larger boards an integer of 128 bits.

Kernels combine bitboards with `& | ^ ~` and use these functions for everything else. Each function emits LLVM
instructions for the width of its argument, so the same kernel source serves both widths.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, register_model

from kogoma.native.kernel import by_types

ZERO, ONE, TWO = np.uint64(0), np.uint64(1), np.uint64(2)
TRUE = ir.Constant(ir.IntType(1), 1)
WORD = ir.IntType(64)


class WideType(types.Type):
    """The numba type of a 128-bit bitboard."""

    def __init__(self) -> None:
        super().__init__("Wide")


@register_model(WideType)
class _WideModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, ir.IntType(128))


WIDE = WideType()


def _operation(result: Any = None) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator for functions that emit LLVM code. It turns such a function into a numba intrinsic with one
    bitboard argument. `result` is the numba type of the result; None means a bitboard of the argument's width."""

    def decorate(emit: Callable[..., Any]) -> Any:
        def typing(typing_context: Any, board: Any) -> Any:
            def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
                return emit(builder, args[0])

            return (result or board)(board), codegen

        return intrinsic(typing)

    return decorate


def _constant(board: Any, value: int) -> Any:
    return ir.Constant(board.type, value)


def _as_word(builder: Any, value: Any) -> Any:
    return value if value.type == WORD else builder.trunc(value, WORD)


@_operation(types.uint64)
def lsb(builder: Any, board: Any) -> Any:
    """Return the lowest square of a nonempty bitboard, as uint64."""
    return _as_word(builder, builder.cttz(board, TRUE))


@_operation()
def clear_lsb(builder: Any, board: Any) -> Any:
    """Return the bitboard without its lowest square."""
    return builder.and_(board, builder.sub(board, _constant(board, 1)))


@_operation(types.uint64)
def popcount(builder: Any, board: Any) -> Any:
    """Return the number of squares in the bitboard, as uint64."""
    return _as_word(builder, builder.ctpop(board))


@_operation(types.boolean)
def any_of(builder: Any, board: Any) -> Any:
    """Return whether the bitboard is not empty."""
    return builder.icmp_unsigned("!=", board, _constant(board, 0))


@_operation(types.boolean)
def more_than_one(builder: Any, board: Any) -> Any:
    """Return whether the bitboard has more than one square."""
    without_lowest = builder.and_(board, builder.sub(board, _constant(board, 1)))
    return builder.icmp_unsigned("!=", without_lowest, _constant(board, 0))


@_operation()
def empty_like(builder: Any, board: Any) -> Any:
    """Return an empty bitboard of the same width as `board`."""
    return _constant(board, 0)


@_operation()
def up_to_lowest(builder: Any, board: Any) -> Any:
    """Return the lowest square of `board` and all squares with a lower number, or all squares if `board` is empty."""
    return builder.xor(board, builder.sub(board, _constant(board, 1)))


@_operation()
def down_to_highest(builder: Any, board: Any) -> Any:
    """Return the highest square of `board` and all squares with a higher number, or all squares if `board` is empty."""
    if board.type == WORD:
        return _from_highest(builder, board)
    # Each word is shifted on its own, because shifts of 128 bits take many instructions.
    words = _words(builder, board)
    low, high = (_from_highest(builder, word) for word in words)
    zero = _constant(low, 0)
    return _joined(builder, builder.select(builder.icmp_unsigned("==", words[1], zero), low, zero), high)


def _from_highest(builder: Any, word: Any) -> Any:
    """Emit code that computes a word with ones from the highest bit of `word` upwards; all are ones if `word` is 0."""
    leading = builder.ctlz(builder.or_(word, _constant(word, 1)), TRUE)
    return builder.shl(_constant(word, -1), builder.sub(_constant(word, 63), leading))


def _words(builder: Any, board: Any) -> tuple[Any, Any]:
    """Emit code that splits a bitboard of 128 bits into its low and its high word."""
    return builder.trunc(board, WORD), builder.trunc(builder.lshr(board, _constant(board, 64)), WORD)


def _joined(builder: Any, low: Any, high: Any) -> Any:
    """Emit code that joins two words to a bitboard of 128 bits."""
    low, high = (builder.zext(word, ir.IntType(128)) for word in (low, high))
    return builder.or_(low, builder.shl(high, _constant(high, 64)))


@intrinsic
def _join(typing_context: Any, low: Any, high: Any) -> Any:
    """Return the 128-bit bitboard that consists of two uint64 words."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _joined(builder, *args)

    return WIDE(types.uint64, types.uint64), codegen


@_operation(types.uint64)
def _low(builder: Any, board: Any) -> Any:
    return _words(builder, board)[0]


@_operation(types.uint64)
def _high(builder: Any, board: Any) -> Any:
    return _words(builder, board)[1]


def load_bb(array: Any, *index: Any) -> Any:
    """Return the bitboard at `array[index]`. Only kernels can call this; `_load` is its implementation."""


@by_types(load_bb)
def _load(array: Any, *index: Any) -> Any:
    if len(index) == array.ndim:
        return lambda array, *index: array[index]
    return lambda array, *index: _join(array[index + (ZERO,)], array[index + (ONE,)])  # noqa: RUF005


def store_bb(array: Any, index: Any, board: Any) -> None:
    """Store `board` at `array[index]` of a one-dimensional array of bitboards. Only kernels can call this; `_store` is
    its implementation."""


@by_types(store_bb)
def _store(array: Any, index: Any, board: Any) -> Any:
    if board != WIDE:

        def store_one(array: Any, index: Any, board: Any) -> None:
            array[index] = board

        return store_one

    def store_wide(array: Any, index: Any, board: Any) -> None:
        array[index, ZERO] = _low(board)
        array[index, ONE] = _high(board)

    return store_wide


@_operation()
def _complement(builder: Any, board: Any) -> Any:
    return builder.not_(board)


def _overload(symbol: Any, name: str) -> None:
    """Implement a Python operator for 128-bit bitboards by the LLVM instruction `name`."""

    @intrinsic
    def combine(typing_context: Any, one: Any, other: Any) -> Any:
        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, name)(*args)

        return WIDE(WIDE, WIDE), codegen

    @by_types(symbol)
    def implement(one: Any, other: Any) -> Any:
        return (lambda one, other: combine(one, other)) if one == WIDE and other == WIDE else None


_overload(operator.and_, "and_")
_overload(operator.or_, "or_")
_overload(operator.xor, "xor")


@by_types(operator.invert)
def _invert(board: Any) -> Any:
    return (lambda board: _complement(board)) if board == WIDE else None
