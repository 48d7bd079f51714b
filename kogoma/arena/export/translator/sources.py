"""Kernels as they are written: syntax tree, comments, and what their global names stand for."""

from __future__ import annotations

import ast
import functools
import inspect
import io
import textwrap
import tokenize
from typing import Any

from kogoma.arena.export.translator import special
from kogoma.arena.export.translator.values import Untranslatable


class Source:
    """One kernel's source."""

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
        self.size = sum(isinstance(node, ast.expr | ast.stmt) for part in self.body for node in ast.walk(part))
        self._scope: dict[str, Any] = {**function.__globals__}
        self._scope.update(inspect.getclosurevars(function).nonlocals)

    def outside(self, name: str) -> Any:
        """What a global name stands for."""
        if name in special.CHANGED:
            return special.CHANGED[name]
        if name in self._scope:
            return self._scope[name]
        builtins = {"range": range, "len": len, "min": min, "max": max, "abs": abs, "True": True, "False": False}
        if name in builtins:
            return builtins[name]
        raise Untranslatable(f"{self.place}: what is {name}?")

    @functools.cached_property
    def indices(self) -> set[str]:
        """Local names that serve as indices, with those that they are copied from."""
        found: set[str] = set()
        for node in self._walk():
            if isinstance(node, ast.Subscript):
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                found.update(part.id for part in parts if isinstance(part, ast.Name))
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and len(node.args) > 1:
                if special.operation(self._scope.get(node.func.id)) in ("load_bb", "store_bb"):
                    arguments = (
                        node.args[1:] if special.operation(self._scope[node.func.id]) == "load_bb" else node.args[1:2]
                    )
                    found.update(part.id for part in arguments if isinstance(part, ast.Name))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                thing = self._scope.get(node.func.id)
                if special.operation(thing) in ("peek", "poke", "peek_int16"):
                    found.update(part.id for part in ast.walk(node.args[0]) if isinstance(part, ast.Name))
                if special.is_kernel(thing) and not special.is_entry(thing) and thing is not self.kernel:
                    passed = zip(node.args, source(thing).parameters)
                    indices = source(thing).indices
                    found.update(part.id for part, to in passed if isinstance(part, ast.Name) and to in indices)
        size = -1
        while size != len(found):
            size = len(found)
            for node in self._walk():
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    if node.targets[0].id in found and isinstance(node.value, ast.Name):
                        found.add(node.value.id)
        return found

    @functools.cached_property
    def index_fields(self) -> set[str]:
        """Fields of records that serve as indices, and those that they are copied to."""
        found: set[str] = set()
        copies: list[tuple[str, str]] = []
        for node in self._walk():
            parts: list[ast.expr] = []
            if isinstance(node, ast.Subscript):
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                if special.operation(self._scope.get(node.func.id)) in ("load_bb", "store_bb"):
                    parts = node.args[1:]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                if node.targets[0].id in self.indices:
                    parts = [node.value]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                if isinstance(node.value, ast.Attribute):
                    copies.append((node.targets[0].attr, node.value.attr))
            found.update(part.attr for part in parts if isinstance(part, ast.Attribute))
        return found | {copy for copy, original in copies if original in found}

    def called(self) -> list[Any]:
        """Everything with a name that is called: kernels and whatever else."""
        return [
            self._scope[node.func.id]
            for node in self._walk()
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._scope
        ]

    def _walk(self) -> list[ast.AST]:
        return [node for part in self.body for node in ast.walk(part)]


def _comments(text: str) -> dict[int, list[str]]:
    """Line of a statement -> the comment lines right above it."""
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
    """The source of a kernel."""
    return Source(kernel)


def reachable(entries: list[Any], with_cards: bool) -> list[Source]:
    """The sources of all kernels that these entries may call."""
    found: dict[str, Source] = {}
    waiting = list(entries)
    while waiting:
        thing = waiting.pop()
        thing = special.choice(thing, with_cards) or thing
        if special.is_kernel(thing) and (new := source(thing)).place not in found:
            found[new.place] = new
            waiting.extend(new.called())
    return list(found.values())
