"""Which of the legal moves a search looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.base import BasePosition
from rules.library import rules_library
from rules.tables import layout


def root_moves(position: BasePosition, rules: np.ndarray[Any, Any]) -> list[int]:
    """The legal moves, but where the game is to capture the king: its captures if there are any, otherwise the moves
    that do not leave the own king to be captured, otherwise all. `rules` is the search's record, for which such moves
    are not legal."""
    moves = position.legal_codes()
    if not position.variant.king_capture or position.variant.cards:
        return moves
    king = int(position.record["king"][0, 1 - position.turn, 0])
    captures = [move for move in moves if move & 127 == king]
    library = rules_library(layout(position.variant))
    record = position.record.copy()
    library("set_up", rules, record)  # for pins, which the real game does not have
    return captures or [move for move in moves if library("may_play", rules, record, move)] or moves
