"""The native libraries of the search, and all libraries that a variant needs."""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Sequence
from functools import cache
from queue import SimpleQueue

from kogoma.eval.explain import eval_library
from kogoma.native.cache.folders import Tell
from kogoma.native.library import Library
from kogoma.rules.library import PURPOSES, new_library, rules_library
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import Variant

TABLEBASES = {"64": "dobutsu", "onitama": "onitama"}  # layouts with a tablebase, and its package
DRIVING = "root", "time"  # modules with the entry points `begin` and `start_clock`
PATIENCE = 1.0  # seconds for a thread to end after an interruption


@cache
def search_library(layout: str) -> Library:
    """Return the native library of a layout that drives alpha-beta searches."""
    modules = "quiescence", "alphabeta", "lazy_smp", "deepening", *DRIVING
    return new_library("search", layout, *(f"kogoma.search.{name}" for name in modules))


@cache
def dice_library(layout: str) -> Library:
    """Return the native library of a layout that drives searches with a die."""
    modules = "dice.expectimax", "dice.proof", "dice.deepening", *DRIVING
    return new_library("dice", layout, *(f"kogoma.search.{name}" for name in modules))


@cache
def mate_library(layout: str) -> Library:
    """Return the native library of a layout with the entry points begin, visit, solve and solution."""
    return new_library("mate", layout, "kogoma.search.mate.dfpn", "kogoma.search.mate.solution")


@cache
def tablebase_library(layout: str) -> Library:
    """Return the native library that computes and reads the tablebases of a layout (see TABLEBASES)."""
    return new_library("tablebase", layout, f"kogoma.search.tablebase.{TABLEBASES[layout]}.retrograde")


def libraries_by_layout() -> dict[str, list[Library]]:
    """Return the libraries of all variants, also of custom ones, by layout."""
    makers = search_library, mate_library, rules_library, eval_library
    found = {layout: [make(layout) for make in makers] for layout in PURPOSES}
    for layout in found:
        if layout != "onitama":
            found[layout].append(dice_library(layout))
    for layout in TABLEBASES:
        found[layout].append(tablebase_library(layout))
    return found


def all_libraries() -> list[Library]:
    """Return the libraries of all variants, also of custom ones."""
    return [library for libraries in libraries_by_layout().values() for library in libraries]


def libraries_of(variant: Variant) -> tuple[Library, ...]:
    """Return the native libraries that are needed to play a variant. The one that takes longest to build comes
    first."""
    layout = layout_of(variant)
    search = dice_library(layout) if variant.die else search_library(layout)
    return search, rules_library(layout), eval_library(layout)


def is_ready(report: Tell, variant: Variant) -> bool:
    """Return whether all native libraries of a variant are built."""
    return all(library.is_built(report) for library in libraries_of(variant))


def warmup(report: Tell, *variants: Variant, mates: bool = False) -> None:
    """Build the missing libraries of `variants`, two at a time, and load all their libraries. The libraries of the mate
    solver are included if `mates` is true or if they are prebuilt, so that a damaged one is found before it is needed.
    Raises KernelError if a library cannot be built or loaded."""
    libraries = list(dict.fromkeys(library for variant in variants for library in libraries_of(variant)))
    solvers = dict.fromkeys(mate_library(layout_of(variant)) for variant in variants if not variant.die)
    libraries += [solver for solver in solvers if mates or solver.is_prebuilt]
    missing = [library for library in libraries if not library.is_built(report)]
    if missing:
        build_all(missing, report)
    for library in libraries:
        library.load(report)


def build_all(libraries: Sequence[Library], report: Tell) -> None:
    """Build libraries in parallel. If they are for several layouts, one compiler builds all libraries of a layout;
    otherwise each library gets a compiler of its own."""
    layouts = list(dict.fromkeys(library.layout for library in libraries))
    if len(layouts) > 1:
        build_groups([[library for library in libraries if library.layout == layout] for layout in layouts], report)
    else:
        build_groups([[library] for library in libraries], report)


def build_groups(groups: Sequence[Sequence[Library]], report: Tell) -> None:
    """Build groups of libraries in parallel, with at most two compilers at a time. One compiler builds all libraries of
    a group, which are for one layout, in their order."""
    from kogoma.native.compiler import Compiler  # imported late, because few starts of the engine need it

    compilers = [Compiler(group[0].layout) for group in groups]
    jobs = deque(zip(compilers, groups, strict=True))
    done = SimpleQueue[Exception | None]()

    def work() -> None:
        with contextlib.suppress(IndexError):
            while True:
                compiler, group = jobs.popleft()
                try:
                    with contextlib.closing(compiler):
                        for library in group:
                            library.build(report, compiler)
                    done.put(None)
                except Exception as failure:  # raised again by the waiting thread
                    done.put(failure)

    # Daemon threads, because an interrupted process would wait for other threads.
    threads = [threading.Thread(target=work, name="building", daemon=True) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        for _ in groups:
            failure = done.get()
            if failure is not None:
                raise failure
    except BaseException:
        jobs.clear()
        for compiler in compilers:
            compiler.kill()
        for thread in filter(threading.Thread.is_alive, threads):
            thread.join(PATIENCE)
        raise
