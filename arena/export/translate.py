"""Kernels of one game -> a source file of plain Python that computes the same."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from arena.export.program import Function, Program
from arena.export.records import record_class, tables_source
from arena.export.scopes import names_read
from arena.export.sources import source
from arena.export.statements import Statements
from arena.export.tidy import tidy
from arena.export.values import Array, Record, Value

SQUARES_OF = '''
class _Squares(dict):
    """Bitboard -> its squares, lowest first, worked out when first asked for."""

    def __missing__(self, board):
        if len(self) > 200000:
            self.clear()
        squares, rest = [], board
        while rest:
            squares.append((rest & -rest).bit_length() - 1)
            rest &= rest - 1
        self[board] = found = tuple(squares)
        return found


squares_of = _Squares()
'''


def translate(
    entries: list[Any], layout: str, constants: dict[str, Any], *, deadline: int = 0, words: int = 1 << 17
) -> str:
    """The source of these entries for one game."""
    with_cards = layout == "onitama"

    def work(program: Program, function: Function) -> None:
        function.tree = Statements(program, function, deadline).translate()

    program = Program(entries, with_cards, work)
    classes: dict[str, np.dtype[Any]] = {}
    roots: list[Function] = []
    for entry in entries:
        found = source(entry)
        assert found.entry_kinds is not None
        arguments: dict[str, Value] = {}
        numbers: dict[str, Value] = {}
        for name, kind in found.entry_kinds.items():
            if kind is int:
                continue
            if isinstance(kind, list):
                numbers[name] = Array(name, np.dtype(kind[0](layout)), (0,), node=ast.Name(name, ast.Load()))
            elif name in constants:
                arguments[name] = Record(name, kind(layout), data=_fields(constants[name]))
            else:
                arguments[name] = Record(name, kind(layout), node=ast.Name(name, ast.Load()))
                classes[name] = kind(layout)
        function = program.function(found, arguments)
        function.parameters.update(numbers)
        roots.append(function)
        program.refresh(function)
    for _ in range(8):
        before = [function.result for function in program.functions.values()]
        for function in list(program.functions.values()):
            function.changed = True
            program.refresh(function)
        from arena.export.values import same

        after = [function.result for function in program.functions.values()]
        if len(before) == len(after) and all(
            one is other or (one is not None and other is not None and same(one, other))
            for one, other in zip(before, after)
        ):
            break
    used, waiting = {}, list(roots)
    by_name = {function.name: function for function in program.functions.values()}
    while waiting:
        function = waiting.pop()
        if function.name in used:
            continue
        used[function.name] = function
        assert function.tree is not None
        waiting += [by_name[name[1:]] for name in names_read(function.tree) if name.startswith("@") and name[1:] in by_name]
    order = [function for function in program.functions.values() if function.name in used]
    trees = [function.tree for function in order if function.tree is not None]
    for tree in trees:
        tidy(tree)
    read = {name for tree in trees for name in names_read(tree)}
    bodies = [_print(tree, set(by_name)) for tree in trees]
    parts = ['"""The engine."""', "", "from time import perf_counter", ""]
    if deadline:
        parts.append('deadline = float("inf")')
    parts.append(f"memory = [0] * {words}")
    parts.append(SQUARES_OF)
    parts.append(tables_source({name: data for name, data in program.tables.items() if f"@{name}" in read}))
    parts += [record_class(name, dtype) for name, dtype in classes.items()]
    parts += bodies
    return "\n".join(parts)


_FIELDS: dict[int, Any] = {}


def _fields(record: Any) -> Any:
    """Field -> content, the same object for the same record."""
    if id(record) not in _FIELDS:
        row = record[0] if record.shape else record
        _FIELDS[id(record)] = (record, {name: row[name] for name in row.dtype.names})
    return _FIELDS[id(record)][1]


def _print(tree: ast.FunctionDef, functions: set[str]) -> str:
    import keyword

    local = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and not part.id.startswith("@")}
    local |= {part.arg for part in ast.walk(tree) if isinstance(part, ast.arg)}
    clashes = {name for name in local if name in functions or name in ("list", "abs", "range") or keyword.iskeyword(name)}
    clashes -= {"abs", "range"}
    for part in ast.walk(tree):
        if isinstance(part, ast.Name):
            if part.id.startswith("@"):
                part.id = part.id[1:]
            elif part.id in clashes:
                part.id += "_"
        elif isinstance(part, ast.arg) and part.arg in clashes:
            part.arg += "_"
    text = ast.unparse(ast.fix_missing_locations(tree))
    return "\n\n" + re.sub(r"^( *)['\"]#:(.*)['\"]$", r"\1\2", text, flags=re.M)
