"""Which of the legal moves a search looks at."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.native.rules_record import layout_of
from rules.position import BasePosition, rules_library


def root_moves(position: BasePosition, rules: np.ndarray[Any, Any]) -> list[int]:
    """The legal moves, but where the game is to capture the king: its captures if there are any, otherwise the moves
    that do not leave the own king to be captured, otherwise all. `rules` is the search's record, for which such moves
    are not legal."""
    moves = position.legal_codes()
    if not position.variant.king_capture or position.variant.cards:
        return moves
    king = int(position.record["king"][0, 1 - position.turn, 0])
    captures = [move for move in moves if move & 127 == king]
    library = rules_library(layout_of(position.variant))
    record = position.record.copy()
    library("init_position", rules, record)  # for pins, which the real game does not have
    return captures or [move for move in moves if library("may_play", rules, record, move)] or moves
