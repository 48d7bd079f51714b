"""Whose names are whose: a kernel's variables where it is translated, alone or inside another."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from kogoma.arena.export.translator.sources import Source
from kogoma.arena.export.translator.values import Value


@dataclass
class Scope:
    """One kernel at one place; an unrolled turn of a loop has a scope inside its kernel's."""

    source: Source
    path: str  # names the place, the same in every pass
    bound: dict[str, Value] = field(default_factory=dict)  # names that stand for values of the caller
    parent: Scope | None = None
    own: frozenset[str] = frozenset()  # with a parent: the only names that are not the parent's
    inline: bool = False
    result: str | None = None  # the caller's variable that the result goes to
    loop_return: bool = False  # a return has to leave a loop

    def is_local(self, name: str) -> bool:
        """Whether it is a variable or parameter."""
        return name in self.bound or name in self.source.assigned or name in self.source.parameters

    def home(self, name: str) -> Scope:
        """The scope that has this name."""
        scope = self
        while scope.parent is not None and name not in scope.own and name not in scope.bound:
            scope = scope.parent
        return scope


def names_read(node: ast.AST) -> set[str]:
    """Names that are read in it."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}


def names_written(node: ast.AST) -> set[str]:
    """Names that are assigned in it."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def has(nodes: list[ast.stmt], *kinds: type[ast.AST]) -> bool:
    """Whether a node of these kinds is in them."""
    return any(isinstance(part, kinds) for node in nodes for part in ast.walk(node))


def leaves_loop(nodes: list[ast.stmt]) -> bool:
    """Whether `break` or `continue` in these statements means the loop around them."""
    for node in nodes:
        if isinstance(node, ast.Break | ast.Continue):
            return True
        if isinstance(node, ast.If) and (leaves_loop(node.body) or leaves_loop(node.orelse)):
            return True
    return False


def breaks(nodes: list[ast.stmt]) -> bool:
    """Whether a `break` in these statements means the loop around them."""
    for node in nodes:
        if isinstance(node, ast.Break):
            return True
        if isinstance(node, ast.If) and (breaks(node.body) or breaks(node.orelse)):
            return True
    return False


def returns_in_inner_loop(nodes: list[ast.stmt]) -> bool:
    """Whether a `return` stands inside a loop that is one of these statements."""
    for node in nodes:
        if isinstance(node, ast.For | ast.While) and has(node.body, ast.Return):
            return True
        if isinstance(node, ast.If) and (returns_in_inner_loop(node.body) or returns_in_inner_loop(node.orelse)):
            return True
    return False


def always_leaves(nodes: list[ast.stmt]) -> bool:
    """Whether nothing behind these statements is ever reached."""
    if not nodes:
        return False
    last = nodes[-1]
    if isinstance(last, ast.Return | ast.Break | ast.Continue):
        return True
    return isinstance(last, ast.If) and always_leaves(last.body) and always_leaves(last.orelse)


def iteration_names(source: Source, loop: ast.For | ast.While) -> frozenset[str]:
    """Variables that live within one turn of a loop: written first in every turn, unknown outside."""
    inside = {id(part) for node in loop.body for part in ast.walk(node)}
    outside = {
        part.id
        for node in source.body
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and id(part) not in inside
    }
    found: set[str] = set()
    seen: set[str] = set()
    for node in loop.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            seen |= names_read(node.value)
            if node.targets[0].id not in seen | outside:
                found.add(node.targets[0].id)
        seen |= names_read(node) | names_written(node)
    return frozenset(found)
