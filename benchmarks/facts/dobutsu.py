"""Facts about Dobutsu from its tablebase."""

from __future__ import annotations

from typing import Any

from kogoma.rules.position import Position
from kogoma.search.tablebase.dobutsu.values import Tablebase
from kogoma.search.tablebase.root import known_moves


def solved(tablebase: Tablebase) -> dict[str, Any]:
    """Return the numbers of entries by their values (0: drawn; otherwise plies to the end, odd if won), the first moves
    with their values, a line of best play, and the positions with the longest win."""
    counts = tablebase.counts()
    position = Position(tablebase.variant)
    first = {one.move: one.value for one in known_moves(tablebase, position) or ()}
    while position.outcome() is None:
        known = known_moves(tablebase, position)
        assert known, position.sfen()
        position.push(known[0].move)
    longest = [tablebase.sfen(int(number)) for number in tablebase.numbers(len(counts) - 1)]
    return {"counts": counts, "first": first, "line": position.moves, "longest": longest}
