"""The native library of the search, and all libraries a user waits for."""

from __future__ import annotations

from functools import cache

from eval.explain import EVAL_KERNELS, eval_library
from rules.kernel import Library, Report
from rules.library import KERNELS, rules_library
from rules.tables import layout
from rules.variants import DEFAULT, Variant

SEARCH_KERNELS = (
    "search.stack",
    "search.transposition",
    "search.exchange",
    "search.history",
    "search.ordering",
    "search.node",
    "search.quiescence",
    "search.alphabeta",
    "search.root",
)

CHANCE_KERNELS = (
    "rules.throw",
    "search.stack",
    "search.transposition",
    "search.history",
    "search.node",
    "search.chance",
    "search.expectation",
    "search.chance_table",
    "search.leaf",
)


@cache
def chance_library(records: str) -> Library:
    """Entries: expect, expectimax, decided, certain."""
    modules = (*KERNELS, *EVAL_KERNELS, *CHANCE_KERNELS, "search.expectimax", "search.certain")
    return Library("expectimax", modules, records)


@cache
def plain_library(records: str) -> Library:
    """Entries: plain_value. Only for those who measure or test: nobody who plays waits for it."""
    return Library("plain", (*KERNELS, *EVAL_KERNELS, *CHANCE_KERNELS, "search.plain"), records)


@cache
def search_library(records: str) -> Library:
    """Entries: search_root."""
    return Library("search", (*KERNELS, *EVAL_KERNELS, *SEARCH_KERNELS), records)


def _libraries(variant: Variant) -> tuple[Library, ...]:
    """Those that a game is played with, the slowest to build first."""
    records = layout(variant)
    search = chance_library(records) if variant.die else search_library(records)
    return search, rules_library(records), eval_library(records)


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
