"""Arrays of records that a function uses often get local names: their lists are the same as long as it runs."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from kogoma.arena.export.translator.nodes import name

OFTEN = 3


def name_arrays(function: ast.FunctionDef, arrays: Mapping[str, set[str]], taken: set[str]) -> None:
    """`arrays`: record -> its fields that are arrays; `taken`: names that no variable may have."""
    uses = Counter(found for part in ast.walk(function) if (found := _array(part, arrays)) is not None)
    used = {part.id for part in ast.walk(function) if isinstance(part, ast.Name)} | taken
    used |= {part.arg for part in ast.walk(function) if isinstance(part, ast.arg)}
    chosen: dict[tuple[str, str], str] = {}
    for (record, field), count in uses.items():
        if count >= OFTEN:
            own = next(own for own in (field, f"{field}_", f"{record}_{field}") if own not in used)
            used.add(own)
            chosen[record, field] = own
    _Named(chosen, arrays).visit(function)
    first = 1 if ast.get_docstring(function) is not None else 0
    function.body[first:first] = [
        ast.Assign([ast.Name(own, ast.Store())], ast.Attribute(name(record), field, ast.Load()))
        for (record, field), own in chosen.items()
    ]


def _array(node: ast.AST, arrays: Mapping[str, set[str]]) -> tuple[str, str] | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in arrays.get(node.value.id, ()):
            return node.value.id, node.attr
    return None


class _Named(ast.NodeTransformer):
    def __init__(self, chosen: dict[tuple[str, str], str], arrays: Mapping[str, set[str]]) -> None:
        self.chosen, self.arrays = chosen, arrays

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """The name for the field."""
        found = _array(node, self.arrays)
        if found in self.chosen:
            return name(self.chosen[found])
        self.generic_visit(node)
        return node
