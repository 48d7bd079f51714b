"""The terminal test: whether a game has ended, for every search.

Covers mate, stalemate, captured kings, goals, winning checks, repetition, declaration and the length limit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.dispatch import ending, has_legal_move, may_declare, over, repetition, wins_without_move
from kogoma.rules.outcome import Ending
from kogoma.rules.repetition import DRAWS, GOES_ON, LOSES, WINS
from kogoma.rules.types import Ply, Position, Rules

ON_BOARD = 4  # flag of a verdict: decided by the position, not by its history or a declaration
NO_ROOT = 1 << 40  # value of `root` for which only `repetition_fold` occurrences end the game
GOAL_HELD = int(Ending.GOAL_HELD)


@kernel(cold=True)
def verdict_without_move(rules: Rules, position: Position, last_ply: Ply) -> Any:
    """Return the verdict for a side to move without a legal move. In variants won by capturing the king, the search
    ends `rules.capture_delay` plies before the capture; these plies count towards the length limit."""
    if wins_without_move(rules, position):
        return WINS | ON_BOARD
    if last_ply != 0 and position.game_ply + np.int64(position.ply) + rules.capture_delay > last_ply:
        return DRAWS
    return LOSES | ON_BOARD


@kernel(cold=True)
def verdict_of_ending(rules: Rules, position: Position) -> Any:
    """Return the verdict if the position on the board has ended the game (`rules.outcome.Ending`)."""
    return WINS | ON_BOARD if ending(rules, position) == GOAL_HELD else LOSES | ON_BOARD


@kernel(cold=True)
def has_no_move(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move has no legal move."""
    return not has_legal_move(rules, position)


@kernel(cold=True)
def verdict_of_declaration(rules: Rules, position: Position, result: Int) -> Any:
    """Return the verdict if the side to move may declare a win: WINS, unless the full number of repetitions has already
    ended the game. `result` is the result of `repetition` with the root of the search."""
    if result == GOES_ON or repetition(rules, position, np.int64(NO_ROOT)) == GOES_ON:
        return WINS
    return result


@kernel(cold=True)
def verdict_on_last_ply(rules: Rules, position: Position, last_ply: Ply) -> Any:
    """Return the verdict after the last ply that the length limit allows, if nothing else has ended the game."""
    return DRAWS if has_legal_move(rules, position) else verdict_without_move(rules, position, last_ply)


@kernel
def verdict(rules: Rules, position: Position, root: Ply, last_ply: Ply) -> Any:
    """Return GOES_ON, WINS, LOSES or DRAWS for the side to move, plus ON_BOARD if the result depends on the position
    alone, not on the moves before it. A mate gives GOES_ON, and so does a stalemate that loses: the search notices both
    when it finds no move, and then calls `verdict_without_move`. Repetition is judged with `root` as in
    `rules.repetition`. After `last_ply` plies the game is a draw; 0 means no limit. A game that has ended by repetition
    or length cannot be won by declaration."""
    if over(rules, position):
        return verdict_of_ending(rules, position)
    if wins_without_move(rules, position) and has_no_move(rules, position):
        return WINS | ON_BOARD
    result = repetition(rules, position, root)
    if last_ply != 0 and position.game_ply + np.int64(position.ply) >= last_ply:
        return verdict_on_last_ply(rules, position, last_ply) if result == GOES_ON else result
    if may_declare(rules, position):
        return verdict_of_declaration(rules, position, result)
    return result
