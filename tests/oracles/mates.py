"""Mates found by trying everything, over the naive rules: no table, no proof numbers, nothing of the engine's.

The attacker gives check with every move, the defender plays any legal move. In the games that are won by capturing the
king, any move may do, and a win is one by the rules: a king captured, or one on its goal.
"""

from __future__ import annotations

from oracles import shogi as oracle

Known = dict[tuple[object, int], bool]


def mates_within(position: oracle.Position, plies: int, known: Known) -> bool:
    """Tell whether the side to move mates by checks within so many plies."""
    if plies < 1:
        return False
    key = position.key, plies
    if key not in known:
        known[key] = any(
            oracle.in_check(after, after.turn) and mated_within(after, plies - 1, known)
            for after in oracle.legal_moves(position).values()
        )
    return known[key]


def mated_within(position: oracle.Position, plies: int, known: Known) -> bool:
    """Tell whether the side to move, which is in check, is mated within so many plies whatever it plays."""
    return all(mates_within(after, plies - 1, known) for after in oracle.legal_moves(position).values())


def shortest_mate(position: oracle.Position, most: int) -> int | None:
    """Return the plies of the shortest mate by checks, None if it takes more than `most`."""
    known: Known = {}
    return next((plies for plies in range(1, most + 1, 2) if mates_within(position, plies, known)), None)


def wins_within(position: oracle.Position, plies: int) -> bool:
    """Tell whether the side to move wins by the rules within so many plies, by any moves."""
    for after in oracle.legal_moves(position).values():
        end = oracle.decided(after)
        if end is not None:
            if end.winner == position.turn:
                return True
            continue
        if plies >= 3 and loses_within(after, plies - 1):
            return True
    return False


def loses_within(position: oracle.Position, plies: int) -> bool:
    """Tell whether the side to move loses by the rules within so many plies whatever it plays."""
    for after in oracle.legal_moves(position).values():
        end = oracle.decided(after)
        if end is not None:
            if end.winner == position.turn:
                return False
            continue
        if not wins_within(after, plies - 1):
            return False
    return True
