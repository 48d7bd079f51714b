"""The state shared by all translated functions: the functions themselves, and the constant tables that they read."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kogoma.arena.export.translator import lookups, special
from kogoma.arena.export.translator.nodes import name as name_of
from kogoma.arena.export.translator.nodes import unshared
from kogoma.arena.export.translator.scopes import names_read
from kogoma.arena.export.translator.sources import Source, reachable
from kogoma.arena.export.translator.values import (
    HALF,
    Array,
    Int,
    Nothing,
    Struct,
    Untranslatable,
    Value,
    integer,
    join,
    limits,
    same,
)

SMALL = 20  # largest kernel, in nodes, that is inlined everywhere


def table_name(name: str) -> str:
    """Return what the global table that replaces the struct field `name` is called in the generated code."""
    return name.upper()


@dataclass
class Function:
    """One kernel as a function of the generated program, with what is known of its arguments and result."""

    source: Source
    records: dict[str, Struct]
    name: str
    parameters: dict[str, Value] = field(default_factory=dict)
    result: Value | None = None
    tree: ast.FunctionDef | None = None
    busy: bool = False
    kept: bool = False  # its results are memoized
    changed: bool = True
    facts: dict[str, Value] = field(default_factory=dict)
    growth: dict[str, int] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def shown(self) -> list[str]:
        """The parameters that are not constant, in order. For an entry point, constant parameters that are not structs
        are included."""
        return [
            name
            for name in self.source.parameters
            if not _is_constant(self.records.get(name) or self.parameters.get(name, Nothing()))
            or (self.source.entry_arguments is not None and name not in self.records)
        ]


def _is_constant(value: Value) -> bool:
    if isinstance(value, Struct | Array):
        return value.data is not None
    return isinstance(value, Int) and value.known is not None


class Program:
    """The functions and tables of one export."""

    def __init__(self, entries: list[Any], with_cards: bool) -> None:
        self.with_cards = with_cards
        self.functions: dict[tuple[Any, ...], Function] = {}
        self._translator: Any = None
        sources = reachable(entries, with_cards)
        self.index_fields = {field for source in sources for field in source.index_fields}
        self.calls: dict[int, int] = {}
        for source in sources:
            for thing in source.called():
                thing = special.choice(thing, self.with_cards)
                self.calls[id(thing)] = self.calls.get(id(thing), 0) + 1
        self.tables: dict[str, Any] = {}
        self._table_names: dict[tuple[Any, ...], str] = {}
        self.never_inline: set[str] = set()
        self.lengths: dict[int, int] = {}  # maps the length of an axis to its length without unused entries
        self.lookups: dict[str, tuple[Function, tuple[int, ...]]] = {}

    def inlined(self, source: Source) -> bool:
        """Return whether a kernel is inlined into its callers."""
        if source.entry_arguments is not None or source.place in self.never_inline:
            return False
        if special.is_inlined(source.kernel):
            return True
        return source.size <= SMALL or self.calls.get(id(source.kernel), 0) <= 1

    def settle(self, roots: list[Function], translator: Any) -> None:
        """Translate these functions and all functions that they call, again and again, until what is known of their
        arguments and results no longer changes (a fixed point)."""
        self._translator = translator
        for root in roots:
            self.refresh(root)
        for _ in range(8):
            before = [(function.result, function.shown) for function in self.functions.values()]
            for function in list(self.functions.values()):
                function.changed = True
                self.refresh(function)
            after = [(function.result, function.shown) for function in self.functions.values()]
            if len(before) == len(after) and all(
                shown == shown_now and (one is other or (other is not None and same(one, other)))
                for (one, shown), (other, shown_now) in zip(before, after)
            ):
                return
        raise Untranslatable("the analysis of the functions' results does not converge")

    def trees(self, roots: list[Function]) -> list[ast.FunctionDef]:
        """Return the syntax trees of these functions and of all functions that they call."""
        by_name = {function.name: function for function in self.functions.values()}
        used: set[str] = set()
        waiting = [root.name for root in roots]
        while waiting:
            name = waiting.pop()
            tree = by_name[name].tree
            if name not in used and tree is not None:
                used.add(name)
                read = {name[1:] for name in names_read(tree) if name.startswith("@")}
                waiting += [name for name in read if name in by_name]
                waiting += [self.lookups[name][0].name for name in read if name in self.lookups]
        return [unshared(f.tree) for f in self.functions.values() if f.name in used and f.tree is not None]

    def function(self, source: Source, arguments: dict[str, Value], wanted: str = "") -> Function:
        """Return the function generated from a kernel (`source`), specialised for the structs among `arguments`. It is
        created at the first call, and called `wanted` if no other function has this name."""
        records = {name: value for name, value in arguments.items() if isinstance(value, Struct)}
        key = (source.place, *((name, id(record.data), record.role) for name, record in records.items()))
        if key not in self.functions:
            taken = {function.name for function in self.functions.values()}
            name, number = wanted or source.name, 2
            while name in taken:
                name, number = f"{source.name}_{number}", number + 1
            structs = {
                name: record if record.data is not None else Struct(record.role, record.dtype, name_of(name))
                for name, record in records.items()
            }
            made = self.functions[key] = Function(source, structs, name)
            for name, kind in (source.entry_arguments or {}).items():
                if kind is int:
                    made.parameters[name] = Int(name_of(name), False, -HALF, HALF - 1)
        return self.functions[key]

    def refresh(self, function: Function) -> None:
        """Translate a function again if what is known of its arguments has changed."""
        if function.changed and not function.busy:
            function.busy = True
            while function.changed:
                function.changed = False
                function.tree = self._translator(self, function).translate()
            function.busy = False

    def lookup(self, source: Source, arguments: dict[str, Value]) -> str | None:
        """Return the name of a kernel's lookup tables, or None if the kernel cannot be memoized."""
        records = {name: value for name, value in arguments.items() if isinstance(value, Struct)}
        if any(value.data is None for value in records.values()) or len(records) != 1:
            return None
        numbers = lookups.numbering(source, set(records))
        if not numbers:
            return None
        function = self.function(source, arguments)
        name = table_name(function.name)
        if name not in self.lookups:
            (record,) = records.values()
            function.kept = True
            sizes = lookups.sizes(source, numbers, record.data)
            self.lookups[name] = function, tuple(self.lengths.get(size, size) for size in sizes)
        return name

    def learn(self, function: Function, arguments: dict[str, Value]) -> None:
        """Update what is known of the arguments of `function`, such as the interval of their values, with the
        `arguments` of one more call."""
        for name, value in arguments.items():
            if isinstance(value, Struct):
                continue
            known = function.parameters.get(name)
            joined = value if known is None else join(known, value)
            if isinstance(joined, Int) and not _is_constant(joined):
                unsigned, low, high = limits(np.dtype(np.uint64 if joined.unsigned else np.int64))
                if joined.low < 0 and unsigned:
                    low = -high - 1  # allow negative values: an unsigned argument holds them modulo 2**64
                joined = Int(joined.node, unsigned, low, high)
            if known is None or not same(known, joined):
                function.parameters[name] = joined
                function.changed = True

    def table(self, label: str, data: Any) -> ast.expr:
        """Return a node that reads the global table with the content `data`. Add this table to the generated code if it
        is not there yet."""
        data = np.ascontiguousarray(data)
        key = (label.split("_")[0], data.shape, data.dtype.str, data.tobytes())
        if key not in self._table_names:
            name, number = table_name(label), 2
            while name in self.tables:
                name, number = f"{table_name(label)}_{number}", number + 1
            self._table_names[key] = name
            self.tables[name] = data
        return name_of(f"@{self._table_names[key]}")

    def rows(self, array: Array) -> Array:
        """If `array` is a constant array with indices for only some of its axes, return the part that they select as a
        row of a table. A variable of the generated code can hold a row, but not such an array. Return any other array
        unchanged."""
        found = self._read(array)
        return found if isinstance(found, Array) else array

    def element(self, array: Array) -> Int:
        """Return an element of a constant array: its value if all indices are known, otherwise an expression that reads
        it from a table."""
        found = self._read(array)
        assert isinstance(found, Int)
        return found

    def _read(self, array: Array) -> Int | Array:
        unsigned, _, _ = limits(array.dtype)
        data, label = array.data, array.label
        for axis, length in enumerate(data.shape):
            data = np.take(data, range(self.lengths.get(length, length)), axis)
        left: list[Int] = []
        axis = 0
        for index in array.index:
            if index.known is not None:
                if index.known >= data.shape[axis]:
                    return self._beyond(array, unsigned)
                data = np.take(data, index.known, axis)
                label += f"_{index.known}"
            else:
                left.append(index)
                axis += 1
        view = data
        low, high = int(view.min()), int(view.max())
        if low == high and not array.shape:
            return integer(low, unsigned)
        node = self.table(label, data)
        for index in left:
            node = ast.Subscript(node, index.node, ast.Load())
        if array.shape:
            return Array(array.label, array.dtype, array.shape, node=node, span=(low, high))
        return Int(node, unsigned, low, high)

    def _beyond(self, array: Array, unsigned: bool) -> Int | Array:
        """Return 0 as the element at an index beyond the part of the array that the variant uses. Raises Untranslatable
        if the element is not 0 or if a whole row is read."""
        if array.shape:
            raise Untranslatable(f"a kernel reads a row of {array.label} that the variant does not use")
        data = array.data[tuple(slice(None) if index.known is None else index.known for index in array.index)]
        if data.any():
            raise Untranslatable(f"the part of {array.label} that the variant does not use is not zero")
        return integer(0, unsigned)
