"""In an exported file of plain Python: the kernels of one game, translated. Here the places are empty."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

PositionRecord: Callable[[], Any]  # a record of zeros: fields by name, and `copy`
ThreadRecord: Callable[[], Any]
memory: list[int] = []  # the transposition table's words
ENTRIES: dict[str, Callable[..., int]] = {}  # by their names, those with the search's own rules after "search_"
