"""Calls of kernels: inlined, memoized, or kept as function calls."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np

from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.fold.assignments import Assignments
from kogoma.arena.export.translator.nodes import is_atom, name
from kogoma.arena.export.translator.program import Function
from kogoma.arena.export.translator.scopes import Scope, has
from kogoma.arena.export.translator.sources import Source
from kogoma.arena.export.translator.values import (
    HALF,
    Array,
    Bool,
    Int,
    Nothing,
    Struct,
    Tuple,
    Untranslatable,
    Value,
    syntax_node,
)


class NotInlinable(Exception):
    """The kernel cannot be inlined, because its `return` statements cannot become jumps inside a block."""


class Calls(Assignments):
    """The part of a translation that handles calls."""

    def block(self, scope: Scope, statements: list[ast.stmt]) -> bool:
        """Translate statements. Return True if the code after them is unreachable."""
        raise NotImplementedError

    def call_kernel(self, scope: Scope, called: Source, arguments: list[Value], node: ast.Call) -> Value:
        """Translate a call of a kernel, inlining it if possible."""
        named = dict(zip(called.parameters, arguments))
        site = f"{scope.path}/{called.name}{node.lineno}.{node.col_offset}"
        tables = None if self.function.kept else self.program.lookup(called, named)
        if tables is not None:
            return self._look_up(called, named, tables, site)
        if self.program.inlined(called):
            before = len(self.lines)
            try:
                return self._inline(called, named, site)
            except NotInlinable:
                self.program.never_inline.add(called.place)
                del self.lines[before:]
        return self._call_function(called, named, site)

    def _look_up(self, called: Source, arguments: dict[str, Value], tables: str, path: str) -> Value:
        """Emit a lookup of a kernel's memoized result, and return that result."""
        function, _ = self.program.lookups[tables]
        self.learn(function, called, arguments)
        node: ast.expr = name("@" + tables)
        *numbers, board = [value for value in arguments.values() if not isinstance(value, Struct)]
        for number in numbers:
            assert isinstance(number, Int)
            node = ast.Subscript(node, number.node, ast.Load())
        output = [self.out_name(Scope(called, path), variable) for variable in ("meets", called.name)]
        targets: list[ast.expr] = [ast.Name(variable, ast.Store()) for variable in output]
        self.lines.append(ast.Assign([ast.Tuple(targets, ast.Store())], node))
        assert isinstance(board, Int) and isinstance(function.result, Int)
        occupied = ast.BinOp(board.node, ast.BitAnd(), name(output[0]))
        return replace(function.result, node=ast.Subscript(name(output[1]), occupied, ast.Load()))

    def learn(self, function: Function, called: Source, arguments: dict[str, Value]) -> dict[str, Value]:
        """Record what is known of the arguments in a call of `function`, and return the arguments in the form in which
        they are passed."""
        passed: dict[str, Value] = {}
        for parameter, value in arguments.items():
            if isinstance(value, Int):
                value = self.as_stored(value, parameter in called.indices)
            passed[parameter] = value
        self.program.learn(function, passed)
        self.program.refresh(function)
        return passed

    def _inline(self, called: Source, arguments: dict[str, Value], path: str) -> Value:
        inner = self.opened(Scope(called, path, inline=True), arguments)
        *start, last = called.body
        if isinstance(last, ast.Return) and not has(start, ast.Return):
            self.block(inner, start)
            return Nothing() if last.value is None else self.evaluate(inner, last.value)
        if not has(called.body, ast.Return):
            self.block(inner, called.body)
            return Nothing()
        gives = any(isinstance(part, ast.Return) and part.value for top in called.body for part in ast.walk(top))
        inner.result = self.out_name(Scope(called, path), called.name) if gives else None
        self.block(inner, called.body)
        if inner.result is None:
            return Nothing()
        return self.named(self.facts[inner.result], inner.result)

    def opened(self, inner: Scope, arguments: dict[str, Value]) -> Scope:
        """Bind the parameters of an inlined kernel to `arguments` in its scope `inner`, and return this scope."""
        called = inner.source
        for parameter, value in arguments.items():
            stays = parameter not in called.assigned
            if (
                isinstance(value, Struct)
                or (isinstance(value, Array) and value.data is not None)
                or (stays and (isinstance(value, Tuple) or is_atom(syntax_node(value))))
            ):
                inner.bound[parameter] = value
            else:
                self.assign(inner, parameter, value)
        return inner

    def _call_function(self, called: Source, arguments: dict[str, Value], path: str) -> Value:
        function = self.program.function(called, arguments)
        passed: dict[str, Value] = {}
        for parameter, value in arguments.items():
            if called.entry_arguments is not None and called.entry_arguments.get(parameter) is int:
                assert isinstance(value, Int | Bool)
                value = integers.exact(integers.convert(value, np.dtype(np.int64)))
                passed[parameter] = value
                continue
            passed[parameter] = value
        if called.entry_arguments is None:  # Python may call entry points with any values
            passed = self.learn(function, called, arguments)
        nodes: list[ast.expr] = []
        for parameter in function.shown:
            value = passed[parameter]
            nodes.extend(map(syntax_node, value.items) if isinstance(value, Tuple) else [syntax_node(value)])
        call = ast.Call(name("@" + function.name), nodes, [])
        if called.entry_arguments is not None:
            return Int(call, False, -HALF, HALF - 1)
        result = function.result
        if result is None:
            raise Untranslatable(f"{called.place}: the kernel calls itself, which only entry points may do")
        if isinstance(result, Nothing):
            self.lines.append(ast.Expr(call))
            return result
        if isinstance(result, Tuple):
            output = self.out_name(Scope(called, path), called.name)
            targets: list[ast.expr] = [ast.Name(f"{output}_{suffix}", ast.Store()) for suffix in result.suffixes]
            self.lines.append(ast.Assign([ast.Tuple(targets, ast.Store())], call))
            self.record(output, result)
            return self.named(self.facts[output], output)
        if isinstance(result, Int):
            return replace(result, node=call)
        if isinstance(result, Bool):
            return Bool(call, call)
        raise Untranslatable(f"{called.place}: the kernel's result is not a number")
