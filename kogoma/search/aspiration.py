"""Aspiration windows: an iteration starts with a window around the last score, which is widened after each failure."""

from __future__ import annotations

from kogoma.search.parameters.values import PARAMETERS
from kogoma.search.thread import DECIDED, INFINITE

WINDOW = PARAMETERS.window
WIDEST = 1000  # a window wider than this is opened completely
NARROW_FROM = 4  # plies; scores of shallower searches vary too much


def around(expected: int, depth: int, width: int) -> tuple[int, int]:
    """Return the window (alpha, beta) around `expected`, `width` centipawns to each side. The window is open if the
    search is shallow or the score is a mate."""
    if depth < NARROW_FROM or abs(expected) >= DECIDED:
        return -INFINITE, INFINITE
    return expected - width, expected + width


def widened(alpha: int, beta: int, score: int, width: int) -> tuple[int, int]:
    """Return the window after a search that failed low or high in it with `score`; the new side is `width` away."""
    if score <= alpha:
        return score - width if width < WIDEST else -INFINITE, (alpha + beta) // 2
    return alpha, score + width if width < WIDEST else INFINITE
