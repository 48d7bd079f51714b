"""A worker's part in a book: one position, searched with several lines at once."""

from __future__ import annotations

from kogoma.lab.book.tree import MATE, Line
from kogoma.lab.engines.searches import best_lines, searcher_of
from kogoma.rules.position import new_position
from kogoma.search.limits import Limits
from kogoma.search.searcher import Info

HASH_MB = 64


def expand(variant: str, sfen: str, nodes: int, multipv: int) -> list[Line]:
    """The best moves of a position, at most `multipv`, as a search of so many nodes finds them; [] where the game has
    ended."""
    position = new_position(variant, sfen)
    if position.outcome() is not None:
        return []
    lines = []
    for info in best_lines(searcher_of(variant, HASH_MB), position, Limits(nodes=nodes), multipv):
        position.push(info.pv[0])
        child = "" if position.outcome() is not None else position.sfen()
        position.pop()
        lines.append(Line(info.pv[0], _centipawns(info), info.depth, child))
    return lines


def _centipawns(info: Info) -> int:
    if info.score_kind == "cp":
        return info.score
    return MATE - info.score if info.score > 0 else -MATE - info.score
