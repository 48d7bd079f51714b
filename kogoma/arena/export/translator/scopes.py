"""Scopes: a kernel's variables, where it is translated by itself or inlined into another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from kogoma.arena.export.translator.sources import Source
from kogoma.arena.export.translator.values import Value


@dataclass
class Scope:
    """The variables of a kernel at a place where it is translated, as a function of its own or inlined into another
    one. Each iteration of an unrolled loop has a child scope."""

    source: Source
    path: str  # identifies the place; it is the same in every pass
    bound: dict[str, Value] = field(default_factory=dict)  # names bound to values of the caller
    parent: Scope | None = None
    inline: bool = False
    result: str | None = None  # the caller's variable for the result
    loop_return: bool = False  # in the body of a loop, which a `return` of the inlined kernel must leave

    def is_local(self, name: str) -> bool:
        """Return whether a name is a variable or parameter of the kernel, not a global name."""
        return name in self.bound or name in self.source.assigned or name in self.source.parameters

    def home(self, name: str) -> Scope:
        """Return the scope to which a name belongs: this scope, or the nearest enclosing scope that defines the
        name."""
        scope = self
        while scope.parent is not None and name not in scope.bound:
            scope = scope.parent
        return scope


def names_read(node: ast.AST) -> set[str]:
    """Return the names that are read in a node."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def names_written(node: ast.AST) -> set[str]:
    """Return the names that are assigned in a node."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def has(nodes: list[ast.stmt], *kinds: type[ast.AST]) -> bool:
    """Return whether any node of these types is in the statements."""
    return any(isinstance(part, kinds) for node in nodes for part in ast.walk(node))


def _here(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield these statements and those inside their `if` branches, but not those inside loops."""
    for node in nodes:
        yield node
        if isinstance(node, ast.If):
            yield from _here([*node.body, *node.orelse])


def leaves_loop(nodes: list[ast.stmt], *kinds: type[ast.AST]) -> bool:
    """Return whether these statements contain one of `kinds` (default: `break` or `continue`) outside inner loops."""
    return any(isinstance(node, kinds or (ast.Break, ast.Continue)) for node in _here(nodes))


def returns_in_inner_loop(nodes: list[ast.stmt]) -> bool:
    """Return whether a loop among these statements contains `return`."""
    return any(isinstance(node, ast.For | ast.While) and has(node.body, ast.Return) for node in _here(nodes))


def always_leaves(nodes: list[ast.stmt]) -> bool:
    """Return whether the code after these statements is unreachable."""
    if not nodes:
        return False
    last = nodes[-1]
    if isinstance(last, ast.Return | ast.Break | ast.Continue):
        return True
    return isinstance(last, ast.If) and always_leaves(last.body) and always_leaves(last.orelse)
