"""The known properties of values during the translation: integers with type and interval, conditions, structs, arrays.

An unsigned value may be represented by any integer that equals it modulo 2**64; its interval then extends below 0 or
beyond 2**64. It is reduced only where that matters (`translator.fold.integers`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

WORD = 1 << 64
HALF = 1 << 63
INDEX_LIMIT = 1 << 32  # indices are smaller than this


class Untranslatable(ValueError):
    """A kernel uses something that has no translation; the message names the place."""


@dataclass(frozen=True)
class Int:
    """An integer, unsigned or signed, from `low` to `high`."""

    node: ast.expr
    unsigned: bool
    low: int
    high: int

    @property
    def known(self) -> int | None:
        """The value, if only one is possible."""
        return self.low if self.low == self.high else None

    @property
    def exact(self) -> bool:
        """Whether the expression computes the value itself, not only the value modulo 2**64."""
        return not self.unsigned or (self.low >= 0 and self.high < WORD)


@dataclass(frozen=True)
class Bool:
    """A condition. `truth` is an expression with the same truth value, for example an integer for "is not 0"."""

    node: ast.expr
    truth: ast.expr
    known: bool | None = None


@dataclass(frozen=True)
class Struct:
    """A struct: constant if it has `data`, otherwise the object that `node` names."""

    role: str
    dtype: np.dtype[Any]
    node: ast.expr | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Array:
    """A field of a struct, or a subarray of it. A constant array collects its indices until an element is read."""

    label: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    node: ast.expr | None = None
    data: Any = None
    index: tuple[Int, ...] = ()
    span: tuple[int, int] | None = None  # smallest and largest element of a table


@dataclass(frozen=True)
class Tuple:
    """Several values that a kernel returns together."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()  # names of the items, if any

    @property
    def suffixes(self) -> tuple[str, ...]:
        """The suffixes of the names of the variables that hold the tuple's items."""
        return self.names or tuple(str(index) for index in range(len(self.items)))


@dataclass(frozen=True)
class Nothing:
    """The result of a kernel that returns nothing."""


Value = Int | Bool | Struct | Array | Tuple | Nothing


def constant(value: int | bool) -> ast.expr:
    """Return the syntax tree node of a literal."""
    if not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def integer(value: int, unsigned: bool) -> Int:
    """Return the constant `value` as an Int."""
    return Int(constant(value), unsigned, value, value)


def truth(value: bool) -> Bool:
    """Return the constant `value` as a Bool."""
    return Bool(ast.Constant(value), ast.Constant(value), value)


def limits(dtype: np.dtype[Any]) -> tuple[bool, int, int]:
    """Return (unsigned, minimum, maximum) of a dtype's elements."""
    if dtype.kind not in "iu":
        raise Untranslatable(f"no translation for elements of type {dtype}")
    info = np.iinfo(dtype)
    return dtype.kind == "u", int(info.min), int(info.max)


def renamed(value: Value, name: str) -> Value:
    """Return `value` with a node that reads it from the variable `name`. Known integers and conditions keep their own
    node."""
    node = ast.Name(name, ast.Load())
    if isinstance(value, Int):
        return replace(value, node=value.node if value.known is not None else node)
    if isinstance(value, Bool):
        return value if value.known is not None else Bool(node, node)
    if isinstance(value, Array) and value.data is None:
        return replace(value, node=node)
    return value


def join(one: Value, other: Value) -> Value:
    """Return a value with the properties that both values share and with an interval that contains both intervals.
    Raises Untranslatable if the values are of different kinds."""
    if isinstance(one, Int) and isinstance(other, Int):
        unsigned = one.unsigned
        if one.unsigned != other.unsigned:
            # The result is signed only if one of the values can be negative. As in numba, a literal, which is signed,
            # takes the type of the other value.
            unsigned = min(one.low, other.low) >= 0
        return Int(one.node, unsigned, min(one.low, other.low), max(one.high, other.high))
    if isinstance(one, Bool) and isinstance(other, Bool):
        return one if one.known == other.known else Bool(one.node, one.truth)
    if isinstance(one, Bool) and isinstance(other, Int):
        return join(as_integer(one), other)
    if isinstance(one, Int) and isinstance(other, Bool):
        return join(one, as_integer(other))
    if isinstance(one, Tuple) and isinstance(other, Tuple) and len(one.items) == len(other.items):
        return replace(one, items=tuple(join(first, second) for first, second in zip(one.items, other.items)))
    if isinstance(one, Array) and isinstance(other, Array) and one.data is None and other.data is None:
        if one.dtype == other.dtype:
            shape = one.shape if one.shape == other.shape else (0,) * len(one.shape)
            span = None
            if one.span is not None and other.span is not None:
                span = min(one.span[0], other.span[0]), max(one.span[1], other.span[1])
            return replace(one, shape=shape, span=span)
    if isinstance(one, Struct) and isinstance(other, Struct) and one.role == other.role:
        return one
    if isinstance(one, Array) and isinstance(other, Array) and one.data is other.data:
        if [index.known for index in one.index] == [index.known for index in other.index]:
            return one
    if isinstance(one, Nothing) and isinstance(other, Nothing):
        return one
    raise Untranslatable(f"one variable holds both {type(one).__name__} and {type(other).__name__}")


def as_integer(value: Bool) -> Int:
    """Convert a condition to an integer, 0 or 1."""
    if value.known is not None:
        return integer(int(value.known), False)
    return Int(ast.IfExp(value.truth, ast.Constant(1), ast.Constant(0)), False, 0, 1)


def same(one: Value | None, other: Value) -> bool:
    """Return whether two values have the same kind and known properties; their syntax tree nodes may differ."""
    if isinstance(one, Int) and isinstance(other, Int):
        return (one.unsigned, one.low, one.high) == (other.unsigned, other.low, other.high)
    if isinstance(one, Bool) and isinstance(other, Bool):
        return one.known == other.known
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return all(same(first, second) for first, second in zip(one.items, other.items))
    if isinstance(one, Array) and isinstance(other, Array):
        return one.shape == other.shape and one.data is other.data and one.span == other.span
    return type(one) is type(other)


def syntax_node(value: Value) -> ast.expr:
    """Return the syntax tree node that computes a value. Raises Untranslatable if there is none."""
    if isinstance(value, Int | Bool):
        return value.node
    if isinstance(value, Array | Struct) and value.node is not None:
        return value.node
    if isinstance(value, Tuple):
        return ast.Tuple([syntax_node(item) for item in value.items], ast.Load())
    raise Untranslatable(f"{type(value).__name__} cannot be written as source code")
