"""Integer arithmetic with interval analysis: the resulting node, its interval, and masks only where needed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from kogoma.arena.export.translator.values import (
    HALF,
    WORD,
    Bool,
    Int,
    Untranslatable,
    as_integer,
    integer,
    limits,
    truth,
)

# Comparison: function, comparison with swapped operands, negated comparison.
COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[int, int], bool], type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Eq: (operator.eq, ast.Eq, ast.NotEq),
    ast.NotEq: (operator.ne, ast.NotEq, ast.Eq),
    ast.Lt: (operator.lt, ast.Gt, ast.GtE),
    ast.LtE: (operator.le, ast.GtE, ast.Gt),
    ast.Gt: (operator.gt, ast.Lt, ast.LtE),
    ast.GtE: (operator.ge, ast.LtE, ast.Lt),
}


# Operations whose extremes are reached at the ends of the operands' intervals.
MONOTONE: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.FloorDiv: operator.floordiv,
}


def exact(value: Int) -> Int:
    """If `value` may be outside the range of its type, return it reduced modulo 2**64. Otherwise return it
    unchanged."""
    if value.exact:
        return value
    if value.known is not None:
        return integer(value.known % WORD, True)
    return Int(ast.BinOp(value.node, ast.BitAnd(), ast.Constant(WORD - 1)), True, 0, WORD - 1)


def _bits(high: int) -> int:
    return (1 << high.bit_length()) - 1


def combine(one: Int, operation: ast.operator, other: Int) -> Int:
    """Return the result of a binary operation."""
    if one.unsigned != other.unsigned:
        raise Untranslatable(
            f"signed and unsigned numbers are mixed in {ast.unparse(ast.BinOp(one.node, operation, other.node))}"
        )
    unsigned = one.unsigned
    if isinstance(operation, ast.RShift | ast.FloorDiv | ast.Mod):
        one, other = exact(one), exact(other)
    low, high = _interval(one, operation, other, unsigned)
    if one.known is not None and other.known is not None:
        return integer(low, unsigned)
    if low == high and not _has_call(one.node) and not _has_call(other.node):
        return integer(low, unsigned)
    return Int(ast.BinOp(one.node, operation, other.node), unsigned, low, high)


def _has_call(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _interval(one: Int, operation: ast.operator, other: Int, unsigned: bool) -> tuple[int, int]:
    a, b, c, d = one.low, one.high, other.low, other.high
    if isinstance(operation, ast.LShift):
        c, d = max(c, 0), min(d, 63)  # shifts by other numbers are undefined
    elif isinstance(operation, ast.RShift):
        d = min(d, 64)
    elif isinstance(operation, ast.FloorDiv) and c <= 0 <= d:
        return min(a, -b, -abs(a)), max(b, -a)
    elif isinstance(operation, ast.Mod):
        if c == d and c > 0:
            return (a % c, a % c) if a == b else (0, c - 1)
        return (0, d) if c >= 0 else (-HALF, HALF - 1)
    if (found := MONOTONE.get(type(operation))) is not None:
        corners = [found(left, right) for left in (a, b) for right in (c, d)]
        return min(corners), max(corners)
    if one.known is not None and other.known is not None:
        result = a & c if isinstance(operation, ast.BitAnd) else a | c if isinstance(operation, ast.BitOr) else a ^ c
        return result, result
    if isinstance(operation, ast.BitAnd):
        if a >= 0 and c >= 0:
            return 0, min(b, d)
        if a >= 0 or c >= 0:
            return 0, b if a >= 0 else d
        return -WORD if unsigned else -HALF, max(b, d, 0)
    if a >= 0 and c >= 0:
        return (max(a, c) if isinstance(operation, ast.BitOr) else 0), _bits(max(b, d))
    return (-WORD, WORD - 1) if unsigned else (-HALF, HALF - 1)


def complement(value: Int) -> Int:
    """Return ~value."""
    if value.known is not None:
        return integer(~value.known, value.unsigned)
    return Int(ast.UnaryOp(ast.Invert(), value.node), value.unsigned, ~value.high, ~value.low)


def negative(value: Int) -> Int:
    """Return -value."""
    if value.known is not None:
        return integer(-value.known, value.unsigned)
    return Int(ast.UnaryOp(ast.USub(), value.node), value.unsigned, -value.high, -value.low)


def convert(value: Int | Bool, dtype: np.dtype[Any]) -> Int:
    """Return the value converted to a numpy integer type."""
    if isinstance(value, Bool):
        value = as_integer(value)
    unsigned, low, high = limits(dtype)
    if dtype.itemsize == 8 and unsigned:
        return (
            exact(Int(value.node, True, value.low, value.high)) if value.known is None else integer(value.known, True)
        )
    if low <= value.low and value.high <= high:
        return Int(value.node, unsigned, value.low, value.high)
    size = high - low + 1
    if value.known is not None:
        return integer((value.known - low) % size + low, unsigned)
    if not low:
        return Int(ast.BinOp(value.node, ast.BitAnd(), ast.Constant(high)), unsigned, low, high)
    if not value.unsigned and dtype.itemsize >= 4:
        return Int(value.node, False, max(low, value.low), min(high, value.high))  # signed numbers never overflow
    kept = ast.BinOp(value.node, ast.BitAnd(), ast.Constant(size - 1))
    turned = ast.BinOp(kept, ast.BitXor(), ast.Constant(-low))
    return Int(ast.BinOp(turned, ast.Sub(), ast.Constant(-low)), unsigned, low, high)


def element(value: Int | Bool, dtype: np.dtype[Any]) -> Int:
    """Return the value as it is stored in an array of the given type."""
    return exact(convert(value, dtype))


def compare(one: Int, kind: ast.cmpop, other: Int) -> Bool:
    """Return the Bool for a comparison: a known value if the intervals of the operands decide it, otherwise the
    simplified expression."""
    one, other = exact(one), exact(other)
    test, mirrored, _ = COMPARISONS[type(kind)]
    if one.known is not None and other.known is not None:
        return truth(test(one.known, other.known))
    if not (_has_call(one.node) or _has_call(other.node)):
        if one.high < other.low or one.low > other.high:
            return truth(test(one.low, other.low))
        if isinstance(kind, ast.LtE | ast.Gt) and one.high <= other.low:
            return truth(isinstance(kind, ast.LtE))
        if isinstance(kind, ast.GtE | ast.Lt) and one.low >= other.high:
            return truth(isinstance(kind, ast.GtE))
    if one.known is not None:
        one, other, kind = other, one, mirrored()
    node = ast.Compare(one.node, [kind], [other.node])
    if other.known == 0 and isinstance(kind, ast.NotEq):
        return Bool(node, one.node)
    if other.known == 0 and isinstance(kind, ast.Eq):
        return Bool(node, ast.UnaryOp(ast.Not(), one.node))
    return Bool(node, node)


def opposite(value: Bool) -> Bool:
    """Return `not value`."""
    if value.known is not None:
        return truth(not value.known)
    if isinstance(value.node, ast.Compare) and len(value.node.ops) == 1:
        *_, denied = COMPARISONS[type(value.node.ops[0])]
        node = ast.Compare(value.node.left, [denied()], value.node.comparators)
        return Bool(node, node if value.truth is value.node else ast.UnaryOp(ast.Not(), value.truth))
    node_not = ast.UnaryOp(ast.Not(), value.truth)
    return Bool(node_not, node_not)


def test_of(value: Int | Bool) -> Bool:
    """Return the condition that the value is not 0, or the value itself if it is a condition."""
    if isinstance(value, Bool):
        return value
    return compare(value, ast.NotEq(), integer(0, value.unsigned))
