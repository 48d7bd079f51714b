"""Bundle modules of the project into one source text that contains only the code that a program uses,
with its comments.

Imports between the modules are resolved, names that two modules share get the module's name as prefix, and
TYPE_CHECKING blocks are left out. A dependency that the file cannot have (numpy, a module of the build) is an error.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from kogoma.arena.export.bundle.edits import Edit, Places, edited
from kogoma.arena.export.bundle.names import PROJECT, attributes_of, bound_names, integer_calls, is_own, outer_names

ROOT = Path(__file__).resolve().parents[4]


class BundleError(Exception):
    """The sources cannot become one file; the message names the place."""


@dataclass(eq=False)
class Definition:
    """A top-level statement of a module, with the comment before it. `names` are the names that the statement binds,
    and `uses` are the module-level names that it uses. If it is a class, its `methods` have their own `uses`, and the
    bundled file contains only methods that are called."""

    text: str
    names: set[str]
    uses: list[ast.Name]
    tree: ast.Module
    line: int  # line in its source
    attributes: set[str]  # attribute names used in it
    methods: list[Method]


@dataclass(eq=False)
class Method:
    """A method of a class. `uses` and `attributes` are as in `Definition`; `kept` tells whether the bundled file
    contains the method."""

    node: ast.FunctionDef
    uses: list[ast.Name]
    attributes: set[str]
    kept: bool = False


@dataclass
class Module:
    """A parsed source file. `imports` maps each imported name to (module, name in that module), or to (module, None) if
    the name is that of a module."""

    name: str
    definitions: list[Definition] = field(default_factory=list)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)  # modules that run before this one

    def defining(self, name: str) -> list[Definition]:
        """Return the statements that bind `name`."""
        return [definition for definition in self.definitions if name in definition.names]


@dataclass(frozen=True)
class Changes:
    """How the bundled file differs from the project's sources.

    - `sources`: texts that replace source files, by the module's name.
    - `instead`: names of modules that replace other modules, by the name of the replaced module.
    - `replaced`: source texts that replace definitions, by "module.name" of the definition; they may contain imports.
    - `absent`: modules and names that are not available and never used at run time.
    """

    sources: Mapping[str, str] = field(default_factory=dict)
    instead: Mapping[str, str] = field(default_factory=dict)
    replaced: Mapping[str, str] = field(default_factory=dict)
    absent: tuple[str, ...] = ()


class Bundle:
    """Collects the definitions that a main program uses, and joins them."""

    def __init__(self, changes: Changes) -> None:
        self._changes = changes
        self._modules: dict[str, Module] = {}
        self._kept: dict[str, list[Definition]] = {}  # kept statements, by module
        self._outside: set[tuple[str, str | None, str]] = set()  # imports from the standard library: (module, name, as)
        self._flat: dict[tuple[str, str], str] = {}
        self._attributes: set[str] = set()  # attribute names in all kept code

    def text(self, main: str) -> str:
        """Return the bundled source: the text `main` of the main program, preceded by all definitions that it uses."""
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
                texts = [self._edited(self._modules[name], definition) for definition in kept]
                parts.append(title + _spaced(texts))
        return "\n\n\n".join(parts) + "\n"

    def _resolve(self, module: Module, name: str) -> tuple[str, str | None] | None:
        """Return where `name`, as used in `module`, is defined: (module, name), or (module, None) if `name` is itself a
        module. Return None if it does not come from the project."""
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
            module, name = self._module(source), wanted
        return None if f"{module.name}.{name}" in self._changes.absent else (module.name, name)

    def _module(self, name: str) -> Module:
        """Return a module of the project, parsed on first use."""
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
                    raise BundleError(f"{place} cannot be replaced, because it does not exist")
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
            first = _first_line(node)
            while first > 1 and lines[first - 2].startswith("#"):
                first -= 1
            code = "".join(lines[first - 1 : node.end_lineno]).rstrip("\n")
            tree = ast.parse(code)
            for inner in ast.walk(tree):
                if isinstance(inner, ast.Import | ast.ImportFrom):
                    self._note_import(module, inner, False)
            module.definitions.append(self._definition(module, code, tree, line or first))

    def _definition(self, module: Module, code: str, tree: ast.Module, line: int) -> Definition:
        uses, attributes, methods = outer_names(tree), _attribute_names(tree), list[Method]()
        node = tree.body[0]
        if isinstance(node, ast.ClassDef) and not any(self._is_foreign(module, base) for base in node.bases):
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not (inner.name.startswith("__") and inner.name != "__str__"):
                    inside = set(ast.walk(inner))
                    methods.append(Method(inner, [use for use in uses if use in inside], _attribute_names(inner)))
                    uses = [use for use in uses if use not in inside]
            parts = [part for part in node.body if part not in [method.node for method in methods]]
            attributes = set().union(*(_attribute_names(part) for part in (*parts, *node.decorator_list)))
        return Definition(code, bound_names(tree.body), uses, tree, line, attributes, methods)

    def _is_foreign(self, module: Module, base: ast.expr) -> bool:
        """Return whether a base class comes from the standard library, whose code may call any method of the derived
        class."""
        name = ast.unparse(base).split(".")[0]
        return module.imports.get(name, ("", None))[0].split(".")[0] not in ("", "abc", PROJECT)

    def _called(self) -> list[tuple[Module, Method]]:
        """Return the methods whose names occur in the kept code, but which are not kept themselves yet."""
        return [
            (self._modules[name], method)
            for name, kept in self._kept.items()
            for definition in kept
            for method in definition.methods
            if not method.kept and method.node.name in self._attributes and not _is_abstract(method.node)
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
        attributes = attributes_of(tree)
        for use in uses:
            found = self._project_name(module, use, attributes)
            if found is None:
                self._note_outside(module, use, tree)
                continue
            _, place, name = found
            wanted = self._module(place)
            definitions = wanted.defining(name)
            if not definitions:
                raise BundleError(f"{module.name} uses {place}.{name}, which does not exist")
            for one in definitions:
                self._keep(wanted, one)

    def _project_name(
        self, module: Module, use: ast.Name, attributes: Mapping[ast.AST, ast.Attribute]
    ) -> tuple[ast.expr, str, str] | None:
        """Return (expression, module, name in that module) if `use` refers to a name that the project defines,
        otherwise None. The expression is `use` itself, or `use.name` if `use` is a module."""
        found, node = self._resolve(module, use.id), attributes.get(use)
        if found is None or found[1] is not None:
            return None if found is None else (use, found[0], str(found[1]))
        if node is None:
            raise BundleError(f"{module.name}: {use.id} is a module and cannot be used as a value")
        found = self._resolve(self._module(found[0]), node.attr)
        if found is None or found[1] is None:
            raise BundleError(f"{module.name}: cannot find out what {use.id}.{node.attr} refers to")
        return node, found[0], found[1]

    def _note_outside(self, module: Module, use: ast.Name, tree: ast.AST) -> None:
        if use.id not in module.imports:
            return  # a builtin, or a name in `absent`
        source, name = module.imports[use.id]
        if source.split(".")[0] == PROJECT:
            return  # a module in `absent`
        if source == "numpy" and use in integer_calls(tree):
            return
        if source.split(".")[0] not in sys.stdlib_module_names:
            raise BundleError(f"{module.name} uses {source} ({use.id}), which is not in the standard library")
        self._outside.add((source, name, use.id))

    def _sort(self, name: str, order: list[str], seen: set[str]) -> None:
        """Append a module to `order`, after the modules that it imports. Modules in `seen` are skipped."""
        if name in seen:
            return
        seen.add(name)
        for before in self._module(name).before:
            if before.split(".")[0] == PROJECT and before not in self._changes.absent and self._exists(before):
                self._sort(before, order, seen)
        for place in self._kept:  # modules that are imported only inside functions come before `main` too
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

    def _edited(self, module: Module, definition: Definition) -> str:
        """Return the text that a statement has in the bundled file: with new names, without imports of the project, and
        without methods that are not called."""
        text, tree = definition.text, definition.tree
        place, lines = Places(text), text.splitlines()
        attributes, integers = attributes_of(tree), integer_calls(tree)
        edits: list[Edit] = []
        gone: set[ast.AST] = set()
        uses = list(definition.uses)
        for method in definition.methods:
            if method.kept:
                uses += method.uses
                continue
            first = _first_line(method.node)
            while not (line := lines[first - 2].strip()) or line.startswith("#"):
                first -= 1
            edits.append(place.without(method.node, first))
            gone.update(ast.walk(method.node))
        for use in uses:
            found = self._project_name(module, use, attributes)
            if found is None:
                if use in integers:
                    edits += _unwrapped(integers[use], place)
                continue
            node, *owner_and_name = found
            before, after = ast.unparse(node), self._flat_name(*owner_and_name)
            if before == after:
                continue
            start, end = place.start(node), place.end(node)
            if text[start:end] != before:
                # Python 3.11 has no positions inside f-strings.
                raise BundleError(f"{before} must be renamed in the bundled file, but is used inside an f-string")
            edits.append((start, end, after))
        edits += [place.without(node) for node in ast.walk(tree) if is_own(node) and node not in gone]
        statement = tree.body[0]
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            start = text.index(" ", place.start(statement)) + 1
            edits.append((start, start + len(statement.name), self._flat_name(module.name, statement.name)))
        return edited(text, edits)

    def _flat_name(self, module: str, name: str) -> str:
        """Return what the module-level name `name` of `module` is called in the bundled file."""
        return self._flat.get((module, name), name)


def _unwrapped(call: ast.Call, place: Places) -> list[Edit]:
    """Return the edits that replace a call with its argument, in parentheses if necessary."""
    inner = call.args[0]
    before, after = ("", "") if isinstance(inner, ast.Constant | ast.Name) else ("(", ")")
    return [(place.start(call), place.start(inner), before), (place.end(inner), place.end(call), after)]


def _is_abstract(node: ast.FunctionDef) -> bool:
    return any(isinstance(one, ast.Name) and one.id == "abstractmethod" for one in node.decorator_list)


def _first_line(node: ast.stmt) -> int:
    """Return the number of the first line of a statement, including its decorators."""
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef | ast.ClassDef) else []
    return min([node.lineno, *(one.lineno for one in decorators)])


def _attribute_names(node: ast.AST) -> set[str]:
    return {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}


def _path(module: str) -> Path:
    path = ROOT / f"{module.replace('.', '/')}.py"
    return path if path.is_file() else ROOT / module.replace(".", "/") / "__init__.py"


def _spaced(texts: list[str]) -> str:
    """Join the texts of statements, with two empty lines before and after each text of several lines, and no empty line
    between texts of one line."""
    joined = texts[0]
    for before, text in pairwise(texts):
        joined += ("\n" if "\n" not in before + text else "\n\n\n") + text
    return joined
