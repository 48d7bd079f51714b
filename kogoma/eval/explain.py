"""Explain the evaluation of a position: each term, and the share of each piece."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kogoma.eval.relation_table import Features
from kogoma.eval.weights import cached_weights, tuned
from kogoma.native.library import Library
from kogoma.rules.library import new_library
from kogoma.rules.rules_struct import layout_of

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition


TERMS = ("pieces", "mobility", "promotion", "king", "hanging", "relations", "tempo")
ONITAMA_TERMS = ("pieces", "mobility", "cards", "attack", "flight", "relations", "tempo")


@cache
def eval_library(layout: str) -> Library:
    """Return the native library of a layout with the entry points static_eval, explain_terms and list_features_of."""
    return new_library("eval", layout, "kogoma.eval.entry_points")


def explain(position: BasePosition) -> tuple[list[tuple[str, int, int]], int]:
    """Return rows (term, Black's part, White's part) in centipawns, and the score of the position for the side to move.
    The row "pieces", the value of all pieces on their squares and in hand, is a difference, Black minus White: it is
    returned as Black's part, with 0 as White's."""
    rules, weights = tuned(position.variant)
    terms = ONITAMA_TERMS if position.variant.cards else TERMS
    out = np.zeros(2 * len(terms), np.int64)
    struct = position.struct.copy()
    total = eval_library(layout_of(position.variant))("explain_terms", rules, weights, struct, out)
    return [(term, int(out[2 * i]), int(out[2 * i + 1])) for i, term in enumerate(terms)], total


class Shares(NamedTuple):
    """Contributions of pieces and cards to the terms "pieces" and "relations" of `explain`, in centipawns for Black.
    The keys of `hands` are (side, piece type or card). The card in the centre has the key (2, card)."""

    board: list[float]  # contribution of the piece on each square
    hands: dict[tuple[int, int], float]


def shares(position: BasePosition) -> Shares:
    """Return what every piece and card contributes to the evaluation, in centipawns for Black. The weight of each pair
    of features is divided equally between the two features."""
    variant, struct = position.variant, position.struct.copy()
    rules, weights = tuned(variant)
    now, ply = struct[0], int(struct[0]["ply"])
    found = Shares([0.0] * variant.squares, {})
    for square in range(variant.squares):
        cell = int(now["board"][square])
        found.board[square] = float(rules[0]["term"][cell >> 4, square, cell & 15])
    if variant.cards:
        cards = int(now["cards"][ply])
        found.hands.update({(place // 2, cards >> 4 * place & 15): 0.0 for place in range(5)})
    else:
        for side in (0, 1):
            for kind in range(1, int(rules[0]["hand_types"]) + 1):
                held = int(now["hand"][side, kind])
                if held:
                    found.hands[side, kind] = float(rules[0]["term_hand"][side, kind, 1 : held + 1].sum())
    table = cached_weights(variant).get("table")
    if table is not None:
        features, sign = Features(variant), -1 if position.turn else 1
        count = eval_library(layout_of(variant))("list_features_of", rules, weights, struct)
        seen = [int(feature) for feature in now["feature"][:count]]
        partners = min(int(weights[0]["partners"]), count)
        pairs = np.triu(table[np.ix_(seen[:partners], seen)], 1) / 2
        parts = pairs.sum(axis=0)
        parts[:partners] += pairs.sum(axis=1)
        for feature, part in zip(seen, parts):
            _add(found, features, position, feature, sign * float(part))
    return found


def _add(found: Shares, features: Features, position: BasePosition, feature: int, part: float) -> None:
    """Add `part`, in centipawns for Black, to the share of the piece or card for which `feature` stands."""
    side = position.turn
    for first in features.on_board.values():
        if first <= feature < first + features.variant.squares:
            mirrored = features.is_mirrored(side, int(position.fields["king"][side][0]))
            found.board[features.seen_square(side, mirrored, feature - first)] += part
            return
    for card, number in features.in_centre.items():
        if feature == number:
            found.hands[2, card] += part
            return
    (whose, kind), _ = max((item for item in features.in_hand.items() if item[1] <= feature), key=lambda item: item[1])
    found.hands[whose ^ side, kind] += part
