"""Create native libraries for a layout; the native library of the rules."""

from __future__ import annotations

from functools import cache

from kogoma.native.library import Library

PURPOSES = {"64": "boards of up to 64 squares", "128": "larger boards", "onitama": "Onitama"}  # by layout


def new_library(name: str, layout: str, *modules: str) -> Library:
    """Return a library called `name` with the entry points of `modules`, for one layout."""
    return Library(name, modules, layout, PURPOSES[layout])


@cache
def rules_library(layout: str) -> Library:
    """Return the native library of the rules for one layout. Its entry points are in `rules.entry_points`."""
    return new_library("rules", layout, "kogoma.rules.entry_points")
