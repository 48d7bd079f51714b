"""The one test whether a game has ended, for every search: by mate, stalemate, a king captured or on its goal, a check
that wins, repetition, declaration, or the limit of its length. What few nodes need is called `rare_`, and not inlined.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.rules.dispatch import ending, has_legal_move, may_declare, over, repetition, wins_without_move
from kogoma.rules.outcome import Ending
from kogoma.rules.repetition import DRAWS, GOES_ON, LOSES, WINS
from kogoma.rules.types import Position, Rules

ON_BOARD = 4  # in a verdict: won or lost by the position itself, not by what the players did before or say
NO_ROOT = 1 << 40  # as `root`: of repetitions, only the rule's own number counts
GOAL_HELD = int(Ending.GOAL_HELD)


@kernel
def rare_without_move(rules: Rules, position: Position, last_ply: Any) -> Any:
    """The verdict where the side to move has no legal move: mated or stalemated. Where kings are captured, and a search
    leaves out moves that allow it, the game lasts two plies more."""
    if wins_without_move(rules, position):
        return WINS | ON_BOARD
    if last_ply != 0 and position.game_ply + np.int64(position.ply) + rules.capture_delay > last_ply:
        return DRAWS
    return LOSES | ON_BOARD


@kernel
def rare_sudden(rules: Rules, position: Position) -> Any:
    """The verdict where the game is over although there may be moves."""
    return WINS | ON_BOARD if ending(rules, position) == GOAL_HELD else LOSES | ON_BOARD


@kernel
def rare_stuck(rules: Rules, position: Position) -> Any:
    """True if there is no legal move."""
    return not has_legal_move(rules, position)


@kernel
def rare_declared(rules: Rules, position: Position, result: Any) -> Any:
    """The verdict where a win may be declared, and what repetition makes of the position is `result`."""
    if result == GOES_ON or repetition(rules, position, np.int64(NO_ROOT)) == GOES_ON:
        return WINS
    return result


@kernel
def rare_last_ply(rules: Rules, position: Position, last_ply: Any) -> Any:
    """The verdict after the last ply of a game that nothing else has ended."""
    return DRAWS if has_legal_move(rules, position) else rare_without_move(rules, position, last_ply)


@kernel
def verdict(rules: Rules, position: Position, root: Any, last_ply: Any) -> Any:
    """GOES_ON, or WINS, LOSES or DRAWS for the side to move, with ON_BOARD where nothing but the position decides.

    A mate, or a stalemate that loses, is GOES_ON: a search finds it sooner by looking for moves, and then asks
    `rare_without_move`. A position that comes again after the entry `root` counts as repeated; after `last_ply` plies a
    game is a draw, 0 is no limit. A game that has ended by either is not won by declaration any more.
    """
    if over(rules, position):
        return rare_sudden(rules, position)
    if wins_without_move(rules, position) and rare_stuck(rules, position):
        return WINS | ON_BOARD
    result = repetition(rules, position, root)
    if last_ply != 0 and position.game_ply + np.int64(position.ply) >= last_ply:
        return rare_last_ply(rules, position, last_ply) if result == GOES_ON else result
    if may_declare(rules, position):
        return rare_declared(rules, position, result)
    return result
