"""Expressions of kernels: known values are computed, the rest becomes plain Python."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.variables import Variables
from kogoma.arena.export.translator.nodes import changes_state, is_atom, name, reads_state
from kogoma.arena.export.translator.scopes import Scope
from kogoma.arena.export.translator.sources import Source, source
from kogoma.arena.export.translator.values import (
    HALF,
    INDEX_LIMIT,
    WORD,
    Array,
    Bool,
    Int,
    Nothing,
    Struct,
    Tuple,
    Untranslatable,
    Value,
    as_integer,
    integer,
    join,
    limits,
    truth,
)


class Expressions(Variables):
    """The part of a translation that evaluates expressions."""

    def store_item(self, scope: Scope, values: list[Value]) -> Value:
        """Translate `array[index, ...] = value`."""
        raise NotImplementedError

    def call_kernel(self, scope: Scope, called: Source, arguments: list[Value], node: ast.Call) -> Value:
        """Translate a call of a kernel."""
        raise NotImplementedError

    def evaluate(self, scope: Scope, node: ast.expr) -> Value:
        """Translate an expression: emit the statements that must run before it, and return its value."""
        match node:
            case ast.Constant(bool(value)):
                return truth(value)
            case ast.Constant(int(value)):
                return integer(value, False)
            case ast.Name(variable):
                return self.read(scope, variable) if scope.is_local(variable) else self._global(scope, variable)
            case ast.Attribute():
                return self._attribute(scope, node)
            case ast.Subscript():
                return self._subscript(scope, node)
            case ast.BinOp(left, operator, right):
                one, other = self.integers(scope, [left, right])
                return integers.combine(one, operator, other)
            case ast.UnaryOp(ast.Not(), operand):
                return integers.opposite(self.condition(scope, operand))
            case ast.UnaryOp(ast.Invert(), operand):
                return integers.complement(self.integer(scope, operand))
            case ast.UnaryOp(ast.USub(), operand):
                return integers.negative(self.integer(scope, operand))
            case ast.Compare():
                return self._compare(scope, node)
            case ast.BoolOp():
                return self._boolean(scope, node)
            case ast.IfExp():
                return self._choice(scope, node)
            case ast.Tuple(items):
                return Tuple(tuple(self.sequence(scope, items)))
            case ast.Call():
                return self._call(scope, node)
        raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node)}")

    def sequence(self, scope: Scope, nodes: Sequence[ast.expr]) -> list[Value]:
        """Evaluate expressions in order and return their values. If a later expression may change the state that an
        earlier one reads, the value of the earlier one is stored in a variable."""
        values: list[Value] = []
        for number, node in enumerate(nodes):
            before = len(self.lines)
            value = self.evaluate(scope, node)
            written = self.lines[before:]
            if changes_state(written):
                for position, earlier in enumerate(values):
                    if isinstance(earlier, Int | Bool) and reads_state(earlier.node):
                        del self.lines[before:]
                        self.set_place(node)
                        values[position] = self.hold(scope, f"kept{number}{position}", earlier)
                        before = len(self.lines)
                        self.lines.extend(written)
            values.append(value)
        return values

    def integer(self, scope: Scope, node: ast.expr) -> Int:
        """Evaluate an expression that must be an integer."""
        return self.integers(scope, [node])[0]

    def integers(self, scope: Scope, nodes: Sequence[ast.expr]) -> list[Int]:
        """Evaluate expressions that must be integers."""
        found: list[Int] = []
        for node, value in zip(nodes, self.sequence(scope, nodes)):
            if isinstance(value, Bool):
                value = as_integer(value)
            if not isinstance(value, Int):
                raise Untranslatable(f"{scope.source.place}: {ast.unparse(node)} is not a number")
            found.append(value)
        return found

    def condition(self, scope: Scope, node: ast.expr) -> Bool:
        """Evaluate an expression as a condition."""
        value = self.evaluate(scope, node)
        if not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: {ast.unparse(node)} is not a condition")
        return integers.test_of(value)

    def _global(self, scope: Scope, variable: str) -> Value:
        thing = scope.source.outside(variable)
        if isinstance(thing, np.unsignedinteger):
            return integer(int(thing), True)
        if isinstance(thing, int | np.signedinteger | IntEnum):
            return integer(int(thing), False)
        raise Untranslatable(f"{scope.source.place}: no translation for {variable}")

    def _attribute(self, scope: Scope, node: ast.Attribute) -> Value:
        record = self.evaluate(scope, node.value)
        if isinstance(record, Tuple) and node.attr in record.names:
            return record.items[record.names.index(node.attr)]
        if not isinstance(record, Struct) or record.dtype.names is None or node.attr not in record.dtype.names:
            raise Untranslatable(f"{scope.source.place}: there is no field {ast.unparse(node)}")
        return self.field(record, node.attr)

    def _subscript(self, scope: Scope, node: ast.Subscript) -> Value:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        first, *rest = self.sequence(scope, [node.value, *parts])
        indices = [as_integer(value) if isinstance(value, Bool) else value for value in rest]
        return self.item(scope, first, indices)

    def _compare(self, scope: Scope, node: ast.Compare) -> Bool:
        if len(node.ops) != 1:
            raise Untranslatable(f"{scope.source.place}: chained comparisons have no translation: {ast.unparse(node)}")
        one, other = self.sequence(scope, [node.left, node.comparators[0]])
        pair = [as_integer(value) if isinstance(value, Bool) else value for value in (one, other)]
        if not isinstance(pair[0], Int) or not isinstance(pair[1], Int):
            raise Untranslatable(f"{scope.source.place}: only numbers can be compared, not {ast.unparse(node)}")
        return integers.compare(pair[0], node.ops[0], pair[1])

    def _boolean(self, scope: Scope, node: ast.BoolOp) -> Bool:
        """Translate `and` and `or`. The statements of the second operand run only if the first operand does not decide
        the result."""
        wanted = isinstance(node.op, ast.And)  # if an operand has this value, the next operand is evaluated
        found: Bool | None = None
        for operand in node.values:
            value, written = self.apart(partial(self.condition, scope, operand))
            if found is None:
                self.lines.extend(written)
                found = value
            elif written:
                self.set_place(operand)
                held = self.hold(scope, "both" if wanted else "either", Bool(found.node, found.node))
                assert isinstance(held, Bool) and isinstance(held.node, ast.Name)
                test = held.node if wanted else ast.UnaryOp(ast.Not(), held.node)
                written.append(ast.Assign([ast.Name(held.node.id, ast.Store())], value.node))
                self.lines.append(ast.If(test, written, []))
                found = Bool(held.node, held.node)  # its value is not known: the `if` may change it
                self.record(held.node.id, found)
            elif value.known is not None:
                found = found if value.known == wanted else truth(not wanted)
            else:
                found = _joined(node.op, found, value)
            if found.known is not None:
                if found.known != wanted:
                    return found
                found = None
        return truth(wanted) if found is None else found

    def _choice(self, scope: Scope, node: ast.IfExp) -> Value:
        test = self.condition(scope, node.test)
        if test.known is not None:
            return self.evaluate(scope, node.body if test.known else node.orelse)
        one, first = self.apart(lambda: self.evaluate(scope, node.body))
        other, second = self.apart(lambda: self.evaluate(scope, node.orelse))
        if first or second:
            self.set_place(node)
            target = self.hold(scope, "chosen", join(one, other))
            assert isinstance(target, Int | Bool) and isinstance(target.node, ast.Name)
            self.lines.pop()
            store = ast.Name(target.node.id, ast.Store())
            first.append(ast.Assign([store], one.node))
            second.append(ast.Assign([store], other.node))
            self.lines.append(ast.If(test.truth, first, second))
            return target
        both = join(one, other)
        if not isinstance(both, Int | Bool) and not (isinstance(both, Array) and both.data is None):
            raise Untranslatable(f"{scope.source.place}: no translation for the condition {ast.unparse(node)}")
        chosen = ast.IfExp(test.truth, one.node, other.node)
        return Bool(chosen, chosen) if isinstance(both, Bool) else replace(both, node=chosen)

    def _call(self, scope: Scope, node: ast.Call) -> Value:
        place = scope.source.place
        match node.func:
            case ast.Name(called):
                thing = scope.source.outside(called)
            case ast.Attribute(ast.Name(module), called):
                thing = getattr(scope.source.outside(module), called)
            case _:
                raise Untranslatable(f"{place}: no translation for {ast.unparse(node)}")
        if (kind := special.cast(thing)) is not None:
            value = self.evaluate(scope, node.args[0])
            if not isinstance(value, Int | Bool):
                raise Untranslatable(f"{place}: the argument of {ast.unparse(node)} is not a number")
            return integers.convert(value, kind)
        operation = special.operation(thing)
        if operation == "lsb" and (bound := f"lsb {ast.unparse(node.args[0])}") in scope.bound:
            return scope.bound[bound]
        if operation == "nothing":
            return Nothing()
        if operation == "never":
            return integers.test_of(integer(0, True))
        values = self.sequence(scope, node.args)
        self.set_place(node)
        if operation is not None:
            return self.operation(scope, operation, values)
        if thing in (min, max, abs, len):
            return self.builtin(scope, thing, values)
        thing = special.choice(thing, self.program.with_cards)
        if special.is_named_tuple(thing):
            return Tuple(tuple(values), thing._fields)
        if not special.is_kernel(thing):
            raise Untranslatable(f"{place}: no translation for {ast.unparse(node.func)}")
        return self.call_kernel(scope, source(thing), values, node)

    def field(self, record: Struct, attribute: str) -> Value:
        """Return the value of a struct's field."""
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
        """Return array[indices], an element or a smaller array."""
        if not isinstance(array, Array):
            raise Untranslatable(f"{scope.source.place}: indexing something that is not an array")
        wanted: list[Int] = []
        for index in indices:
            if not isinstance(index, Int):
                raise Untranslatable(f"{scope.source.place}: the index is not a number")
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
        """Return the value as a name or a constant, so that it can be used twice. If necessary, store it in a
        variable."""
        if is_atom(value.node):
            return value
        held = self.hold(scope, hint, value)
        assert isinstance(held, Int)
        return held

    def builtin(self, scope: Scope, thing: Any, values: list[Value]) -> Value:
        """Translate a call of min, max, abs or len."""
        if thing is len:
            array = values[0]
            assert isinstance(array, Array)
            return integer(array.shape[0], False)
        numbers = [as_integer(value) if isinstance(value, Bool) else value for value in values]
        exact = [integers.exact(value) for value in numbers if isinstance(value, Int)]
        if len(exact) < len(numbers):
            raise Untranslatable(f"{scope.source.place}: {thing.__name__} is applied to something that is not a number")
        first = exact[0]
        if thing is abs:
            if first.low >= 0:
                return first
            node = ast.Call(name("abs"), [first.node], [])
            return Int(node, False, 0, max(abs(first.low), abs(first.high)))
        second = exact[1]
        pick = min if thing is min else max
        low, high = pick(first.low, second.low), pick(first.high, second.high)
        unsigned = first.unsigned and second.unsigned
        first, second = self.simple(scope, first, "one"), self.simple(scope, second, "other")
        operator = ast.Lt() if thing is min else ast.Gt()
        test = ast.Compare(first.node, [operator], [second.node])
        return Int(ast.IfExp(test, first.node, second.node), unsigned, low, high)

    def operation(self, scope: Scope, operation: str, values: list[Value]) -> Value:
        """Translate an operation listed in `arena.export.translator.special`."""
        if operation == "load_bb":
            return self.item(scope, values[0], values[1:])
        if operation == "store_bb":
            return self.store_item(scope, values)
        if operation in ("peek", "poke"):
            return self.memory(scope, operation, values)
        if operation == "now":
            return Int(ast.Call(name("@perf_counter_ns"), [], []), False, 0, HALF - 1)
        value = values[0]
        if not isinstance(value, Int):
            raise Untranslatable(f"{scope.source.place}: {operation} is applied to something that is not a bitboard")
        if operation == "empty_like":
            return integer(0, True)
        if operation == "any_of":
            return integers.test_of(value)
        board = integers.exact(value)
        if operation == "popcount":
            found = Int(_method(board.node, "bit_count"), True, 0, board.high.bit_length())
        else:
            found = self._of_board(scope, operation, self.simple(scope, board, "board"))
        if board.known is not None:
            found = integer(eval(ast.unparse(found.node)) % WORD, True)
        return integers.test_of(found) if operation == "more_than_one" else found

    def _of_board(self, scope: Scope, operation: str, board: Int) -> Int:
        lower = ast.BinOp(board.node, ast.Sub(), ast.Constant(1))
        if operation == "lsb":
            lowest = ast.BinOp(board.node, ast.BitAnd(), ast.UnaryOp(ast.USub(), board.node))
            return Int(_highest(lowest), True, 0, board.high.bit_length() - 1)
        if operation in ("clear_lsb", "more_than_one"):
            return Int(ast.BinOp(board.node, ast.BitAnd(), lower), True, 0, board.high)
        if operation == "up_to_lowest":
            return Int(ast.BinOp(board.node, ast.BitXor(), lower), True, -1, (1 << board.high.bit_length()) - 1)
        if operation == "down_to_highest":
            ones = ast.UnaryOp(ast.USub(), ast.Constant(1))
            shift = _highest(ast.BinOp(board.node, ast.BitOr(), ast.Constant(1)))
            return Int(ast.BinOp(ones, ast.LShift(), shift), True, -HALF, -1)
        raise Untranslatable(f"{scope.source.place}: no translation for {operation}")

    def memory(self, scope: Scope, operation: str, values: list[Value]) -> Value:
        """Translate a read or write of the 64-bit word at a byte address. In the generated code, the memory is a list
        of words."""
        address = values[0]
        assert isinstance(address, Int)
        word = ast.BinOp(address.node, ast.RShift(), ast.Constant(3))
        place = ast.Subscript(name("@memory"), word, ast.Load())
        if operation == "peek":
            return Int(place, True, 0, WORD - 1)
        value = values[1]
        assert isinstance(value, Int)
        self.lines.append(ast.Assign([ast.Subscript(name("@memory"), word, ast.Store())], integers.exact(value).node))
        return Nothing()


def _method(node: ast.expr, method: str) -> ast.expr:
    return ast.Call(ast.Attribute(node, method, ast.Load()), [], [])


def _highest(board: ast.expr) -> ast.expr:
    """Return an expression for the index of the highest set bit."""
    return ast.BinOp(_method(board, "bit_length"), ast.Sub(), ast.Constant(1))


def _joined(operator: ast.boolop, one: Bool, other: Bool) -> Bool:
    nodes = [part for value in (one, other) for part in _operands(value.node, operator)]
    truths = [part for value in (one, other) for part in _operands(value.truth, operator)]
    return Bool(ast.BoolOp(operator, nodes), ast.BoolOp(operator, truths))


def _operands(node: ast.expr, operator: ast.boolop) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and type(node.op) is type(operator):
        return node.values
    return [node]
