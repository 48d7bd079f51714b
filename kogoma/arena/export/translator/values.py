"""What is known of a value while kernels are translated: integers by type and interval, truths, records, arrays.

An unsigned value may be held as any integer that is equal to it modulo 2**64: its interval then reaches below 0 or
beyond 2**64, and it is brought back only where that makes a difference (`arena.export.integers`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

WORD = 1 << 64
HALF = 1 << 63
INDEX_LIMIT = 1 << 32  # what is used as an index stays below


class Untranslatable(ValueError):
    """A kernel uses something that has no translation; the message names the place in one line."""


@dataclass(frozen=True)
class Int:
    """An integer, unsigned or signed, from `low` to `high`."""

    node: ast.expr
    unsigned: bool
    low: int
    high: int

    @property
    def known(self) -> int | None:
        """The value, where there is only one."""
        return self.low if self.low == self.high else None

    @property
    def exact(self) -> bool:
        """Whether it is held as the very number that it stands for."""
        return not self.unsigned or (self.low >= 0 and self.high < WORD)


@dataclass(frozen=True)
class Bool:
    """A truth. `truth` is what a test may ask for instead: an integer that is not 0, say."""

    node: ast.expr
    truth: ast.expr
    known: bool | None = None


@dataclass(frozen=True)
class Struct:
    """A record: constant if it has `data`, otherwise an object that `node` names."""

    role: str
    dtype: np.dtype[Any]
    node: ast.expr | None = None
    data: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Array:
    """A field, or what is left of it after some indices. Constant ones keep their indices until they are read."""

    label: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    node: ast.expr | None = None
    data: Any = None
    index: tuple[Int, ...] = ()
    span: tuple[int, int] | None = None  # least and greatest element, of a table


@dataclass(frozen=True)
class Tuple:
    """Several values that a kernel returns at once."""

    items: tuple[Value, ...]
    names: tuple[str, ...] = ()  # of the items, where they have any

    @property
    def suffixes(self) -> tuple[str, ...]:
        """What sets apart the variables that hold the items."""
        return self.names or tuple(str(index) for index in range(len(self.items)))


@dataclass(frozen=True)
class Nothing:
    """What a kernel without a result returns."""


Value = Int | Bool | Struct | Array | Tuple | Nothing


def constant(value: int | bool) -> ast.expr:
    """The literal of a number."""
    if not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def integer(value: int, unsigned: bool) -> Int:
    """A known integer."""
    return Int(constant(value), unsigned, value, value)


def truth(value: bool) -> Bool:
    """A known truth."""
    return Bool(ast.Constant(value), ast.Constant(value), value)


def limits(dtype: np.dtype[Any]) -> tuple[bool, int, int]:
    """(unsigned, least, greatest) of an array's elements."""
    if dtype.kind not in "iu":
        raise Untranslatable(f"no translation for elements of type {dtype}")
    info = np.iinfo(dtype)
    return dtype.kind == "u", int(info.min), int(info.max)


def renamed(value: Value, name: str) -> Value:
    """What is known of a value, for the variable that holds it now."""
    node = ast.Name(name, ast.Load())
    if isinstance(value, Int):
        return replace(value, node=value.node if value.known is not None else node)
    if isinstance(value, Bool):
        return value if value.known is not None else Bool(node, node)
    if isinstance(value, Array) and value.data is None:
        return replace(value, node=node)
    return value


def join(one: Value, other: Value) -> Value:
    """What is known of a value that is one or the other."""
    if isinstance(one, Int) and isinstance(other, Int):
        unsigned = one.unsigned
        if one.unsigned != other.unsigned:
            # As for numba, a literal takes the type of what it meets.
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
    raise Untranslatable(f"one name for {type(one).__name__} and {type(other).__name__}")


def as_integer(value: Bool) -> Int:
    """A truth as 0 or 1."""
    if value.known is not None:
        return integer(int(value.known), False)
    return Int(ast.IfExp(value.truth, ast.Constant(1), ast.Constant(0)), False, 0, 1)


def same(one: Value | None, other: Value) -> bool:
    """Whether the same is known of both, whatever their nodes are."""
    if isinstance(one, Int) and isinstance(other, Int):
        return (one.unsigned, one.low, one.high) == (other.unsigned, other.low, other.high)
    if isinstance(one, Bool) and isinstance(other, Bool):
        return one.known == other.known
    if isinstance(one, Tuple) and isinstance(other, Tuple):
        return all(same(first, second) for first, second in zip(one.items, other.items))
    if isinstance(one, Array) and isinstance(other, Array):
        return one.shape == other.shape and one.data is other.data and one.span == other.span
    return type(one) is type(other)


def written(value: Value) -> ast.expr:
    """The node of a value."""
    if isinstance(value, Int | Bool):
        return value.node
    if isinstance(value, Array | Struct) and value.node is not None:
        return value.node
    if isinstance(value, Tuple):
        return ast.Tuple([written(item) for item in value.items], ast.Load())
    raise Untranslatable(f"{type(value).__name__} can't be written down")
