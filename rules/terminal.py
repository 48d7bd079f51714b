"""The one test whether a game has ended, for every search: by mate, stalemate, a king captured or on its goal, a check
that wins, repetition, declaration, or the limit of its length."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.dispatch import ending, has_legal_move, may_declare, over, repetition, wins_without_move
from rules.native.kernel import kernel
from rules.outcome import Ending
from rules.repetition import DRAWS, GOES_ON, LOSES, WINS

ON_BOARD = 4  # in a verdict: won or lost by the position itself, not by what the players did before or say
NO_ROOT = 1 << 40  # as `root`: of repetitions, only the rule's own number counts
GOAL_HELD = int(Ending.GOAL_HELD)


@kernel
def without_move(rules: Any, position: Any, last_ply: Any) -> Any:
    """The verdict where the side to move has no legal move: mated or stalemated. Where kings are captured, and a search
    leaves out moves that allow it, the game lasts two plies more."""
    if wins_without_move(rules, position):
        return WINS | ON_BOARD
    if last_ply != 0 and position.game_ply + np.int64(position.ply) + rules.capture_delay > last_ply:
        return DRAWS
    return LOSES | ON_BOARD


@kernel
def verdict(rules: Any, position: Any, root: Any, last_ply: Any) -> Any:
    """GOES_ON, or WINS, LOSES or DRAWS for the side to move, with ON_BOARD where nothing but the position decides.

    A mate, or a stalemate that loses, is GOES_ON: a search finds it sooner by looking for moves (`without_move`). A
    position that comes again after the entry `root` counts as repeated; after `last_ply` plies a game is a draw, 0 is
    no limit. A game that has ended by either is not won by declaration any more.
    """
    if over(rules, position):
        return WINS | ON_BOARD if ending(rules, position) == GOAL_HELD else LOSES | ON_BOARD
    if wins_without_move(rules, position) and not has_legal_move(rules, position):
        return WINS | ON_BOARD
    result = repetition(rules, position, root)
    at_end = last_ply != 0 and position.game_ply + np.int64(position.ply) >= last_ply
    if may_declare(rules, position) and not at_end:
        if result == GOES_ON or repetition(rules, position, np.int64(NO_ROOT)) == GOES_ON:
            return WINS
    if result == GOES_ON and at_end:
        return DRAWS if has_legal_move(rules, position) else without_move(rules, position, last_ply)
    return result
