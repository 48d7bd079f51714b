"""The native library of the search, and all libraries a user waits for."""

from __future__ import annotations

from functools import cache

from eval.explain import eval_library
from rules.native.library import Library, Report
from rules.native.rules_record import layout_of
from rules.position import rules_library
from rules.variants import DEFAULT, Variant
from search.margins.values import tuning


@cache
def search_library(layout: str) -> Library:
    """Entries: search_root, help_root."""
    return Library(
        "tuning" if tuning() else "search", ("search.quiescence", "search.alphabeta", "search.threads.root"), layout
    )


@cache
def dice_library(layout: str) -> Library:
    """Entries: expect, expectimax, decided, certain."""
    return Library("dice", ("search.dice.expectimax", "search.dice.proof"), layout)


def _libraries(variant: Variant) -> tuple[Library, ...]:
    """Those that a game is played with, the slowest to build first."""
    layout = layout_of(variant)
    search = dice_library(layout) if variant.die else search_library(layout)
    return search, rules_library(layout), eval_library(layout)


def warmup(report: Report, *variants: Variant) -> None:
    """Build what is missing for these games, by default the default one, two libraries at a time, and load it all;
    KernelError says what went wrong."""
    libraries = list(dict.fromkeys(library for variant in variants or (DEFAULT,) for library in _libraries(variant)))
    missing = [library for library in libraries if not library.is_built()]
    if missing:
        from concurrent.futures import ThreadPoolExecutor, as_completed

        report("compiling the engine for this machine, once: this takes up to a minute")
        with ThreadPoolExecutor(2) as pool:
            builds = {pool.submit(library.build): library for library in missing}
            for number, done in enumerate(as_completed(builds), 1):
                done.result()
                report(f"compiled {builds[done].name} ({number} of {len(missing)})")
    for library in libraries:
        library.load()
