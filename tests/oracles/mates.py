"""Mates found by exhaustive search with the reference rules, without a table or proof numbers.

The attacker gives check with every move, and the defender plays any legal move. `wins_within` is for variants that are
won by capturing the king. It allows all moves. A side wins by capturing the enemy king or by bringing its own king to
the goal.
"""

from __future__ import annotations

from oracles import shogi as oracle

Known = dict[tuple[object, int], bool]


def mates_within(position: oracle.Position, plies: int, known: Known) -> bool:
    """Return whether the side to move can force mate within `plies` plies if each of its moves gives check."""
    if plies < 1:
        return False
    key = position.key, plies
    if key not in known:
        known[key] = any(
            mated_within(after, plies - 1, known) for _, after in oracle.legal_one_by_one(position, checks_alone=True)
        )
    return known[key]


def mated_within(position: oracle.Position, plies: int, known: Known) -> bool:
    """Return whether the side to move, which is in check, is mated within `plies` plies, whichever moves it plays."""
    return all(mates_within(after, plies - 1, known) for _, after in oracle.legal_one_by_one(position))


def shortest_mate(position: oracle.Position, most: int) -> int | None:
    """Return the number of plies of the shortest mate in which every move of the attacker gives check. Return None if
    there is no such mate within `most` plies."""
    known: Known = {}
    return next((plies for plies in range(1, most + 1, 2) if mates_within(position, plies, known)), None)


def wins_within(position: oracle.Position, plies: int) -> bool:
    """Return whether the side to move can force a win within `plies` plies. The winning side need not give check."""
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
    """Return whether the side to move loses within `plies` plies, whichever moves it plays."""
    for after in oracle.legal_moves(position).values():
        end = oracle.decided(after)
        if end is not None:
            if end.winner == position.turn:
                return False
            continue
        if not wins_within(after, plies - 1):
            return False
    return True
