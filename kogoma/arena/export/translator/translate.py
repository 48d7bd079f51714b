"""Translate the kernels of one variant to plain Python source that computes the same results."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from kogoma.arena.export.translator import lookups
from kogoma.arena.export.translator.fold.statements import Statements
from kogoma.arena.export.translator.lookups import used_length
from kogoma.arena.export.translator.program import Function, Program
from kogoma.arena.export.translator.scopes import names_read
from kogoma.arena.export.translator.simplify import tidy
from kogoma.arena.export.translator.sources import source
from kogoma.arena.export.translator.structs import RECORD, record_class, tables_source
from kogoma.arena.export.translator.values import Array, Struct, Value
from kogoma.arena.export.translator.writing import BUILTINS, function_text, merged

SQUARES_OF = '''
class _Squares(dict):
    """Maps a bitboard to the tuple of its squares, lowest first, computed on first use."""

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


MIN_SHORTENED = 16  # minimum length of an axis whose unused part is left out

Entry = tuple[str, Any, dict[str, Any]]  # (name in the source, entry point, structs that become part of the source)


def translate(
    entries: list[Entry],
    layout: str,
    *,
    shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
    words: int = 1 << 17,
) -> str:
    """Return Python source that computes these entry points for one variant. Each of `entries` gives the values of some
    struct arguments, which become constants in the source; the other arguments remain. `shapes` overrides the shapes of
    fields that can be smaller than in the layout. `words` is the length of the list that holds the transposition table,
    with 8 items per bucket. Raises Untranslatable if a kernel cannot be translated."""
    program = Program([entry for _, entry, _ in entries], layout == "onitama")
    classes: dict[str, np.dtype[Any]] = {}
    roots: dict[str, Function] = {}
    fields: dict[bytes, dict[str, Any]] = {}
    for exported, entry, known in entries:
        found = source(entry)
        records: dict[str, Value] = {}
        arrays: dict[str, Value] = {}
        for name, kind in (found.entry_arguments or {}).items():
            if isinstance(kind, list):
                arrays[name] = Array(name, np.dtype(kind[0](layout)), (0,), node=ast.Name(name, ast.Load()))
            elif name in known:
                # Equal structs become one object, so that their functions are shared.
                data = fields.setdefault(known[name].tobytes(), fields_of(known[name]))
                records[name] = Struct(name, kind(layout), data=data)
            elif kind is not int:
                records[name] = Struct(name, kind(layout), node=ast.Name(name, ast.Load()))
                classes[name] = kind(layout)
        roots[exported] = program.function(found, records, exported)
        roots[exported].parameters.update(arrays)
    program.lengths = used_lengths(list(fields.values()))
    program.settle(list(roots.values()), Statements)
    trees = program.trees(list(roots.values()))
    listed = {role: {name for name in dtype.names or () if dtype[name].shape} for role, dtype in classes.items()}
    named = {tree.name for tree in trees} | set(BUILTINS)
    for tree in trees:
        tidy(tree, listed, named)
    trees, kept_lookups = merged(trees, set(roots), {n: (f.name, s) for n, (f, s) in program.lookups.items()})
    read = {name for tree in trees for name in names_read(tree)}
    parts = ["import base64", "import lzma", "import struct", "from time import perf_counter_ns", ""]
    parts.append(f"memory = [0] * {words}")
    parts.append(SQUARES_OF)
    parts.append(tables_source({name: data for name, data in program.tables.items() if f"@{name}" in read}))
    parts.append(RECORD)
    parts += [record_class(name, dtype, shapes) for name, dtype in classes.items()]
    functions = {tree.name for tree in trees}
    parts += [function_text(tree, functions) for tree in trees]
    used = {name: found for name, found in kept_lookups.items() if f"@{name}" in read}
    if used:
        parts.append(f"\n{lookups.HELPER}\n")
    parts += [f"{name} = looked_up({function}, {sizes!r})" for name, (function, sizes) in used.items()]
    return "\n".join(parts) + "\n"


def used_lengths(records: list[dict[str, Any]]) -> dict[int, int]:
    """Return a dict that maps each length of an axis of the structs' arrays to the part of this length that the variant
    uses. The unused rest contains only zeros."""
    used: dict[int, int] = {}
    for array in (array for record in records for array in record.values()):
        array = np.asarray(array)
        for axis, length in enumerate(array.shape):
            # Arrays of Zobrist keys have no unused part: they are filled in every variant.
            keys = array.dtype == np.uint64 and array.max() >> np.uint64(63)
            if length >= MIN_SHORTENED and array.any() and not keys:
                used[length] = max(used.get(length, 1), used_length(array, axis))
    return used


def fields_of(record: Any) -> dict[str, Any]:
    """Return the content of a struct's fields by name."""
    row = record[0] if record.shape else record
    return {name: row[name] for name in row.dtype.names}
