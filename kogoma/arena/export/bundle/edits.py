"""Changes to one statement's text on its way into a bundle: other names, no imports, and nothing that is not needed."""

from __future__ import annotations

import ast

from kogoma.arena.export.bundle.definitions import BundleError, Definition, Module, Names
from kogoma.arena.export.bundle.names import attributes_of, integer_calls, is_own


class Edits:
    """The changes to one statement's text: places of its bytes, so that a line's letters don't matter."""

    def __init__(self, bundle: Names, module: Module, definition: Definition) -> None:
        self._data = definition.text.encode()
        self._starts = [0]
        for line in self._data.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._edits: list[tuple[int, int, str]] = []
        attributes, integers = attributes_of(definition.tree), integer_calls(definition.tree)
        gone: set[ast.AST] = set()
        for method in definition.methods:
            if not method.kept:
                self._remove_method(method.node)
                gone.update(ast.walk(method.node))
        for use in [*definition.uses, *(use for method in definition.methods if method.kept for use in method.uses)]:
            place = bundle.resolve(module, use.id)
            if use in integers and place is None:
                self._unwrap(integers[use])
            elif place is not None and place[1] is not None:
                self._replace(use, use.id, bundle.flat(place[0], place[1]))
            elif place is not None:
                inner = bundle.resolve(bundle.module(place[0]), attributes[use].attr)
                assert inner is not None and inner[1] is not None
                whole = attributes[use]
                self._replace(whole, f"{use.id}.{whole.attr}", bundle.flat(inner[0], inner[1]))
        for node in ast.walk(definition.tree):
            if node in gone:
                continue
            if is_own(node):
                assert isinstance(node, ast.ImportFrom)
                self._remove_lines(node)
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                continue
            if node in definition.tree.body:
                self._rename(node, bundle.flat(module.name, node.name))

    def text(self) -> str:
        """The statement as it stands in the file."""
        data = self._data
        for start, end, text in sorted(self._edits, reverse=True):
            data = data[:start] + text.encode() + data[end:]
        return data.decode()

    def _span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[node.end_lineno - 1] + node.end_col_offset

    def _replace(self, node: ast.expr, before: str, after: str) -> None:
        start, end = self._span(node)
        if before == after:
            return
        if self._data[start:end] != before.encode():
            # Python 3.11 does not know where things in f-strings are.
            raise BundleError(f"{before} has another name in the file, and cannot be renamed in an f-string")
        self._edits.append((start, end, after))

    def _unwrap(self, call: ast.Call) -> None:
        (start, end), inner = self._span(call), self._span(call.args[0])
        plain = isinstance(call.args[0], ast.Constant | ast.Name)
        self._edits += [(start, inner[0], "" if plain else "("), (inner[1], end, "" if plain else ")")]

    def _rename(self, node: ast.FunctionDef | ast.ClassDef, text: str) -> None:
        start = self._data.index(b" ", self._span(node)[0]) + 1
        if node.name != text:
            self._edits.append((start, start + len(node.name.encode()), text))

    def _remove_method(self, node: ast.FunctionDef) -> None:
        """With its decorators, and with the blank line or comments before it."""
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        while not (line := self._line(first - 1).strip()) or line.startswith(b"#"):
            first -= 1
        end = self._span(node)[1] + 1
        self._edits.append((self._starts[first - 1], min(end, len(self._data)), ""))

    def _line(self, number: int) -> bytes:
        return self._data[self._starts[number - 1] : self._starts[number]]

    def _remove_lines(self, node: ast.stmt) -> None:
        start, end = self._span(node)
        line_end = self._data.find(b"\n", end)
        self._edits.append((start - node.col_offset, len(self._data) if line_end < 0 else line_end + 1, ""))
