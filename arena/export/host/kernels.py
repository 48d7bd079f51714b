"""In an exported file of the Python flavor: the kernels, as `arena.export.translator` writes them. Here the names alone.

ENTRIES holds the functions that Python calls, by name; those of the search's rules begin with `search_` where these are
not the game's. `memory` is what the transposition table lies in, in words of 64 bits.
"""

from __future__ import annotations

from collections.abc import Callable

from rules.native.record import Record

ENTRIES: dict[str, Callable[..., int]] = {}
PositionRecord: Callable[[], Record]
ThreadRecord: Callable[[], Record]
memory: list[int] = []
