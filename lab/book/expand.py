"""A worker's part in a book: one position, searched with several lines at once."""

from __future__ import annotations

from functools import cache

from lab.book.tree import MATE, Line
from rules.position import new_position
from rules.variants import find
from search.library import warmup
from search.limits import Limits, SearchOptions
from search.searcher import Info, Searcher

HASH_MB = 64


@cache
def _searcher(variant: str) -> Searcher:
    """One for each worker: what it has learned of one position helps with its neighbours."""
    warmup(lambda text: None, find(variant))
    return Searcher(HASH_MB, variant=find(variant))


def expand(variant: str, sfen: str, nodes: int, multipv: int) -> list[Line]:
    """The best moves of a position, at most `multipv`, as a search of so many nodes finds them; [] where the game has
    ended."""
    position = new_position(variant, sfen)
    if position.outcome() is not None:
        return []
    found: dict[int, Info] = {}

    def report(info: Info) -> None:
        if not info.bound and info.pv:
            found[info.multipv] = info

    _searcher(variant).search(position, Limits(nodes=nodes), SearchOptions(multipv=multipv), report)
    lines: dict[str, Line] = {}
    for _, info in sorted(found.items()):
        move = info.pv[0]
        if move in lines:  # an iteration that was broken off may leave a move at two places
            continue
        position.push(move)
        child = "" if position.outcome() is not None else position.sfen()
        position.pop()
        lines[move] = Line(move, _centipawns(info), info.depth, child)
    return list(lines.values())


def _centipawns(info: Info) -> int:
    if info.score_kind == "cp":
        return info.score
    return MATE - info.score if info.score > 0 else -MATE - info.score
