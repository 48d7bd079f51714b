"""Kogoma's search inside a worker process, for game analysis and opening books."""

from __future__ import annotations

import threading
from functools import cache

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.search.tablebase.dobutsu.values import open_tablebase


def thread_searcher(variant: str, hash_mb: int) -> Searcher:
    """Return this thread's searcher for a variant. It is created at the first call and then reused, so that searches of
    related positions share its transposition table."""
    return _searcher(variant, hash_mb, threading.get_ident())


@cache
def _searcher(variant: str, hash_mb: int, thread: int) -> Searcher:
    warmup(lambda text: None, find(variant))
    searcher = Searcher(hash_mb, variant=find(variant))
    searcher.use_tablebase(open_tablebase("", find(variant)))
    return searcher


def best_lines(searcher: Searcher, position: BasePosition, limits: Limits, count: int) -> list[Info]:
    """Search a position. For each of the best `count` moves, return the last report with an exact score (not a bound),
    best move first."""
    by_rank: dict[int, Info] = {}

    def report(info: Info) -> None:
        if not info.bound and info.pv:
            by_rank[info.multipv] = info

    searcher.search(position, limits, SearchOptions(multipv=count), report)
    by_move: dict[str, Info] = {}
    for _, info in sorted(by_rank.items()):  # after a stopped iteration, two numbers may have the same move
        by_move.setdefault(info.pv[0], info)
    return list(by_move.values())
