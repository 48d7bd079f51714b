"""The evaluation of a position, term by term, for people."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kogoma.eval.weights import tuned
from kogoma.native.library import Library
from kogoma.rules.library import new_library
from kogoma.rules.rules_record import layout_of

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition

TERMS = ("pieces", "mobility", "promotion", "king", "hanging", "relations", "tempo")
ONITAMA_TERMS = ("pieces", "mobility", "cards", "attack", "flight", "relations", "tempo")


@cache
def eval_library(layout: str) -> Library:
    """Entries: static_eval, explain_terms, see_board."""
    return new_library("eval", layout, "kogoma.eval.entries")


def explain(position: BasePosition) -> tuple[list[tuple[str, int, int]], int]:
    """Rows (term, Black's part, White's part) in centipawns, and the score for the side to move.

    The parts are what each side has of a term; "pieces" is material, hands and squares together, as a difference
    that stands in Black's column.
    """
    rules, weights = tuned(position.variant)
    terms = ONITAMA_TERMS if position.variant.cards else TERMS
    out = np.zeros(2 * len(terms), np.int64)
    record = position.record.copy()
    total = eval_library(layout_of(position.variant))("explain_terms", rules, weights, record, out)
    return [(term, int(out[2 * i]), int(out[2 * i + 1])) for i, term in enumerate(terms)], total
