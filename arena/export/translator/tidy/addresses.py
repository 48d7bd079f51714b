"""Addresses in the memory of the transposition table, as indices of a list of words."""

from __future__ import annotations

import ast

from arena.export.translator.fold.values import Untranslatable


class Addresses(ast.NodeTransformer):
    """Addresses of words become indices of words, counted from the memory's beginning at address 0."""

    def __init__(self, function: ast.FunctionDef) -> None:
        self.names: set[str] = set()
        places = [
            part.slice.left
            for part in ast.walk(function)
            if isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Name)
            and part.value.id == "@memory"
            and isinstance(part.slice, ast.BinOp)
        ]
        for place in places:
            self.names |= _terms(place)
        size = -1
        while size != len(self.names):
            size = len(self.names)
            for part in ast.walk(function):
                if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                    if part.targets[0].id in self.names:
                        self.names |= _terms(part.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """memory[address >> 3]."""
        if isinstance(node.value, ast.Name) and node.value.id == "@memory" and isinstance(node.slice, ast.BinOp):
            return ast.Subscript(node.value, self.words(node.slice.left), node.ctx)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """An address kept."""
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.names:
            return ast.Assign(node.targets, self.words(node.value))
        self.generic_visit(node)
        return node

    def words(self, node: ast.expr) -> ast.expr:
        """An address divided by 8."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value % 8 == 0:
            return ast.Constant(node.value // 8)
        if isinstance(node, ast.Name) and node.id in self.names:
            return node
        if isinstance(node, ast.Attribute):
            return ast.Constant(0)  # where the memory begins
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = self.words(node.left), self.words(node.right)
            if isinstance(left, ast.Constant) and left.value == 0:
                return right
            return ast.BinOp(left, ast.Add(), right)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult) and isinstance(node.right, ast.Constant):
            return ast.BinOp(node.left, ast.Mult(), self.words(node.right))
        raise Untranslatable(f"no address of a word: {ast.unparse(node)}")


def _terms(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) | _terms(node.right)
    return set()
