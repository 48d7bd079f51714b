"""Variables of the generated function: their names, what is known of each, and assignments to them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kogoma.arena.export.translator.fold import integers
from kogoma.arena.export.translator.nodes import is_atom
from kogoma.arena.export.translator.program import Function, Program
from kogoma.arena.export.translator.scopes import Scope
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
    join,
    renamed,
    same,
    syntax_node,
)

COUNTED = 1 << 48  # counters never reach this


class Variables:
    """The part of a translation that handles variables."""

    program: Program
    function: Function
    lines: list[ast.stmt]
    place: tuple[int, int, int] = (0, 0, 0)  # position of the current expression
    facts: dict[str, Value]
    growth: dict[str, int]
    names: dict[tuple[str, str], str]
    stable: bool

    def apart(self, work: Callable[[], Any]) -> tuple[Any, list[ast.stmt]]:
        """Call `work`; return its result and the statements that it emitted, which are not added to the function."""
        outer, self.lines = self.lines, []
        try:
            result = work()
        finally:
            written, self.lines = self.lines, outer
        return result, written

    def set_place(self, node: ast.expr) -> None:
        """Set the current expression, whose position identifies variables that are made for it."""
        self.place = node.lineno, node.col_offset, node.end_col_offset or 0

    def out_name(self, scope: Scope, variable: str) -> str:
        """Return the name of a kernel's variable in the generated function."""
        if not self.names:
            self.names.update({("", parameter): parameter for parameter in self.function.source.parameters})
        scope = scope.home(variable)
        key = (scope.path, variable)
        if key not in self.names:
            taken, found, number = set(self.names.values()), variable, 2
            while found in taken:
                found, number = f"{variable}_{number}", number + 1
            self.names[key] = found
        return self.names[key]

    def read(self, scope: Scope, variable: str) -> Value:
        """Return the value of a kernel's variable, as far as it is known."""
        home = scope.home(variable)
        if variable in home.bound:
            return home.bound[variable]
        output = self.out_name(scope, variable)
        if output not in self.facts:
            raise Untranslatable(f"{scope.source.place}: {variable} may be read before a value is assigned to it")
        return self.named(self.facts[output], output)

    def named(self, value: Value, output: str) -> Value:
        """Return `value` with an expression that reads it from the variable `output`."""
        if isinstance(value, Tuple):
            items = tuple(self.named(item, f"{output}_{suffix}") for suffix, item in zip(value.suffixes, value.items))
            return replace(value, items=items)
        return renamed(value, output)

    def record(self, output: str, value: Value) -> None:
        """Record that `value` is assigned to the variable `output`, by joining it with the values assigned before."""
        known = self.facts.get(output)
        joined = value if known is None else join(known, value)
        if known is not None and same(known, joined):
            return
        self.stable = False
        count = self.growth[output] = self.growth.get(output, 0) + 1
        if count > 4 and isinstance(joined, Int) and isinstance(known, Int):
            # Widen intervals that keep growing.
            low, high = joined.low, joined.high
            if joined.unsigned:
                low = low if low >= known.low else (0 if low >= 0 else -WORD)
                high = high if high <= known.high else (COUNTED if high < COUNTED else WORD - 1)
            else:
                low, high = (low if low >= known.low else -HALF), (high if high <= known.high else HALF - 1)
            joined = replace(joined, low=low, high=high)
        self.facts[output] = joined

    def assign(self, scope: Scope, variable: str, value: Value) -> None:
        """Translate `variable = value`."""
        output = self.out_name(scope, variable)
        if isinstance(value, Int):
            value = self.as_stored(value, variable in scope.source.indices)
        self.store(output, value)

    def as_stored(self, value: Int, is_index: bool = False) -> Int:
        """Return the value in the form in which a variable holds it: limited to the range of its type. Unsigned values
        are reduced modulo 2**64 if necessary."""
        if not value.unsigned:
            return replace(value, low=max(value.low, -HALF), high=min(value.high, HALF - 1))
        if is_index:
            if value.known is not None:
                return value
            return replace(value, low=max(value.low, 0), high=max(min(value.high, INDEX_LIMIT), max(value.low, 0)))
        if value.low < -WORD or value.high >= WORD:
            return integers.exact(value)
        return value

    def store(self, output: str, value: Value) -> None:
        """Assign a value to a variable of the generated function."""
        if isinstance(value, Array) and value.data is not None and any(index.known is None for index in value.index):
            value = self.program.rows(value)
        if isinstance(value, Struct | Nothing) or (isinstance(value, Array) and value.data is not None):
            self.record(output, value)
            return
        if isinstance(value, Tuple):
            items = [self.as_stored(item) if isinstance(item, Int) else item for item in value.items]
            targets = [ast.Name(f"{output}_{suffix}", ast.Store()) for suffix in value.suffixes]
            nodes = [syntax_node(item) for item in items]
            if all(is_atom(node) for node in nodes):
                self.lines.extend(ast.Assign([target], node) for target, node in zip(targets, nodes))
            else:
                self.lines.append(ast.Assign([ast.Tuple(list(targets), ast.Store())], ast.Tuple(nodes, ast.Load())))
            self.record(output, replace(value, items=tuple(items)))
            return
        known = self.facts.get(output)
        if isinstance(value, Bool) and isinstance(known, Int):
            value = as_integer(value)
        self.record(output, value)
        node = syntax_node(value)
        if not (isinstance(node, ast.Name) and node.id == output):
            self.lines.append(ast.Assign([ast.Name(output, ast.Store())], node))

    def hold(self, scope: Scope, hint: str, value: Value) -> Value:
        """Assign a value to a new variable. Return the value with an expression that reads this variable."""
        output = self.out_name(Scope(scope.source, f"{scope.path}/{self.place}"), hint)
        if isinstance(value, Int):
            value = self.as_stored(value)
        self.store(output, value)
        return self.named(self.facts[output], output)
