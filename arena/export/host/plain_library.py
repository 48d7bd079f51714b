"""In an exported file of the Python flavor: `rules.native.library`, with the kernels' functions."""

from __future__ import annotations

from typing import Any

from arena.export.host.kernels import ENTRIES
from arena.export.host.library import Constant


class Library:
    """The entries, whatever library of the engine they belong to."""

    def __init__(self, name: str, modules: tuple[str, ...], layout: str) -> None: ...

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call an entry; what is constant is in its code."""
        prefix, passed = "", []
        for argument in arguments:
            if isinstance(argument, Constant):
                prefix = prefix or argument.prefix
            else:
                passed.append(argument)
        return (ENTRIES.get(prefix + name) or ENTRIES[name])(*passed)
