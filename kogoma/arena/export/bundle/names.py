"""Find the names in Python code that refer to something outside it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeGuard

INTEGERS = {"uint64", "int64", "uint16", "int32", "int16", "uint8"}  # numpy types; their calls become numbers
PROJECT = "kogoma"
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*DEFINITIONS, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def is_own(node: ast.AST) -> TypeGuard[ast.ImportFrom]:
    """Return whether the node imports from the project."""
    return isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == PROJECT


def outer_names(node: ast.AST) -> list[ast.Name]:
    """Return every use or assignment of a module-level name in the code. Annotations are skipped, because they are
    never evaluated."""
    finder = _Finder()
    finder.visit(node)
    return finder.found


def bound_names(statements: list[ast.stmt]) -> set[str]:
    """Return the names that these statements bind in their scope, except names imported from the project."""
    bound: set[str] = set()
    for node in _walk_scope(statements):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, DEFINITIONS):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom) and not is_own(node):
            bound |= {alias.asname or alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
    return bound


def _walk_scope(statements: list[ast.stmt]) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(statements)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, SCOPES):
            waiting += ast.iter_child_nodes(node)


class _Finder(ast.NodeVisitor):
    """Collects module-level names. `_scopes` is the stack of inner scopes: (is a class, names bound there)."""

    def __init__(self) -> None:
        self.found: list[ast.Name] = []
        self._scopes: list[tuple[bool, set[str]]] = []

    def visit_Name(self, node: ast.Name) -> None:
        last = len(self._scopes) - 1
        for index, (is_class, bound) in enumerate(self._scopes):
            # Names bound in a class are visible in the class's own statements, not in its methods.
            if node.id in bound and (not is_class or index == last):
                return
        self.found.append(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        for outer in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(outer)
        self._enter(False, _parameters(node.args) | (bound_names(node.body) - _declared_global(node.body)), node.body)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for outer in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(outer)
        self._enter(False, _parameters(node.args), [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for outer in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(outer)
        self._enter(True, bound_names(node.body), node.body)

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        self.visit(node.generators[0].iter)
        targets = {name.id for part in node.generators for name in ast.walk(part.target) if isinstance(name, ast.Name)}
        inner: list[ast.AST] = [test for part in node.generators for test in part.ifs]
        inner += [part.iter for part in node.generators[1:]]
        inner += [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._enter(False, targets, inner)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _enter(self, is_class: bool, bound: set[str], inside: Sequence[ast.AST]) -> None:
        self._scopes.append((is_class, bound))
        for node in inside:
            self.visit(node)
        self._scopes.pop()


def _parameters(arguments: ast.arguments) -> set[str]:
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    parameters += [extra for extra in (arguments.vararg, arguments.kwarg) if extra is not None]
    return {parameter.arg for parameter in parameters}


def _declared_global(statements: list[ast.stmt]) -> set[str]:
    return {name for node in _walk_scope(statements) if isinstance(node, ast.Global) for name in node.names}


def attributes_of(tree: ast.AST) -> dict[ast.AST, ast.Attribute]:
    """Return a dict that maps the expression `x` of each attribute access `x.name` in a tree to the node of this
    access."""
    return {node.value: node for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def integer_calls(tree: ast.AST) -> dict[ast.AST, ast.Call]:
    """Return a dict that maps the node of `np` in each call such as np.uint64(x) to the call."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) == 1]
    return {
        call.func.value: call for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr in INTEGERS
    }
