"""Aspiration windows: a root move's line is searched in a window around its last score, which is widened as far as
needed."""

from __future__ import annotations

from kogoma.search.parameters.values import PARAMETERS
from kogoma.search.thread import DECIDED, INFINITE

WINDOW = PARAMETERS.window
WIDEST = 1000  # a window that has grown so far is opened wholly
NARROW_FROM = 4  # plies: shallower searches are over at once, and their scores jump


def around(expected: int, depth: int, width: int) -> tuple[int, int]:
    """The window (alpha, beta) around an expected score, `width` centipawns to each side; open, where the score is one
    of a shallow search or a mate's."""
    if depth < NARROW_FROM or abs(expected) >= DECIDED:
        return -INFINITE, INFINITE
    return expected - width, expected + width


def widened(alpha: int, beta: int, score: int, width: int) -> tuple[int, int]:
    """The window, made wider where the search in it found a score that it does not hold."""
    if score <= alpha:
        return score - width if width < WIDEST else -INFINITE, (alpha + beta) // 2
    return alpha, score + width if width < WIDEST else INFINITE
