"""The search in a worker's own process, for work that is no game: the best lines of a position."""

from __future__ import annotations

import threading
from functools import cache

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import Info, Searcher


def searcher_of(variant: str, hash_mb: int) -> Searcher:
    """A searcher, for each thread (a cluster's worker may have several) always the same one: what it has learned of one
    position helps with its neighbours."""
    return _searcher(variant, hash_mb, threading.get_ident())


@cache
def _searcher(variant: str, hash_mb: int, thread: int) -> Searcher:
    warmup(lambda text: None, find(variant))
    return Searcher(hash_mb, variant=find(variant))


def best_lines(searcher: Searcher, position: BasePosition, limits: Limits, count: int) -> list[Info]:
    """What a search says last of the best moves, at most `count` of them, the best one first; without bounds."""
    by_rank: dict[int, Info] = {}

    def report(info: Info) -> None:
        if not info.bound and info.pv:
            by_rank[info.multipv] = info

    searcher.search(position, limits, SearchOptions(multipv=count), report)
    by_move: dict[str, Info] = {}
    for _, info in sorted(by_rank.items()):  # an iteration that was broken off may leave a move at two ranks
        by_move.setdefault(info.pv[0], info)
    return list(by_move.values())
