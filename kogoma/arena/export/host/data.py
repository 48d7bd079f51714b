"""In an exported file: what the exporter made for it. Here the places are empty.

OBJECT is the native code, CPU the processors that it is for, TABLES the evaluation's tables for FEATURES features (""
where there are none), each packed and compressed; FALLBACK is the Python flavor's program, which goes on where the
native code can't. POSITION and THREAD describe the records' fields. In plain Python there are the kernels of one game,
translated: ENTRIES by their names, those with the search's own rules after "search_".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CPU = "x86-64"
OBJECT = ""
FALLBACK = ""
TABLES = ""
FEATURES = 0
POSITION = ""
THREAD = ""

PositionRecord: Callable[[], Any]  # a record of zeros: fields by name, and `copy`
ThreadRecord: Callable[[], Any]
memory: list[int] = []  # the transposition table's words
ENTRIES: dict[str, Callable[..., int]] = {}

# Of the Game of Generals: the steps and slides of pieces as (columns to the right, rows ahead), what promotes to what,
# and the side of the board.
STEPS: dict[str, list[tuple[int, int]]] = {}
SLIDES: dict[str, list[tuple[int, int]]] = {}
PROMOTES: dict[str, str] = {}
SIZE = 0
