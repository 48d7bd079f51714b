"""How far each margin may be tuned."""

from __future__ import annotations

from kogoma.lab.tune.margins.ascent import Axis
from kogoma.search.margins.values import MARGINS, Margins

# Name: least, most, and the step by which two players differ from the middle: large enough to be felt in a game, small
# enough that what lies between is about straight.
RANGES: dict[str, tuple[int, int, int]] = {
    "window": (10, 300, 15),
    "razoring": (100, 2000, 100),
    "reverse_futility": (40, 800, 40),
    "improving": (1, 600, 40),
    "null_margin": (1, 1000, 60),
    "null_divisor": (100, 3000, 100),
    "late_moves": (1, 20, 1),
    "futility": (20, 1000, 50),
    "futility_ply": (40, 800, 40),
    "history_pruning": (500, 12000, 700),
    "see_quiet": (5, 400, 20),
    "see_tactical": (20, 800, 40),
    "singular": (1, 20, 1),
    "reduction": (120, 320, 15),
    "reduction_base": (1, 1536, 150),
    "history_reduction": (1500, 30000, 1500),
    "history_bonus": (4, 100, 5),
    "delta": (50, 1200, 60),
}


def axes_from(start: Margins = MARGINS) -> tuple[Axis, ...]:
    """One for each margin, in their order."""
    return tuple(Axis(name, value, *RANGES[name]) for name, value in start._asdict().items())
