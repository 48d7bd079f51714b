"""The sources of kernels: syntax tree, comments, and what their global names refer to."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import textwrap
import tokenize
from collections.abc import Sequence
from typing import Any

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.values import Untranslatable


class Source:
    """The source of one kernel: its syntax tree, its comments, and the objects of its global names."""

    def __init__(self, kernel: Any) -> None:
        function = (kernel.kernel if special.is_entry(kernel) else kernel).py_func
        text = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(text).body[0]
        assert isinstance(tree, ast.FunctionDef)
        self.kernel = kernel
        self.name = tree.name
        self.place = f"{function.__module__}.{tree.name}"
        self.entry_arguments: dict[str, Any] | None = kernel.arguments if special.is_entry(kernel) else None
        self.parameters = [argument.arg for argument in tree.args.args]
        self.docstring = ast.get_docstring(tree) or ""
        self.body = tree.body[1:] if self.docstring else tree.body
        self.comments = _comments(text)
        self.assigned = {
            node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self.size = sum(isinstance(node, ast.expr | ast.stmt) for node in self.walk())
        self._scope: dict[str, Any] = {**function.__globals__}
        self._scope.update(inspect.getclosurevars(function).nonlocals)

    def outside(self, name: str) -> Any:
        """Return the object that a global name refers to."""
        if name in special.CHANGED:
            return special.CHANGED[name]
        if name in self._scope:
            return self._scope[name]
        builtins = {"range": range, "len": len, "min": min, "max": max, "abs": abs, "True": True, "False": False}
        if name in builtins:
            return builtins[name]
        raise Untranslatable(f"{self.place}: unknown name {name}")

    @functools.cached_property
    def indices(self) -> set[str]:
        """The local names that are used as indices, and the names whose values are copied to these."""
        found: set[str] = set()
        for node in self.walk():
            parts: Sequence[ast.AST] = []
            match node:
                case ast.Subscript(_, ast.Tuple(elements)):
                    parts = elements
                case ast.Subscript(_, element):
                    parts = [element]
                case ast.Call(ast.Name(called), arguments):
                    thing = self._scope.get(called)
                    operation = special.operation(thing)
                    if operation in ("load_bb", "store_bb"):
                        parts = arguments[1:] if operation == "load_bb" else arguments[1:2]
                    elif operation in ("peek", "poke"):
                        parts = list(ast.walk(arguments[0]))
                    elif special.is_kernel(thing) and not special.is_entry(thing) and thing is not self.kernel:
                        inner = source(thing)
                        parts = [part for part, to in zip(arguments, inner.parameters) if to in inner.indices]
            found.update(part.id for part in parts if isinstance(part, ast.Name))
        size = -1
        while size != (size := len(found)):
            for node in self.walk():
                match node:
                    case ast.Assign([ast.Name(copy)], ast.Name(original)) if copy in found:
                        found.add(original)
        return found

    @functools.cached_property
    def index_fields(self) -> set[str]:
        """The struct fields that are used as indices, and the fields to which these are copied."""
        found: set[str] = set()
        copies: list[tuple[str, str]] = []
        for node in self.walk():
            parts: list[ast.expr] = []
            match node:
                case ast.Subscript(_, ast.Tuple(elements)):
                    parts = elements
                case ast.Subscript(_, element):
                    parts = [element]
                case ast.Call(ast.Name(called), arguments):
                    if special.operation(self._scope.get(called)) in ("load_bb", "store_bb"):
                        parts = arguments[1:]
                case ast.Assign([ast.Name(variable)], value) if variable in self.indices:
                    parts = [value]
                case ast.Assign([ast.Attribute(_, copy)], ast.Attribute(_, original)):
                    copies.append((copy, original))
            found.update(part.attr for part in parts if isinstance(part, ast.Attribute))
        return found | {copy for copy, original in copies if original in found}

    def called(self) -> list[Any]:
        """Return the objects of all global names that the kernel calls."""
        return [
            self._scope[node.func.id]
            for node in self.walk()
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._scope
        ]

    def walk(self) -> list[ast.AST]:
        """Return all syntax tree nodes of the kernel's statements."""
        return [node for part in self.body for node in ast.walk(part)]


def _comments(text: str) -> dict[int, list[str]]:
    """Return the comment lines directly above each statement, by the line number of the statement."""
    alone: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#"):
            alone[token.start[0]] = token.string
    found: dict[int, list[str]] = {}
    for line in sorted(alone):
        below = line + 1
        while below in alone:
            below += 1
        found.setdefault(below, []).append(alone[line])
    return found


@functools.cache
def source(kernel: Any) -> Source:
    """Return the parsed source of a kernel."""
    return Source(kernel)


def reachable(entries: list[Any], with_cards: bool) -> list[Source]:
    """Return the sources of all kernels that these entry points may call: in Onitama if `with_cards` is true, otherwise
    in shogi."""
    found: dict[str, Source] = {}
    waiting = list(entries)
    while waiting:
        thing = waiting.pop()
        thing = special.choice(thing, with_cards)
        if special.is_kernel(thing) and (new := source(thing)).place not in found:
            found[new.place] = new
            waiting.extend(new.called())
    return list(found.values())
