"""Modules of the project as one source text: only what is needed, in the words of the sources, comments and all.

Imports between the modules are resolved, names that two modules share are told apart by the module's name before them,
and blocks for type checkers are left out. What can't be had in the file (numpy, a module of the build) is an error.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from kogoma.arena.export.bundle.definitions import BundleError, Definition, Method, Module
from kogoma.arena.export.bundle.edits import Edits
from kogoma.arena.export.bundle.names import PROJECT, attributes_of, bound_names, integer_calls, outer_names

ROOT = Path(__file__).resolve().parents[4]


@dataclass(frozen=True)
class Changes:
    """How the file differs from the project: `sources`, module -> text that stands for its file; `instead`, module ->
    the one that is used for it; `replaced`, "module.name" -> statement for the one that binds the name, after imports
    of its own if it needs any; `absent`, modules and names in them that are never used, though there is code that
    could, or that the program finds ready."""

    sources: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


class Bundle:
    """Collects what a main program needs."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._modules: dict[str, Module] = {}
        self._kept: dict[str, list[Definition]] = {}  # module -> statements
        self._outside: set[tuple[str, str | None, str]] = set()  # (module, name, as), of the standard library
        self._flat: dict[tuple[str, str], str] = {}
        self._attributes: set[str] = set()  # behind a dot, anywhere in what is kept

    def text(self, main: str) -> str:
        """The program `main`, a module's text of which all is kept, with everything that it needs before it."""
        program = self._parse("main", main)
        self._modules["main"] = program
        for definition in program.definitions:
            self._keep(program, definition)
        while called := self._called():
            for module, method in called:
                method.kept = True
                self._keep_uses(module, method.uses, method.attributes, method.node)
        order: list[str] = []
        self._sort("main", order, set())
        self._name_all(order)
        parts = [self._import_lines()]
        for name in order:
            if kept := sorted(self._kept.get(name, []), key=lambda definition: definition.line):
                title = "" if name == "main" else f"# {name.removeprefix(PROJECT + '.').replace('.', '/')}.py\n\n"
                texts = [Edits(self, self._modules[name], definition).text() for definition in kept]
                parts.append(title + _spaced(texts))
        return "\n\n\n".join(parts) + "\n"

    def flat(self, module: str, name: str) -> str:
        """What a name of a module is called in the file."""
        return self._flat.get((module, name), name)

    def resolve(self, module: Module, name: str) -> tuple[str, str | None] | None:
        """Where a name of a module comes from: a project's module and name, or that module alone; None for what is not
        the project's."""
        while not module.defining(name):
            if name not in module.imports:
                return None
            source, wanted = module.imports[name]
            if source.split(".")[0] != PROJECT or source in self._changes.absent:
                return None
            if wanted is None:
                return source, None
            if self._exists(f"{source}.{wanted}"):
                return f"{source}.{wanted}", None
            module, name = self.module(source), wanted
        return None if f"{module.name}.{name}" in self._changes.absent else (module.name, name)

    def module(self, name: str) -> Module:
        """A module of the project, read when it is first asked for."""
        if name not in self._modules:
            if not self._exists(name):
                raise BundleError(f"there is no module {name}")
            text = self._changes.sources.get(name)
            self._modules[name] = self._parse(name, _path(name).read_text(encoding="utf-8") if text is None else text)
        return self._modules[name]

    def _exists(self, name: str) -> bool:
        return name in self._changes.sources or _path(name).is_file()

    def _parse(self, name: str, text: str) -> Module:
        module = Module(name)
        self._add(module, text)
        for place, statement in self._changes.replaced.items():
            if place.rpartition(".")[0] == name:
                wanted = place.rpartition(".")[2]
                old = module.defining(wanted)
                if not old:
                    raise BundleError(f"{place} is not there to be replaced")
                module.definitions = [definition for definition in module.definitions if definition not in old]
                self._add(module, statement, old[0].line)
        return module

    def _add(self, module: Module, text: str, line: int | None = None) -> None:
        lines = text.splitlines(keepends=True)
        for node in ast.parse(text).body:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self._note_import(module, node, True)
                continue
            is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if is_text or (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)):
                continue
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", []))])
            while first > 1 and lines[first - 2].startswith("#"):
                first -= 1
            code = "".join(lines[first - 1 : node.end_lineno]).rstrip("\n")
            tree = ast.parse(code)
            for inner in ast.walk(tree):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    self._note_import(module, inner, False)
            module.definitions.append(self._definition(module, code, tree, line or first))

    def _definition(self, module: Module, code: str, tree: ast.Module, line: int) -> Definition:
        uses, attributes, methods = outer_names(tree), _behind_dots(tree), list[Method]()
        node = tree.body[0]
        if isinstance(node, ast.ClassDef) and not any(self._is_foreign(module, base) for base in node.bases):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not (inner.name.startswith("__") and inner.name != "__str__"):
                    inside = set(ast.walk(inner))
                    methods.append(Method(inner, [use for use in uses if use in inside], _behind_dots(inner)))
                    uses = [use for use in uses if use not in inside]
            parts = [part for part in node.body if part not in [method.node for method in methods]]
            attributes = set().union(*(_behind_dots(part) for part in (*parts, *node.decorator_list)))
        return Definition(code, bound_names(tree.body), uses, tree, line, attributes, methods)

    def _is_foreign(self, module: Module, base: ast.expr) -> bool:
        """Whether a class stands on one of the standard library, which may call any method."""
        name = ast.unparse(base).split(".")[0]
        return module.imports.get(name, ("", None))[0].split(".")[0] not in ("", "abc", PROJECT)

    def _called(self) -> list[tuple[Module, Method]]:
        """Methods that what is kept calls, by their names, and that are not kept yet."""
        return [
            (self._modules[name], method)
            for name, kept in self._kept.items()
            for definition in kept
            for method in definition.methods
            if not method.kept and method.node.name in self._attributes
            if f"{name}.{min(definition.names)}.{method.node.name}" not in self._changes.absent
        ]

    def _note_import(self, module: Module, node: ast.Import | ast.ImportFrom, at_start: bool) -> None:
        source = node.module if isinstance(node, ast.ImportFrom) else None
        if source == "__future__":
            return
        for alias in node.names:
            if isinstance(node, ast.Import):
                module.imports[alias.asname or alias.name] = (alias.name, None)
            else:
                source = self._changes.instead.get(str(source), str(source))
                module.imports[alias.asname or alias.name] = (source, alias.name)
                if at_start and self._exists(f"{source}.{alias.name}"):
                    module.before.append(f"{source}.{alias.name}")
        if at_start and source is not None:
            module.before.append(source)

    def _keep(self, module: Module, definition: Definition) -> None:
        kept = self._kept.setdefault(module.name, [])
        if definition in kept:
            return
        kept.append(definition)
        self._keep_uses(module, definition.uses, definition.attributes, definition.tree)

    def _keep_uses(self, module: Module, uses: list[ast.Name], behind_dots: set[str], tree: ast.AST) -> None:
        self._attributes |= behind_dots
        for place, name in self._references(module, uses, tree):
            wanted = self.module(place)
            found = wanted.defining(name)
            if not found:
                raise BundleError(f"{module.name} uses {place}.{name}, which is not there")
            for one in found:
                self._keep(wanted, one)

    def _references(self, module: Module, uses: list[ast.Name], tree: ast.AST) -> list[tuple[str, str]]:
        """(module, name) of everything in the project that code uses; notes what it needs from outside."""
        found = []
        attributes = attributes_of(tree)
        for use in uses:
            place = self.resolve(module, use.id)
            if place is None:
                self._note_outside(module, use, tree)
            elif place[1] is not None:
                found.append((place[0], place[1]))
            elif use in attributes:
                inner = self.resolve(self.module(place[0]), attributes[use].attr)
                if inner is None or inner[1] is None:
                    raise BundleError(f"{module.name}: cannot resolve {use.id}.{attributes[use].attr}")
                found.append((inner[0], inner[1]))
            else:
                raise BundleError(f"{module.name}: {use.id} is a module, and used as a whole")
        return found

    def _note_outside(self, module: Module, use: ast.Name, tree: ast.AST) -> None:
        if use.id not in module.imports:
            return  # a builtin, or absent
        source, name = module.imports[use.id]
        if source.split(".")[0] == PROJECT:
            return  # absent
        if source == "numpy" and use in integer_calls(tree):
            return
        if source.split(".")[0] not in sys.stdlib_module_names:
            raise BundleError(f"{module.name}: something that is needed uses {source} ({use.id})")
        self._outside.add((source, name, use.id))

    def _sort(self, name: str, order: list[str], seen: set[str]) -> None:
        """Modules in the order in which Python would run them."""
        if name in seen:
            return
        seen.add(name)
        for before in self.module(name).before:
            if before.split(".")[0] == PROJECT and before not in self._changes.absent and self._exists(before):
                self._sort(before, order, seen)
        for place in self._kept:  # reached by an import in a function
            if name == "main":
                self._sort(place, order, seen)
        order.append(name)

    def _name_all(self, order: list[str]) -> None:
        taken = {name for _, _, name in self._outside} | {place.rpartition(".")[2] for place in self._changes.absent}
        owners: dict[str, list[str]] = {}
        for module in order:
            for definition in self._kept.get(module, []):
                for name in definition.names:
                    if module not in owners.setdefault(name, []):
                        owners[name].append(module)
        for name, modules in owners.items():
            for module in modules:
                if len(modules) > 1 or name in taken:
                    owner, public = module.rpartition(".")[2], name.lstrip("_")
                    flat = f"{owner.upper() if name.isupper() else owner}_{public}"
                    while flat in owners or flat in self._flat.values():
                        flat += "_"
                    self._flat[module, name] = flat

    def _import_lines(self) -> str:
        lines = ["from __future__ import annotations", ""]
        wholes = sorted((module, known) for module, name, known in self._outside if name is None)
        lines += [f"import {module}" + (f" as {known}" if known != module else "") for module, known in wholes]
        by_module: dict[str, list[str]] = {}
        for module, name, known in sorted(self._outside, key=str):
            if name is not None:
                by_module.setdefault(module, []).append(name if known == name else f"{name} as {known}")
        lines += [f"from {module} import {', '.join(names)}" for module, names in by_module.items()]
        return "\n".join(lines)


def _behind_dots(node: ast.AST) -> set[str]:
    return {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}


def _path(module: str) -> Path:
    path = ROOT / f"{module.replace('.', '/')}.py"
    return path if path.is_file() else ROOT / module.replace(".", "/") / "__init__.py"


def _spaced(texts: list[str]) -> str:
    """Functions and classes two lines apart, single lines together."""
    joined = texts[0]
    for before, text in pairwise(texts):
        joined += ("\n" if "\n" not in before + text else "\n\n\n") + text
    return joined
