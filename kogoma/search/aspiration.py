"""Aspiration windows: an iteration starts with a window around the last score and widens it after each fail low or
fail high."""

from __future__ import annotations

from kogoma.search.thread import DECIDED, INFINITE

WIDEST = 1000  # from this width on, the bound that failed becomes infinite
NARROW_FROM = 4  # plies; scores of shallower searches vary too much


def around(expected: int, depth: int, width: int) -> tuple[int, int]:
    """Return the window (alpha, beta) that extends `width` centipawns to each side of `expected`. The window is
    infinite if the search is shallow or the expected score is a mate."""
    if depth < NARROW_FROM or abs(expected) >= DECIDED:
        return -INFINITE, INFINITE
    return expected - width, expected + width


def widened(alpha: int, beta: int, score: int, width: int) -> tuple[int, int]:
    """Return the next window (alpha, beta) after a search failed low or high with `score`. The bound that failed moves
    to `width` centipawns beyond `score`, or becomes infinite. After a fail low, beta moves to the middle of the old
    window."""
    if score <= alpha:
        return score - width if width < WIDEST else -INFINITE, (alpha + beta) // 2
    return alpha, score + width if width < WIDEST else INFINITE
