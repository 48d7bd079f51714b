"""Whose names are whose: a kernel's variables where it is translated, alone or inside another."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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


def _here(nodes: list[ast.stmt]) -> Iterator[ast.stmt]:
    """These statements and those of branches among them, but not of loops."""
    for node in nodes:
        yield node
        if isinstance(node, ast.If):
            yield from _here([*node.body, *node.orelse])


def leaves_loop(nodes: list[ast.stmt], *kinds: type[ast.AST]) -> bool:
    """Whether `break` or `continue`, or one of these kinds, in these statements means the loop around them."""
    return any(isinstance(node, kinds or (ast.Break, ast.Continue)) for node in _here(nodes))


def returns_in_inner_loop(nodes: list[ast.stmt]) -> bool:
    """Whether a `return` stands inside a loop that is one of these statements."""
    return any(isinstance(node, ast.For | ast.While) and has(node.body, ast.Return) for node in _here(nodes))


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
    inside = {part for node in loop.body for part in ast.walk(node)}
    outside = {part.id for part in source.walk() if isinstance(part, ast.Name) and part not in inside}
    found: set[str] = set()
    seen: set[str] = set()
    for node in loop.body:
        match node:
            case ast.Assign([ast.Name(variable)], value) if variable not in seen | names_read(value) | outside:
                found.add(variable)
        seen |= names_read(node) | names_written(node)
    return frozenset(found)
