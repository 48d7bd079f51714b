"""Aspiration windows: an iteration starts with a window around the last score and widens it after each fail low or
fail high."""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.rules.types import Depth, Score
from kogoma.search.thread import DECIDED, INFINITE
from kogoma.search.types import Control

WIDEST = 1000  # from this width on, the bound that failed becomes infinite
NARROW_FROM = 4  # plies; scores of shallower searches vary too much


@kernel
def open_window(control: Control, expected: Score, depth: Depth, width: Score) -> None:
    """Set the window of the control struct to `width` centipawns on each side of `expected`. The window is infinite if
    the search is shallow or the expected score is a mate."""
    control.width = width
    narrow = depth >= NARROW_FROM and abs(expected) < DECIDED
    control.alpha = expected - width if narrow else np.int64(-INFINITE)
    control.beta = expected + width if narrow else np.int64(INFINITE)


@kernel
def widen_window(control: Control, score: Score) -> None:
    """Widen the window after a search failed low or high with `score`. The bound that failed moves beyond `score`, or
    becomes infinite. After a fail low, beta moves to the middle of the old window."""
    wide = control.width >= WIDEST
    if score <= control.alpha:
        control.beta = (control.alpha + control.beta) // np.int64(2)
        control.alpha = np.int64(-INFINITE) if wide else score - control.width
    else:
        control.beta = np.int64(INFINITE) if wide else score + control.width
    control.width *= 2
