"""Rows of tables and lists of records that a function reads again and again get a name of their own."""

from __future__ import annotations

import ast
from collections.abc import Callable

from arena.export.scopes import names_read, names_written

ENOUGH = {"field": 2.6, "row": 1.7}  # reads from which a name pays
IN_BRANCH, IN_LOOP = 0.6, 4.0


class Rows:
    """What stays the same object throughout a function: `dimensions` says how many indices an element takes."""

    def __init__(self, function: ast.FunctionDef, dimensions: Callable[[ast.expr], int]) -> None:
        self.function, self.dimensions = function, dimensions
        self.written: dict[str, int] = {}
        for part in ast.walk(function):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
                self.written[part.id] = self.written.get(part.id, 0) + 1
        for argument in function.args.args:
            self.written[argument.arg] = self.written.get(argument.arg, 0) + 1
        self.aliases: dict[str, int] = {}
        self.known: set[str] = set(self.written)

    def rank(self, node: ast.AST) -> int:
        """How many indices are missing; 0 for anything but a row."""
        if isinstance(node, ast.Name):
            return self.aliases.get(node.id, 0) or (self.dimensions(node) if node.id.startswith("@") else 0)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return self.dimensions(node) if self.written.get(node.value.id) == 1 else 0
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name | ast.Constant):
            if isinstance(node.slice, ast.Name) and self.written.get(node.slice.id) != 1:
                return 0
            return max(self.rank(node.value) - 1, 0)
        return 0

    def candidates(self, node: ast.AST, weight: float, found: dict[str, list[float]]) -> None:
        """Add up the reads of every row in a statement."""
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load) and self.rank(node):
            entry = found.setdefault(ast.unparse(node), [0.0, 0.0])
            entry[0] += weight
            entry[1] += 1
        for field, value in ast.iter_fields(node):
            inner = weight
            if (isinstance(node, ast.If) and field in ("body", "orelse")) or (isinstance(node, ast.IfExp) and field != "test"):
                inner = weight * IN_BRANCH
            elif (isinstance(node, ast.For) and field == "body") or (isinstance(node, ast.While) and field != "orelse"):
                inner = weight * IN_LOOP
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    self.candidates(child, inner, found)

    def block(self, statements: list[ast.stmt], defined: set[str]) -> None:
        """Name the rows that this block reads often enough, then those of the blocks inside."""
        defined = set(defined)
        later: dict[int, set[str]] = {}
        for index, statement in enumerate(statements):
            later[index] = set(defined)
            defined |= names_written(statement)
        tried: set[str] = set()
        while True:
            found: dict[str, list[float]] = {}
            for statement in statements:
                self.candidates(statement, 1.0, found)
            best = None
            for text, (weight, count) in found.items():
                kind = "field" if "[" not in text else "row"
                if text not in tried and count > 1 and weight >= ENOUGH[kind]:
                    if best is None or (text.count("["), -len(text)) < (best.count("["), -len(best)):
                        best = text
            if best is None:
                break
            tried.add(best)
            self._name(statements, best, later)
        for index, statement in enumerate(statements):
            here = set().union(*(names_written(before) for before in statements[:index])) | later.get(0, set())
            for field in ("body", "orelse"):
                inner = getattr(statement, field, None)
                if isinstance(inner, list) and inner:
                    extra = names_written(statement.target) if isinstance(statement, ast.For) else set()
                    self.block(inner, here | extra)

    def _name(self, statements: list[ast.stmt], text: str, later: dict[int, set[str]]) -> None:
        node = ast.parse(text.replace("@", "__at__"), mode="eval").body
        needed = {name.replace("__at__", "@") for name in names_read(node)}
        needed = {name for name in needed if not name.startswith("@")}
        start = later.get(0, set())
        written = set(start)
        for index, statement in enumerate(statements):
            if text in _texts(statement):
                if not needed <= written:
                    return
                break
            written |= names_written(statement)
        else:
            return
        rank = 0
        for part in ast.walk(statements[index]):
            if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Load):
                if ast.unparse(part) == text:
                    rank = self.rank(part)
                    value = part
                    break
        alias = self._free(text)
        self.aliases[alias] = rank
        self.written[alias] = 1
        replace = _Swap(text, alias)
        for position in range(index, len(statements)):
            statements[position] = replace.visit(statements[position])
        statements.insert(index, ast.Assign([ast.Name(alias, ast.Store())], value))

    def _free(self, text: str) -> str:
        base = text.split("[")[0].split(".")[-1].lower().lstrip("@")
        for index in text.split("[")[1:]:
            word = index.rstrip("]")
            base += f"_{word}" if word.isidentifier() or word.isdigit() else ""
        found, number = base, 2
        while found in self.known:
            found, number = f"{base}_{number}", number + 1
        self.known.add(found)
        return found


def _texts(node: ast.AST) -> set[str]:
    return {
        ast.unparse(part)
        for part in ast.walk(node)
        if isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Load)
    }


class _Swap(ast.NodeTransformer):
    def __init__(self, text: str, alias: str) -> None:
        self.text, self.alias = text, alias

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """The name for the row."""
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Load):
            if ast.unparse(node) == self.text:
                return ast.Name(self.alias, ast.Load())
        return super().generic_visit(node)


def hoist(function: ast.FunctionDef, dimensions: Callable[[ast.expr], int]) -> None:
    """Give names to rows, in place."""
    rows = Rows(function, dimensions)
    rows.block(function.body, {argument.arg for argument in function.args.args})


__all__ = ["hoist", "names_read"]
