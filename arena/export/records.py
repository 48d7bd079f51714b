"""Records as classes, and constant arrays as tables."""

from __future__ import annotations

from typing import Any

import numpy as np


def record_class(role: str, dtype: np.dtype[Any]) -> str:
    """A class with the fields of a record."""
    names = dtype.names or ()
    lines = [
        f"\n\nclass {role.capitalize()}:",
        f"    __slots__ = {names!r}",
        "",
        "    def __init__(self):",
    ]
    for name in names:
        shape = dtype[name].shape
        text = "0"
        for index, size in enumerate(reversed(shape)):
            text = f"[{text}] * {size}" if index == 0 else f"[{text} for _ in range({size})]"
        lines.append(f"        self.{name} = {text}")
    lines += [
        "",
        "    def __getitem__(self, name):",
        "        return getattr(self, name)",
        "",
        "    def __setitem__(self, name, value):",
        "        setattr(self, name, value)",
    ]
    return "\n".join(lines)


def _literal(data: Any) -> str:
    if data.ndim == 1:
        return "(" + ", ".join(str(int(item)) for item in data) + ",)"
    return "(" + ", ".join(_literal(part) for part in data) + ",)"


def tables_source(tables: dict[str, Any]) -> str:
    """Assignments of all tables."""
    return "\n".join(f"{name} = {_literal(data)}" for name, data in tables.items())
