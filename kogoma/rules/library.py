"""Native libraries by layout, and that of the rules."""

from __future__ import annotations

from functools import cache

from kogoma.native.library import Library

PURPOSES = {"64": "boards of up to 64 squares", "128": "larger boards", "onitama": "Onitama"}  # by layout


def new_library(name: str, layout: str, *modules: str) -> Library:
    """The library of that name: the entries that stand in these modules, for one layout of the records."""
    return Library(name, modules, layout, PURPOSES[layout])


@cache
def rules_library(layout: str) -> Library:
    """The native code of the rules for one layout; its entries stand in `rules.entry_points`."""
    return new_library("rules", layout, "kogoma.rules.entry_points")
