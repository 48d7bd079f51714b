"""Where a search of dice games ends: games that are over, and leaves."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.evaluate import evaluate
from rules.checks import has_legal_move
from rules.dice.throw import wins_without_move
from rules.native.kernel import kernel
from rules.repetition import DRAWS, GOES_ON, WINS, repetition
from search.dice.values import FULL, NO_LIMIT, TABLED

NOT_OVER = FULL + 1


@kernel
def repeated_value(rules: Any, position: Any, thread: Any) -> Any:
    """The value of a position that has come up as often as the rules allow, or NOT_OVER. What comes up once more in
    the tree need not do so again, since the dice have a say: only the rule's own number counts."""
    result = repetition(rules, position, np.int64(NO_LIMIT))
    if result == GOES_ON:
        return np.int64(NOT_OVER)
    if result == DRAWS:
        return thread.draw_value[position.side]
    return np.int64(FULL if result == WINS else -FULL)


@kernel
def stuck_value(rules: Any, position: Any) -> Any:
    """The value of having no legal move."""
    return np.int64(FULL if wins_without_move(rules, position) else -FULL)


@kernel
def plies_left(position: Any, thread: Any) -> Any:
    """After how many plies the game will be a draw; 0 if it is."""
    return thread.last_ply - position.game_ply - np.int64(position.ply)


@kernel
def leaf_value(rules: Any, weights: Any, position: Any, thread: Any) -> Any:
    """The value of a position that is not searched."""
    if not has_legal_move(rules, position):
        return stuck_value(rules, position)
    if plies_left(position, thread) <= 0:
        return thread.draw_value[position.side]
    score = evaluate(rules, weights, position)
    value = np.int64(thread.chance_curve[np.uint64(min(abs(score), np.int64(TABLED - 1)))])
    return value if score >= 0 else -value
