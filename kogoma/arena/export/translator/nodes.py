"""Helpers for syntax tree nodes of the generated source.

Module-level names begin with @ until the source is written, so that they cannot collide with variables.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any


def is_atom(node: ast.expr) -> bool:
    """Return whether an expression may be duplicated at no cost."""
    return isinstance(node, ast.Name | ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def name(text: str) -> ast.Name:
    """Return a syntax tree node that reads the name `text`."""
    return ast.Name(text, ast.Load())


def calls_something(node: ast.AST) -> bool:
    """Return whether an expression or statement calls a kernel. Methods and builtins have no side effects and do not
    count."""
    return any(
        isinstance(part, ast.Call) and isinstance(part.func, ast.Name) and part.func.id.startswith("@")
        for part in ast.walk(node)
    )


def reads_state(node: ast.AST) -> bool:
    """Return whether the value of an expression depends on state that kernels may change."""
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute):
            if part.attr not in ("bit_count", "bit_length"):
                return True
        elif isinstance(part, ast.Subscript):
            base: ast.expr = part
            while isinstance(base, ast.Subscript):
                base = base.value
            if not (isinstance(base, ast.Name) and base.id.startswith("@")) or base.id == "@memory":
                return True
    return calls_something(node)


def changes_state(lines: Sequence[ast.stmt]) -> bool:
    """Return whether any of these statements does more than assign local variables."""
    return any(
        calls_something(line) or (isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store))
        for line in lines
        for part in ast.walk(line)
    )


def unshared(node: Any) -> Any:
    """Return a copy of a syntax tree. In the copy, no node occurs twice."""
    made = type(node)()
    for field, value in ast.iter_fields(node):
        if isinstance(value, list):
            value = [unshared(part) if isinstance(part, ast.AST) else part for part in value]
        elif isinstance(value, ast.AST):
            value = unshared(value)
        setattr(made, field, value)
    return made
