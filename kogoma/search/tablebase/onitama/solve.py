"""Compute the values of Onitama's endings for five cards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from kogoma.search.library import tablebase_library
from kogoma.search.tablebase.onitama.tables import DISTRIBUTIONS, HANDS, LAYOUT, LONGEST, WIN, new_tables
from kogoma.search.tablebase.onitama.values import Endings


def solve(
    cards: Sequence[int],
    men: int,
    threads: int = 1,
    begin_thread: Callable[[], None] = lambda: None,
    stopped: Callable[[], bool] = lambda: False,
) -> Endings | None:
    """Return the values of all positions with five cards and at most `men` men (2 to 5), or None if `stopped` returns
    true meanwhile. Each thread first calls `begin_thread`. Raises MemoryError."""
    tables, library = new_tables(cards, men), tablebase_library(LAYOUT)
    library.load()  # not by several threads at once
    hands = [HANDS * part // threads for part in range(threads + 1)]

    def begin(distribution: int) -> None:
        if not stopped():
            library("endings_begin", tables.struct, distribution)

    def spread(hands: tuple[int, int]) -> int:
        return library("endings_spread", tables.struct, *hands, plies)

    with ThreadPoolExecutor(threads, initializer=begin_thread) as pool:
        list(pool.map(begin, range(DISTRIBUTIONS)))
        plies, found = WIN, 1
        while found and plies < LONGEST and not stopped():
            found = sum(pool.map(spread, pairwise(hands)))
            plies += 1
    return None if stopped() else Endings(cards, tables, complete=not found)
