"""Expressions of kernels, folded for one game: what is known is computed, the rest becomes plain Python."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum
from functools import partial
from typing import Any

import numpy as np

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.operations import Operations
from kogoma.arena.export.translator.nodes import changes_state, name, reads_state
from kogoma.arena.export.translator.scopes import Scope
from kogoma.arena.export.translator.sources import Source, source
from kogoma.arena.export.translator.values import (
    Array,
    Bool,
    Int,
    Nothing,
    Record,
    Tuple,
    Untranslatable,
    Value,
    as_integer,
    integer,
    join,
    truth,
)


class Expressions(Operations):
    """The part of a translation that evaluates."""

    def read(self, scope: Scope, variable: str) -> Value:
        """What is known of a variable."""
        raise NotImplementedError

    def held_again(self, held: str) -> Bool:
        """The variable of a truth, once it may have changed."""
        raise NotImplementedError

    def call_kernel(self, scope: Scope, called: Source, arguments: list[Value], node: ast.Call) -> Value:
        """Call a kernel, or write it in place."""
        raise NotImplementedError

    def evaluate(self, scope: Scope, node: ast.expr) -> Value:
        """What an expression is; statements that it needs first are written out."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                return truth(node.value)
            if isinstance(node.value, int):
                return integer(node.value, False)
        elif isinstance(node, ast.Name):
            if scope.is_local(node.id):
                return self.read(scope, node.id)
            return self._global(scope, node.id)
        elif isinstance(node, ast.Attribute):
            return self._attribute(scope, node)
        elif isinstance(node, ast.Subscript):
            return self._subscript(scope, node)
        elif isinstance(node, ast.BinOp):
            one, other = self.integers(scope, [node.left, node.right])
            return integers.combine(one, node.op, other)
        elif isinstance(node, ast.UnaryOp):
            if isinstance(node.op, ast.Not):
                return integers.opposite(self.condition(scope, node.operand))
            operand = self.integer(scope, node.operand)
            if isinstance(node.op, ast.Invert):
                return integers.complement(operand)
            if isinstance(node.op, ast.USub):
                return integers.negative(operand)
        elif isinstance(node, ast.Compare):
            return self._compare(scope, node)
        elif isinstance(node, ast.BoolOp):
            return self._boolean(scope, node)
        elif isinstance(node, ast.IfExp):
            return self._choice(scope, node)
        elif isinstance(node, ast.Tuple):
            return Tuple(tuple(self.sequence(scope, node.elts)))
        elif isinstance(node, ast.Call):
            return self._call(scope, node)
        raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node)}")

    def sequence(self, scope: Scope, nodes: Sequence[ast.expr]) -> list[Value]:
        """Several expressions, one after the other: a value is kept where a later one may change what it reads."""
        values: list[Value] = []
        for number, node in enumerate(nodes):
            before = len(self.lines)
            value = self.evaluate(scope, node)
            written = self.lines[before:]
            if changes_state(written):
                for position, earlier in enumerate(values):
                    if isinstance(earlier, Int | Bool) and reads_state(earlier.node):
                        del self.lines[before:]
                        self.stand_at(node)
                        values[position] = self.hold(scope, f"kept{number}{position}", earlier)
                        before = len(self.lines)
                        self.lines.extend(written)
            values.append(value)
        return values

    def integer(self, scope: Scope, node: ast.expr) -> Int:
        """An expression that has to be a number."""
        return self.integers(scope, [node])[0]

    def integers(self, scope: Scope, nodes: Sequence[ast.expr]) -> list[Int]:
        """Expressions that have to be numbers."""
        found: list[Int] = []
        for node, value in zip(nodes, self.sequence(scope, nodes)):
            if isinstance(value, Bool):
                value = as_integer(value)
            if not isinstance(value, Int):
                raise Untranslatable(f"{scope.source.place}: {ast.unparse(node)} is no number")
            found.append(value)
        return found

    def condition(self, scope: Scope, node: ast.expr) -> Bool:
        """An expression as a condition."""
        value = self.evaluate(scope, node)
        if not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: {ast.unparse(node)} is no condition")
        return integers.test_of(value)

    def _global(self, scope: Scope, variable: str) -> Value:
        thing = scope.source.outside(variable)
        if isinstance(thing, bool | np.bool_):
            return truth(bool(thing))
        if isinstance(thing, np.unsignedinteger):
            return integer(int(thing), True)
        if isinstance(thing, int | np.signedinteger | IntEnum):
            return integer(int(thing), False)
        if special.is_named_tuple(type(thing)):
            return Tuple(tuple(integer(int(item), False) for item in thing), thing._fields)
        raise Untranslatable(f"{scope.source.place}: no translation for {variable}")

    def _attribute(self, scope: Scope, node: ast.Attribute) -> Value:
        record = self.evaluate(scope, node.value)
        if isinstance(record, Tuple) and node.attr in record.names:
            return record.items[record.names.index(node.attr)]
        if not isinstance(record, Record) or record.dtype.names is None or node.attr not in record.dtype.names:
            raise Untranslatable(f"{scope.source.place}: no field for {ast.unparse(node)}")
        return self.field(record, node.attr)

    def _subscript(self, scope: Scope, node: ast.Subscript) -> Value:
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        first, *rest = self.sequence(scope, [node.value, *parts])
        indices = [as_integer(value) if isinstance(value, Bool) else value for value in rest]
        if isinstance(first, Tuple):
            index = indices[0]
            assert isinstance(index, Int) and index.known is not None
            return first.items[index.known]
        return self.item(scope, first, indices)

    def _compare(self, scope: Scope, node: ast.Compare) -> Bool:
        if len(node.ops) != 1:
            raise Untranslatable(f"{scope.source.place}: one comparison at a time, not {ast.unparse(node)}")
        one, other = self.sequence(scope, [node.left, node.comparators[0]])
        if isinstance(one, Bool) and isinstance(other, Bool) and one.known is None and other.known is None:
            result = ast.Compare(one.node, node.ops, [other.node])
            return Bool(result, result)
        pair = [as_integer(value) if isinstance(value, Bool) else value for value in (one, other)]
        if not isinstance(pair[0], Int) or not isinstance(pair[1], Int):
            raise Untranslatable(f"{scope.source.place}: no comparison for {ast.unparse(node)}")
        return integers.compare(pair[0], node.ops[0], pair[1])

    def apart(self, work: Callable[[], Any]) -> tuple[Any, list[ast.stmt]]:
        """What some work gives, and the statements that it wrote, which are taken out again."""
        outer, self.lines = self.lines, []
        try:
            result = work()
        finally:
            written, self.lines = self.lines, outer
        return result, written

    def _boolean(self, scope: Scope, node: ast.BoolOp) -> Bool:
        """`and` and `or`: what the second operand needs is written where the first has not decided the matter."""
        wanted = isinstance(node.op, ast.And)  # what an operand has to be for the next to count
        found: Bool | None = None
        for operand in node.values:
            value, written = self.apart(partial(self.condition, scope, operand))
            if found is None:
                self.lines.extend(written)
                found = value
            elif written:
                self.stand_at(operand)
                held = self.hold(scope, "both" if wanted else "either", Bool(found.node, found.node))
                assert isinstance(held, Bool) and isinstance(held.node, ast.Name)
                self.lines_into(held.node.id, found, value, written, wanted)
                found = self.held_again(held.node.id)
            elif value.known is not None:
                found = found if value.known == wanted else truth(not wanted)
            else:
                found = self._joined(node.op, found, value)
            if found.known is not None:
                if found.known != wanted:
                    return found
                found = None
        return truth(wanted) if found is None else found

    def _joined(self, operator: ast.boolop, one: Bool, other: Bool) -> Bool:
        parts = [part for value in (one, other) for part in _operands(value.truth, operator)]
        both = ast.BoolOp(operator, parts)
        plain = [part for value in (one, other) for part in _operands(value.node, operator)]
        return Bool(ast.BoolOp(operator, plain), both)

    def lines_into(self, held: str, first: Bool, second: Bool, written: list[ast.stmt], wanted: bool) -> None:
        """if held: written; held = second (`wanted`; otherwise: if not held)."""
        test: ast.expr = name(held)
        if not wanted:
            test = ast.UnaryOp(ast.Not(), test)
        store = ast.Assign([ast.Name(held, ast.Store())], second.node)
        self.lines.append(ast.If(test, [*written, store], []))

    def _choice(self, scope: Scope, node: ast.IfExp) -> Value:
        test = self.condition(scope, node.test)
        if test.known is not None:
            return self.evaluate(scope, node.body if test.known else node.orelse)
        one, first = self.apart(lambda: self.evaluate(scope, node.body))
        other, second = self.apart(lambda: self.evaluate(scope, node.orelse))
        if first or second:
            self.stand_at(node)
            target = self.hold(scope, "chosen", join(one, other))
            assert isinstance(target, Int | Bool) and isinstance(target.node, ast.Name)
            self.lines.pop()
            store = ast.Name(target.node.id, ast.Store())
            first.append(ast.Assign([store], one.node))
            second.append(ast.Assign([store], other.node))
            self.lines.append(ast.If(test.truth, first, second))
            return target
        both = join(one, other)
        if isinstance(both, Bool):
            chosen = ast.IfExp(test.truth, one.node, other.node)
            return both if both.known is not None else Bool(chosen, chosen)
        if isinstance(both, Array) and both.data is None:
            return replace(both, node=ast.IfExp(test.truth, one.node, other.node))
        if not isinstance(both, Int):
            raise Untranslatable(f"{scope.source.place}: no choice for {ast.unparse(node)}")
        return both if both.known is not None else replace(both, node=ast.IfExp(test.truth, one.node, other.node))

    def _call(self, scope: Scope, node: ast.Call) -> Value:
        place = scope.source.place
        if isinstance(node.func, ast.Attribute):
            module = node.func.value
            if not isinstance(module, ast.Name):
                raise Untranslatable(f"{place}: no translation for {ast.unparse(node)}")
            thing = getattr(scope.source.outside(module.id), node.func.attr)
        elif isinstance(node.func, ast.Name):
            thing = scope.source.outside(node.func.id)
        else:
            raise Untranslatable(f"{place}: no translation for {ast.unparse(node)}")
        if (kind := special.cast(thing)) is not None:
            value = self.evaluate(scope, node.args[0])
            if not isinstance(value, Int | Bool):
                raise Untranslatable(f"{place}: no number in {ast.unparse(node)}")
            return integers.convert(value, kind)
        operation = special.operation(thing)
        if operation == "lsb" and isinstance(node.args[0], ast.Name) and f"lsb {node.args[0].id}" in scope.bound:
            return scope.bound[f"lsb {node.args[0].id}"]
        if operation == "nothing":
            return Nothing()
        if operation == "never":
            return integers.test_of(integer(0, True))
        values = self.sequence(scope, node.args)
        self.stand_at(node)
        if operation is not None:
            return self.operation(scope, operation, values)
        if thing in (min, max, abs, len):
            return self.builtin(scope, thing, values)
        thing = special.choice(thing, self.program.with_cards) or thing
        if special.is_named_tuple(thing):
            return Tuple(tuple(values), thing._fields)
        if not special.is_kernel(thing):
            raise Untranslatable(f"{place}: no translation for {ast.unparse(node.func)}")
        return self.call_kernel(scope, source(thing), values, node)


def _operands(node: ast.expr, operator: ast.boolop) -> list[ast.expr]:
    if isinstance(node, ast.BoolOp) and type(node.op) is type(operator):
        return node.values
    return [node]
