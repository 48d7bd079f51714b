"""Assignments to variables, struct fields and array elements."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import numpy as np

from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.expressions import Expressions
from kogoma.arena.export.translator.scopes import Scope, names_read, names_written
from kogoma.arena.export.translator.values import WORD, Array, Bool, Int, Nothing, Struct, Tuple, Untranslatable, Value


class Assignments(Expressions):
    """The part of a translation that handles stores."""

    def assignment(self, scope: Scope, node: ast.Assign) -> None:
        """Translate an assignment."""
        target = node.targets[0]
        if len(node.targets) != 1:
            raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(node)}")
        if isinstance(target, ast.Name):
            self.assign(scope, target.id, self.evaluate(scope, node.value))
        elif isinstance(target, ast.Tuple):
            value = self.evaluate(scope, node.value)
            if not isinstance(value, Tuple):
                raise Untranslatable(f"{scope.source.place}: the assigned value is not a tuple: {ast.unparse(node)}")
            for part, item in zip(target.elts, value.items):
                assert isinstance(part, ast.Name)
                assert len(names_read(node.value) & names_written(target)) == 0
                self.assign(scope, part.id, item)
        else:
            self.write(scope, target, self.evaluate(scope, node.value))

    def write(self, scope: Scope, target: ast.expr, value: Value) -> None:
        """Translate a store of `value` into a struct field, an array element, or all elements of an array."""
        if not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: the value assigned to {ast.unparse(target)} is not a number")
        if isinstance(target, ast.Attribute):
            record = self.evaluate(scope, target.value)
            if not isinstance(record, Struct) or record.node is None:
                raise Untranslatable(f"{scope.source.place}: {ast.unparse(target)} is constant and cannot be assigned")
            place = ast.Attribute(record.node, target.attr, ast.Store())
            self._put(place, target.attr, value, record.dtype[target.attr])
            return
        assert isinstance(target, ast.Subscript)
        if isinstance(target.slice, ast.Slice):
            array = self.evaluate(scope, target.value)
            assert isinstance(array, Array) and array.node is not None
            if target.slice.lower or target.slice.upper or target.slice.step:
                raise Untranslatable(f"{scope.source.place}: no translation for {ast.unparse(target)}")
            stored = integers.element(value, array.dtype)
            filled = ast.BinOp(ast.List([stored.node], ast.Load()), ast.Mult(), ast.Constant(array.shape[0]))
            whole = ast.Slice(None, None, None)
            self.lines.append(ast.Assign([ast.Subscript(array.node, whole, ast.Store())], filled))
            return
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        self.store_item(scope, [*self.sequence(scope, [target.value, *parts]), value])

    def store_item(self, scope: Scope, values: list[Value]) -> Value:
        """Translate `array[index, ...] = value`."""
        array, *indices, value = values
        if not isinstance(array, Array) or array.node is None or not isinstance(value, Int | Bool):
            raise Untranslatable(f"{scope.source.place}: assignment to something that is not an array")
        node: ast.expr = array.node
        for index in indices:
            assert isinstance(index, Int)
            node = ast.Subscript(node, index.node, ast.Load())
        assert isinstance(node, ast.Subscript)
        self._put(ast.Subscript(node.value, node.slice, ast.Store()), array.label, value, array.dtype)
        return Nothing()

    def _put(self, place: ast.expr, label: str, value: Int | Bool, dtype: np.dtype[Any]) -> None:
        """Emit a store of a number at `place`, which is the struct field `label` or one of its elements."""
        if label in self.program.index_fields and isinstance(value, Int):
            value = self.as_stored(value, True)
        self.lines.append(ast.Assign([place], integers.element(value, dtype).node))

    def augmented(self, scope: Scope, node: ast.AugAssign) -> None:
        """Translate an augmented assignment: x += y."""
        target = node.target
        if isinstance(target, ast.Name):
            one, other = self.integers(scope, [ast.Name(target.id, ast.Load()), node.value])
            self.assign(scope, target.id, integers.combine(one, node.op, other))
            return
        if isinstance(target, ast.Attribute):
            read = ast.Attribute(target.value, target.attr, ast.Load())
            one, other = self.integers(scope, [read, node.value])
            self.write(scope, target, integers.combine(one, node.op, other))
            return
        assert isinstance(target, ast.Subscript)
        parts = target.slice.elts if isinstance(target.slice, ast.Tuple) else [target.slice]
        array, *indices = self.sequence(scope, [target.value, *parts])
        kept: list[Value] = []
        for index in indices:
            assert isinstance(index, Int)
            kept.append(self.simple(scope, index, "at"))
        current = self.item(scope, array, kept)
        other = self.integer(scope, node.value)
        assert isinstance(current, Int)
        combined: Int = integers.combine(current, node.op, other)
        if current.unsigned and isinstance(node.op, ast.Add) and other.high <= 1 << 16 and combined.high >= WORD:
            combined = replace(combined, high=WORD - 1)  # no overflow: it would need 2**48 additions of 2**16
        self.store_item(scope, [array, *kept, combined])
