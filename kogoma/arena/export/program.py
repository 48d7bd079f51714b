"""The Python program in an exported file: whole modules of the engine, one after the other."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from kogoma.arena.export.unpacking import NAME, TITLE

ROOT = Path(__file__).resolve().parents[3]


class ProgramError(Exception):
    """A module cannot be part of an exported program; the message says why."""


def program(modules: Sequence[str]) -> str:
    """Return a program for `unpacking.load_modules`: the texts of `modules`, unchanged, in this order. A module that
    they import, but that is not among them, may only provide numbers: in the program, a module of that name has just
    these numbers. Raises ProgramError if it has to provide anything else."""
    texts = {name: _path(name).read_text(encoding="utf-8") for name in modules}
    return "\n".join(f"{TITLE}{name}\n{text}" for name, text in (_numbers(texts) | texts).items())


def _numbers(texts: dict[str, str]) -> dict[str, str]:
    """Return the texts of the modules that provide only numbers, by name."""
    found: dict[str, dict[str, str]] = {}
    for name, text in texts.items():
        for node in ast.parse(text).body:
            source = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if not isinstance(node, ast.ImportFrom) or not source.startswith("kogoma") or source in (NAME, *texts):
                continue
            numbers = found.setdefault(source, {})
            for wanted in [alias.name for alias in node.names if f"{source}.{alias.name}" not in texts]:
                value = getattr(import_module(source), wanted)
                try:
                    numbers[wanted] = repr(value if isinstance(value, float) else int(value))
                except (TypeError, ValueError):
                    raise ProgramError(f"{name} needs {source}.{wanted}, which is not a number") from None
    return {
        source: "".join(f"{name} = {value}\n" for name, value in numbers.items()) for source, numbers in found.items()
    }


def _path(module: str) -> Path:
    return ROOT / f"{module.replace('.', '/')}.py"
