"""Write generated functions as source text, without duplicate functions."""

from __future__ import annotations

import ast
import keyword
import re

BUILTINS = ("abs", "range")  # builtins that generated functions use


class _Short(ast.NodeTransformer):
    """Turns x = x + y into x += y."""

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """Shorten an assignment such as `x = x + y` to `x += y`."""
        value, target = node.value, node.targets[0]
        if not isinstance(target, ast.Name | ast.Attribute | ast.Subscript):
            return node
        if isinstance(value, ast.BinOp) and ast.unparse(value.left) == ast.unparse(target):
            return ast.AugAssign(target, value.op, value.right)
        return node


Lookups = dict[str, tuple[str, tuple[int, ...]]]  # (function, sizes) by the lookup's name


def merged(trees: list[ast.FunctionDef], kept: set[str], lookups: Lookups) -> tuple[list[ast.FunctionDef], Lookups]:
    """Return the functions and lookup tables without duplicates. Calls of a removed function are replaced by calls of
    the first function with the same code. Functions in `kept` are not removed."""
    while True:
        first: dict[str, str] = {}
        same: dict[str, str] = {}
        for tree in trees:
            text = ast.unparse(ast.fix_missing_locations(tree)).replace(f"@{tree.name}(", "@self(")
            text = text.replace(f"def {tree.name}(", "def self(", 1)
            if text in first and tree.name not in kept:
                same[tree.name] = first[text]
            else:
                first.setdefault(text, tree.name)
        trees = [tree for tree in trees if tree.name not in same]
        lookups = {name: (same.get(function, function), sizes) for name, (function, sizes) in lookups.items()}
        tables: dict[tuple[str, tuple[int, ...]], str] = {}
        for name, found in lookups.items():
            if tables.setdefault(found, name) != name:
                same[name] = tables[found]
        if not same:
            return trees, lookups
        lookups = {name: found for name, found in lookups.items() if name not in same}
        for tree in trees:
            for part in ast.walk(tree):
                if isinstance(part, ast.Name) and part.id[1:] in same and part.id.startswith("@"):
                    part.id = "@" + same[part.id[1:]]


def function_text(tree: ast.FunctionDef, functions: set[str]) -> str:
    """Return the source of a function. Variables with the name of a function or keyword get a trailing underscore."""
    local = {part.id for part in ast.walk(tree) if isinstance(part, ast.Name) and not part.id.startswith("@")}
    local |= {part.arg for part in ast.walk(tree) if isinstance(part, ast.arg)}
    clashes = {name for name in local if name in functions or name == "list" or keyword.iskeyword(name)}
    for part in ast.walk(tree):
        if isinstance(part, ast.Name):
            if part.id.startswith("@"):
                part.id = part.id[1:]
            elif part.id in clashes and part.id not in BUILTINS:
                part.id += "_"
        elif isinstance(part, ast.arg) and part.arg in clashes:
            part.arg += "_"
    text = ast.unparse(ast.fix_missing_locations(_Short().visit(tree)))
    return "\n\n" + re.sub(r"^( *)['\"]#:(.*)['\"]$", r"\1\2", text, flags=re.M)
