"""What each piece has of the evaluation: its place on the board, and its relations with the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eval.explain import eval_library
from eval.tables import Features
from eval.weights import loaded, tuned
from rules.native.layout import FEATURES
from rules.native.rules_record import layout_of

if TYPE_CHECKING:
    from rules.position import BasePosition


class Shares(NamedTuple):
    """Centipawns for Black: together, "pieces" and "relations" of `eval.explain`."""

    board: list[float]  # by square
    hands: dict[
        tuple[int, int], float
    ]  # by (side, type of the pieces or number of the card); the centre's is (2, card)


def shares(position: BasePosition) -> Shares:
    """A relation of two pieces is shared by both; how a piece stands to the king that looks is the piece's alone."""
    variant, record = position.variant, position.record.copy()
    rules, weights = tuned(variant)
    now, ply = record[0], int(record[0]["ply"])
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
    tables = loaded(variant).get("tables")
    if tables is not None:
        features = Features(variant)
        for side, sign in ((0, 1), (1, -1)):
            told = eval_library(layout_of(variant))("see_board", rules, weights, record, side)
            seen = now["feature"][: told % FEATURES]
            parts = tables.king[told // FEATURES, seen] + tables.pair[np.ix_(seen, seen)].sum(axis=1) / 2
            for feature, part in zip(seen, parts):
                _add(found, features, side, int(now["king"][side, 0]), int(feature), sign * float(part))
    return found


def _add(found: Shares, features: Features, side: int, king: int, feature: int, part: float) -> None:
    """Give a feature's part to the piece or card that it stands for."""
    squares = features.variant.squares
    for first in features.on_board.values():
        if first <= feature < first + squares:
            found.board[features.seen_square(side, features.is_mirrored(side, king), feature - first)] += part
            return
    for (_, card), number in features.in_centre.items():
        if feature == number:
            found.hands[2, card] += part
            return
    (whose, kind), _ = max((item for item in features.in_hand.items() if item[1] <= feature), key=lambda item: item[1])
    found.hands[whose ^ side, kind] += part
