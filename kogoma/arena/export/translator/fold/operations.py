"""Operations with a translation of their own: bitboards, memory, builtins, elements of arrays."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.nodes import is_atom, name
from kogoma.arena.export.translator.program import Program
from kogoma.arena.export.translator.scopes import Scope
from kogoma.arena.export.translator.values import (
    HALF,
    INDEX_LIMIT,
    WORD,
    Array,
    Bool,
    Int,
    Nothing,
    Record,
    Untranslatable,
    Value,
    as_integer,
    integer,
    limits,
    truth,
)


class Operations:
    """The part of a translation that knows operations."""

    program: Program
    lines: list[ast.stmt]
    place: tuple[int, int, int] = (0, 0, 0)  # of the expression for which a variable is made

    def hold(self, scope: Scope, hint: str, value: Value) -> Value:
        """Put a value into a variable of its own."""
        raise NotImplementedError

    def store_item(self, scope: Scope, values: list[Value]) -> Value:
        """array[index, ...] = value."""
        raise NotImplementedError

    def stand_at(self, node: ast.expr) -> None:
        """The next variable is made for this expression."""
        self.place = node.lineno, node.col_offset, node.end_col_offset or 0

    def field(self, record: Record, attribute: str) -> Value:
        """A field of a record."""
        kind = record.dtype[attribute]
        base, shape = kind.base, kind.shape
        unsigned, low, high = limits(base)
        if record.data is not None:
            data = record.data[attribute]
            if not shape:
                return integer(int(data), unsigned)
            return Array(attribute, base, shape, data=np.asarray(data))
        assert record.node is not None
        place = ast.Attribute(record.node, attribute, ast.Load())
        if shape:
            return Array(attribute, base, shape, node=place)
        if attribute in self.program.index_fields:
            low, high = max(low, 0), min(high, INDEX_LIMIT)
        return Int(place, unsigned, low, high)

    def item(self, scope: Scope, array: Value, indices: Sequence[Value]) -> Value:
        """array[indices], an element or a smaller array."""
        if not isinstance(array, Array):
            raise Untranslatable(f"{scope.source.place}: an index of what is no array")
        wanted: list[Int] = []
        for index in indices:
            if not isinstance(index, Int):
                raise Untranslatable(f"{scope.source.place}: an index that is no number")
            wanted.append(index)
        unsigned, low, high = limits(array.dtype)
        if array.data is not None:
            taken = replace(array, shape=array.shape[len(wanted) :], index=(*array.index, *wanted))
            return self.program.element(taken) if not taken.shape else taken
        assert array.node is not None
        node = array.node
        for index in wanted:
            node = ast.Subscript(node, index.node, ast.Load())
        shape = array.shape[len(wanted) :]
        if shape:
            return replace(array, node=node, shape=shape)
        if array.span is not None:
            low, high = array.span
        elif array.label in self.program.index_fields:
            low, high = max(low, 0), min(high, INDEX_LIMIT)
        return Int(node, unsigned, low, high)

    def simple(self, scope: Scope, value: Int, hint: str) -> Int:
        """The value as something that can be written twice."""
        if is_atom(value.node):
            return value
        held = self.hold(scope, hint, value)
        assert isinstance(held, Int)
        return held

    def builtin(self, scope: Scope, thing: Any, values: list[Value]) -> Value:
        """min, max, abs and len."""
        if thing is len:
            array = values[0]
            assert isinstance(array, Array)
            return integer(array.shape[0], False)
        numbers = [as_integer(value) if isinstance(value, Bool) else value for value in values]
        exact = [integers.exact(value) for value in numbers if isinstance(value, Int)]
        if len(exact) < len(numbers):
            raise Untranslatable(f"{scope.source.place}: {thing.__name__} of what is no number")
        first = exact[0]
        if thing is abs:
            if first.low >= 0:
                return first
            if first.known is not None:
                return integer(abs(first.known), False)
            node = ast.Call(name("abs"), [first.node], [])
            return Int(node, False, 0, max(abs(first.low), abs(first.high)))
        second = exact[1]
        pick = min if thing is min else max
        low, high = pick(first.low, second.low), pick(first.high, second.high)
        unsigned = first.unsigned and second.unsigned
        if low == high:
            return integer(low, unsigned)
        if thing is min:
            if first.high <= second.low:
                return first
            if second.high <= first.low:
                return second
        else:
            if first.low >= second.high:
                return first
            if second.low >= first.high:
                return second
        first, second = self.simple(scope, first, "one"), self.simple(scope, second, "other")
        operator = ast.Lt() if thing is min else ast.Gt()
        test = ast.Compare(first.node, [operator], [second.node])
        return Int(ast.IfExp(test, first.node, second.node), unsigned, low, high)

    def operation(self, scope: Scope, operation: str, values: list[Value]) -> Value:
        """What an operation of `arena.export.translator.special` gives."""
        if operation == "load_bb":
            return self.item(scope, values[0], values[1:])
        if operation == "store_bb":
            return self.store_item(scope, values)
        if operation in ("peek", "poke"):
            return self.memory(scope, operation, values)
        if operation == "peek_int16":
            address = values[0]
            assert isinstance(address, Int)
            place = ast.BinOp(address.node, ast.RShift(), ast.Constant(1))
            unsigned, low, high = limits(np.dtype(np.int16))
            return Int(ast.Subscript(name("@RELATIONS"), place, ast.Load()), unsigned, low, high)
        if operation == "now":
            return Int(ast.Call(name("@perf_counter_ns"), [], []), False, 0, HALF - 1)
        value = values[0]
        if not isinstance(value, Int):
            raise Untranslatable(f"{scope.source.place}: {operation} of what is no bitboard")
        if operation == "empty_like":
            return integer(0, True)
        if operation == "any_of":
            return integers.test_of(value)
        board = integers.exact(value)
        if board.known is not None:
            return _known_operation(operation, board.known)
        lower = ast.BinOp(board.node, ast.Sub(), ast.Constant(1))
        if operation == "popcount":
            node: ast.expr = ast.Call(ast.Attribute(board.node, "bit_count", ast.Load()), [], [])
            return Int(node, True, 0, board.high.bit_length())
        board = self.simple(scope, board, "board")
        lower = ast.BinOp(board.node, ast.Sub(), ast.Constant(1))
        if operation == "lsb":
            return Int(self.program.lowest(board.node), True, 0, board.high.bit_length() - 1)
        if operation == "clear_lsb":
            return Int(ast.BinOp(board.node, ast.BitAnd(), lower), True, 0, board.high)
        if operation == "more_than_one":
            node = ast.BinOp(board.node, ast.BitAnd(), lower)
            return integers.test_of(Int(node, True, 0, board.high))
        if operation == "up_to_lowest":
            node = ast.BinOp(board.node, ast.BitXor(), lower)
            return Int(node, True, -1, (1 << board.high.bit_length()) - 1)
        if operation == "down_to_highest":
            one = ast.BinOp(board.node, ast.BitOr(), ast.Constant(1))
            length = ast.Call(ast.Attribute(one, "bit_length", ast.Load()), [], [])
            shift = ast.BinOp(length, ast.Sub(), ast.Constant(1))
            ones = ast.UnaryOp(ast.USub(), ast.Constant(1))
            return Int(ast.BinOp(ones, ast.LShift(), shift), True, -HALF, -1)
        raise Untranslatable(f"{scope.source.place}: no translation for {operation}")

    def memory(self, scope: Scope, operation: str, values: list[Value]) -> Value:
        """The word at an address, which is the number of its first byte; a list of words stands for the memory."""
        address = values[0]
        assert isinstance(address, Int)
        word = self.program.word_index(address)
        place = ast.Subscript(name("@memory"), word, ast.Load())
        if operation == "peek":
            return Int(place, True, 0, WORD - 1)
        value = values[1]
        assert isinstance(value, Int)
        self.lines.append(ast.Assign([ast.Subscript(name("@memory"), word, ast.Store())], integers.exact(value).node))
        return Nothing()


def _known_operation(operation: str, board: int) -> Value:
    if operation == "lsb":
        return integer((board & -board).bit_length() - 1, True)
    if operation == "popcount":
        return integer(board.bit_count(), True)
    if operation == "clear_lsb":
        return integer(board & (board - 1), True)
    if operation == "more_than_one":
        return truth(board & (board - 1) != 0)
    if operation == "up_to_lowest":
        return integer((board ^ (board - 1)) % WORD, True)
    return integer((-1 << (board | 1).bit_length() - 1) % WORD, True)
