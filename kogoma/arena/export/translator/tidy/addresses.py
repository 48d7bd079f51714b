"""Addresses in the transposition table's memory, and in the evaluation's tables, as indices of lists."""

from __future__ import annotations

import ast

from kogoma.arena.export.translator.values import Untranslatable


class Addresses(ast.NodeTransformer):
    """Addresses of what takes so many bytes become indices of a list, counted from its beginning at address 0."""

    def __init__(self, function: ast.FunctionDef, memory: str, size: int) -> None:
        self.memory, self.size = memory, size
        self.names: set[str] = set()
        places = [
            part.slice.left
            for part in ast.walk(function)
            if isinstance(part, ast.Subscript)
            and isinstance(part.value, ast.Name)
            and part.value.id == memory
            and isinstance(part.slice, ast.BinOp)
        ]
        for place in places:
            self.names |= _terms(place)
        known = -1
        while known != len(self.names):
            known = len(self.names)
            for part in ast.walk(function):
                if isinstance(part, ast.Assign) and isinstance(part.targets[0], ast.Name):
                    if part.targets[0].id in self.names:
                        self.names |= _terms(part.value)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """memory[address >> 3]."""
        if isinstance(node.value, ast.Name) and node.value.id == self.memory and isinstance(node.slice, ast.BinOp):
            return ast.Subscript(node.value, self.words(node.slice.left), node.ctx)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """An address kept."""
        if isinstance(node.targets[0], ast.Name) and node.targets[0].id in self.names:
            return ast.Assign(node.targets, self.words(node.value))
        self.generic_visit(node)
        return node

    def words(self, node: ast.expr) -> ast.expr:
        """An address divided by the size."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value % self.size == 0:
            return ast.Constant(node.value // self.size)
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
            factor = self.words(node.right)
            assert isinstance(factor, ast.Constant)
            return node.left if factor.value == 1 else ast.BinOp(node.left, ast.Mult(), factor)
        raise Untranslatable(f"no address of a word: {ast.unparse(node)}")


def _terms(node: ast.expr) -> set[str]:
    if isinstance(node, ast.Name):
        return {node.id}
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _terms(node.left) | _terms(node.right)
    return set()
