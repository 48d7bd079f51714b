"""What an engine can answer to `go` besides a move, and the bounds of a score. Matches, the local server and the page
use these names, and `docs/architecture.md` lists what each does with an answer."""

from __future__ import annotations

DECLARATION = "win"
"""`bestmove win`: the engine declares that it has won."""

RESIGN = "resign"
"""`bestmove resign`."""

LOWER_BOUND, UPPER_BOUND = "lowerbound", "upperbound"
"""Marks of a score in an info line that is only a bound, for the side to move."""
