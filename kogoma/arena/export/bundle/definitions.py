"""What a bundle knows of a source: its statements, what they bind and what they use."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Protocol


class BundleError(Exception):
    """The sources can't become one file; the message names the place."""


@dataclass(eq=False)
class Definition:
    """One statement of a module, with the comment before it. `names` is what it binds; `uses` leaves out a class's
    `methods` that are only there if somebody calls them."""

    text: str
    names: set[str]
    uses: list[ast.Name]
    tree: ast.Module
    line: int  # in its source
    attributes: set[str]  # names used behind a dot
    methods: list[Method]


@dataclass(eq=False)
class Method:
    """A method of a class; `attributes` as in `Definition`."""

    node: ast.FunctionDef
    uses: list[ast.Name]
    attributes: set[str]
    kept: bool = False


@dataclass
class Module:
    """A source, parsed. `imports` says what a name stands for: (module, name in it), or (module, None)."""

    name: str
    definitions: list[Definition] = field(default_factory=list)
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    before: list[str] = field(default_factory=list)  # modules that are run before this one

    def defining(self, name: str) -> list[Definition]:
        """The statements that bind the name."""
        return [definition for definition in self.definitions if name in definition.names]


class Names(Protocol):
    """What a bundle knows of names."""

    def resolve(self, module: Module, name: str) -> tuple[str, str | None] | None:
        """Where a name of a module comes from."""

    def module(self, name: str) -> Module:
        """A module of the project."""

    def flat(self, module: str, name: str) -> str:
        """What a name of a module is called in the file."""
