"""Kogoma: a USI engine for small-board shogi, and a small Python interface to it.

>>> import usi_engine
>>> list(usi_engine.variants())[:3]
['shogi', 'minishogi', 'minishogi-codingame']
>>> position = usi_engine.Position("minishogi")
>>> len(position.legal_moves())
14
>>> position.push("3e3d")
>>> position.turn, position.moves
(1, ['3e3d'])

Everything is loaded when it is first used; the very first use on a machine compiles for up to a minute.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rules.position import Position as Position
    from search.searcher import Result as Result
    from usi_engine.api import legal_moves as legal_moves
    from usi_engine.api import search as search
    from usi_engine.api import variants as variants

__version__ = "0.1.0"
__all__ = ["Position", "Result", "legal_moves", "search", "variants"]

# Where each name is: importing usi_engine costs nothing, because answering `usi` must not wait for numpy.
_HOMES = {
    "Position": "rules.position",
    "Result": "search.searcher",
    "legal_moves": "usi_engine.api",
    "search": "usi_engine.api",
    "variants": "usi_engine.api",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
