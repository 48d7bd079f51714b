"""The native library of the rules, one object for each layout."""

from __future__ import annotations

from functools import cache

from rules.kernel import Library

KERNELS = (
    "rules.layout",
    "rules.bitboard",
    "rules.moves",
    "rules.recursion",
    "rules.attacks",
    "rules.ending",
    "rules.declaration",
    "rules.make_move",
    "rules.movegen",
    "rules.checks",
    "rules.repetition",
    "rules.setup",
    "rules.onitama_make",
    "rules.onitama",
    "rules.game",
)
"""What every library stands on."""


@cache
def rules_library(layout: str) -> Library:
    """Entries: set_up, play, may_play, take_back, declares, ended_by, legal_moves, perft."""
    return Library("rules", (*KERNELS, "rules.entries", "rules.perft"), layout)
