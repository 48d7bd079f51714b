"""The native library of the search, and all libraries a user waits for."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from functools import cache
from queue import SimpleQueue

from kogoma.eval.explain import eval_library
from kogoma.native.cache.folders import Report
from kogoma.native.library import Library
from kogoma.rules.library import new_library, rules_library
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import DEFAULT, Variant
from kogoma.search.parameters.values import tuning


@cache
def search_library(layout: str) -> Library:
    """Entries: quiesce, search, search_root, help_root."""
    name = "tuning" if tuning() else "search"
    modules = "kogoma.search.quiescence", "kogoma.search.alphabeta", "kogoma.search.lazy_smp"
    return new_library(name, layout, *modules)


@cache
def dice_library(layout: str) -> Library:
    """Entries: expect, expectimax, decided, certain."""
    return new_library("dice", layout, "kogoma.search.dice.expectimax", "kogoma.search.dice.proof")


@cache
def mate_library(layout: str) -> Library:
    """Entries: begin, visit, solve, solution."""
    return new_library("mate", layout, "kogoma.search.mate.dfpn", "kogoma.search.mate.solution")


def libraries_of(variant: Variant) -> tuple[Library, ...]:
    """Those that the game is played with, the slowest to build first."""
    layout = layout_of(variant)
    search = dice_library(layout) if variant.die else search_library(layout)
    return search, rules_library(layout), eval_library(layout)


def is_ready(report: Report, variant: Variant) -> bool:
    """Whether all that the game is played with is built."""
    return all(library.is_built(report) for library in libraries_of(variant))


def warmup(report: Report, *variants: Variant) -> None:
    """Build what is missing for these games, by default the default one, two libraries at a time, and load it all;
    KernelError says what went wrong."""
    libraries = list(dict.fromkeys(library for variant in variants or (DEFAULT,) for library in libraries_of(variant)))
    missing = [library for library in libraries if not library.is_built(report)]
    if missing:
        build_all(missing, report)
    for library in libraries:
        library.load(report)


def build_all(libraries: Sequence[Library], report: Report) -> None:
    """Build these, which nobody has built yet, by two compilers at a time: one for each layout, or if there is just one
    layout, one for each library."""
    from kogoma.native.compiler import Compiler  # which few starts need

    layouts = list(dict.fromkeys(library.layout for library in libraries))
    if len(layouts) > 1:
        jobs = deque([library for library in libraries if library.layout == layout] for layout in layouts)
    else:
        jobs = deque([library] for library in libraries)
    done = SimpleQueue[Exception | None]()

    def work() -> None:
        with contextlib.suppress(IndexError):
            while True:
                job = jobs.popleft()
                try:
                    with contextlib.closing(Compiler(job[0].layout)) as compiler:
                        for library in job:
                            library.build(report, compiler)
                    done.put(None)
                except Exception as failure:  # raised by the thread that waits
                    done.put(failure)

    count = len(jobs)
    for _ in range(2):  # threads for which an interrupted process does not wait, as it would for an executor's
        threading.Thread(target=work, name="building", daemon=True).start()
    for _ in range(count):
        failure = done.get()
        if failure is not None:
            raise failure
