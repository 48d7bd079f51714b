"""Games that end while there are moves: a king captured, or one that has reached its goal."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, attacked
from rules.bitboard import any_of, load
from rules.kernel import kernel
from rules.outcome import Ending

NONE = int(Ending.NONE)
KING_CAPTURED = int(Ending.KING_CAPTURED)
GOAL_REACHED = int(Ending.GOAL_REACHED)
GOAL_HELD = int(Ending.GOAL_HELD)


@kernel
def ending(rules: Any, position: Any) -> Any:
    """How the game has ended (`rules.outcome.Ending`), in a variant where it can."""
    us = position.side
    them = us ^ ONE
    kings = load(position.by_type, rules.king)
    if not any_of(kings & load(position.by_side, us)):
        return KING_CAPTURED
    if any_of(kings & load(position.by_side, us) & load(rules.goal, us)):
        return GOAL_HELD
    if any_of(kings & load(position.by_side, them) & load(rules.goal, them)):
        occupied = load(position.by_side, us) | load(position.by_side, them)
        if not attacked(rules, position, us, np.uint64(position.king[them, np.uint64(0)]), occupied):
            return GOAL_REACHED
    return NONE


@kernel
def over(rules: Any, position: Any) -> Any:
    """True if the game has ended although there may be moves."""
    return rules.sudden_end != 0 and ending(rules, position) != NONE
