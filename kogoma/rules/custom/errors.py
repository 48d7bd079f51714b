"""Errors in variant files, each with its line."""

from __future__ import annotations

import re
from dataclasses import dataclass

Place = tuple[str | int, ...]  # path of a key or table in a TOML file: ("files",), ("piece", 0), ("piece", 0, "steps")

_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+)\s*\]")
_KEY = re.compile(r"\s*[\"']?([A-Za-z0-9_-]+)[\"']?\s*=")
_TOKEN = re.compile(r'"""|\'\'\'|"(?:[^"\\]|\\.)*"|\'[^\']*\'|#.*|[\[{\]}]')


@dataclass(frozen=True, order=True)
class Mistake:
    """One error in a variant file. `line` counts from 1; 0 stands for the whole file."""

    line: int
    reason: str


class VariantFileError(ValueError):
    """A variant file that cannot be used; `mistakes` lists all its errors by line."""

    def __init__(self, mistakes: list[Mistake], path: str = "") -> None:
        self.mistakes, self.path = sorted(set(mistakes)), path
        super().__init__(str(self))

    def __str__(self) -> str:
        more = len(self.mistakes) - 1
        return self.lines()[0] + (f" (and {more} more: `check` lists them)" if more else "")

    def lines(self) -> list[str]:
        """Return each error as `FILE, line N: reason`, or `FILE: reason` if it is about the whole file."""
        path = shown(self.path or "game")
        return [f"{path}{f', line {found.line}' * bool(found.line)}: {found.reason}" for found in self.mistakes]


def shown(text: str) -> str:
    """Return a text from the user in a form that is safe in messages: printable, on one line, and shortened."""
    return text if text.isprintable() and len(text) <= 200 else repr(text[:200])


def lines_of(text: str) -> dict[Place, int]:
    """Return a dict that maps each key and each table of a TOML text to the number of the line on which it begins.
    tomllib does not report these numbers."""
    found: dict[Place, int] = {}
    table: Place = ()
    tables: dict[str, int] = {}
    depth, until = 0, ""  # number of open brackets; delimiter of an open multi-line string
    for number, line in enumerate(text.splitlines(), 1):
        at = 0
        if not depth and not until:
            if header := _HEADER.match(line):
                name = header[1]
                tables[name] = tables.get(name, -1) + 1
                table = (name, tables[name]) if "[[" in line else (name,)
                found.setdefault(table, number)
                continue
            if key := _KEY.match(line):
                found.setdefault((*table, key[1]), number)
                at = key.end()
        while at < len(line):
            if until:
                end = line.find(until, at)
                if end < 0:
                    break
                at, until = end + 3, ""
                continue
            token = _TOKEN.search(line, at)
            if token is None:
                break
            at = token.end()
            if token[0] in ('"""', "'''"):
                until = token[0]
            elif token[0] in "[{":
                depth += 1
            elif token[0] in "]}":
                depth = max(0, depth - 1)
    return found
