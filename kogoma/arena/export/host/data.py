"""In an exported file: the data of the game. The export replaces the empty values below.

In native files, OBJECT is the shared object and NETWORK the rows of the network ("" if there is none), each compressed
and packed. CPU names the processors for which OBJECT was made. FALLBACK is a program in plain Python
that runs if the native code cannot run. POSITION and THREAD describe the fields of the structs. In plain Python,
ENTRIES holds the translated entry points by name, with the prefix "search_" if they use the search's own rules. BOOK is
the opening book, packed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

CPU = "x86-64"
OBJECT = ""
FALLBACK = ""
NETWORK = ""
BOOK = ""
POSITION = ""
THREAD = ""

PositionStruct: Callable[[], Any]  # returns a struct of zeros with its fields as attributes and a method `copy`
ThreadStruct: Callable[[], Any]
memory: list[int] = []  # the transposition table as 64-bit words
ENTRIES: dict[str, Callable[..., int]] = {}

# For the Game of Generals: steps and slides of pieces as (columns to the right, rows ahead), promotions, board size.
STEPS: dict[str, list[tuple[int, int]]] = {}
SLIDES: dict[str, list[tuple[int, int]]] = {}
PROMOTES: dict[str, str] = {}
SIZE = 0
