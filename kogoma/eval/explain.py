"""Explain the evaluation of a position: each term, and the share of each piece."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kogoma.eval.features import Features
from kogoma.eval.game import default_game
from kogoma.eval.network_file import BESIDES, ONE_WHOLE, Layers
from kogoma.eval.weights import cached_weights
from kogoma.native.library import Library
from kogoma.rules.layout import FEATURES
from kogoma.rules.library import new_library
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition

KINGS = 2
TERMS = ("pieces", "mobility", "promotion", "king", "hanging", "network", "tempo")
ONITAMA_TERMS = ("pieces", "mobility", "cards", "attack", "flight", "network", "tempo")
KEPT_TERMS = ("pieces", "network", "tempo")  # those that count if a network replaces the others


@cache
def eval_library(layout: str) -> Library:
    """Return the native library of a layout with the entry points of `eval.entry_points`."""
    return new_library("eval", layout, "kogoma.eval.entry_points")


def explain(position: BasePosition, network: bool = True) -> tuple[list[tuple[str, int, int]], int]:
    """Return rows (term, Black's part, White's part) in centipawns, and the score of the position for the side to move.
    The network is left out if `network` is false; if it is true, the terms that it replaces are left out. The row
    "pieces", the value of all pieces on their squares and in hand, is a difference, Black minus White: it is returned
    as Black's part, with 0 as White's."""
    game = default_game(position.variant, network)
    terms = ONITAMA_TERMS if position.variant.cards else TERMS
    out = np.zeros(2 * len(terms), np.int64)
    struct = position.struct.copy()
    total = eval_library(layout_of(position.variant))("explain_terms", game, struct, out)
    weights = fields(game)["weights"]
    counting = set(terms if weights["all_terms"] else KEPT_TERMS)
    if not weights["network"]:
        counting.remove("network")
    rows = [(term, int(out[2 * i]), int(out[2 * i + 1])) for i, term in enumerate(terms) if term in counting]
    return rows, total


class Shares(NamedTuple):
    """What pieces and cards contribute to the evaluation, in centipawns for Black. The keys of `hands` are (side, piece
    type or card). The card in the centre has the key (2, card)."""

    board: list[float]  # contribution of the piece on each square
    hands: dict[tuple[int, int], float]


def shares(position: BasePosition, network: bool = True) -> Shares:
    """Return what every piece and card contributes to the evaluation, in centipawns for Black: its part of the term
    "pieces", and how much less the network's output would be without it. Kings have a part of the term only: without
    them there is no output. The network is left out if `network` is false."""
    variant, struct = position.variant, position.struct.copy()
    game = default_game(variant, network)
    rules = fields(game)["rules"]
    now, ply = struct[0], int(struct[0]["ply"])
    found = Shares([0.0] * variant.squares, {})
    for square in range(variant.squares):
        cell = int(now["board"][square])
        found.board[square] = float(rules["term"][cell >> 4, square, cell & 15])
    if variant.cards:
        cards = int(now["cards"][ply])
        found.hands.update({(place // 2, cards >> 4 * place & 15): 0.0 for place in range(5)})
    else:
        for side in (0, 1):
            for kind in range(1, int(rules["hand_types"]) + 1):
                held = int(now["hand"][side, kind])
                if held:
                    found.hands[side, kind] = float(rules["term_hand"][side, kind, 1 : held + 1].sum())
    layers = cached_weights(variant).get("layers") if network else None
    if layers is not None and max(int(square) for square in now["king"][:, 0]) < variant.squares:
        out = np.zeros(2 * FEATURES, np.int64)
        count = eval_library(layout_of(variant))("list_features_of", game, struct, out)
        views = out.reshape(2, FEATURES)[:, :count]
        outputs = without_each(layers, views if position.turn == 0 else views[::-1])
        sign = -1 if position.turn else 1
        for feature, without in zip(views[0], outputs[1:]):
            _add(found, Features(variant), position, int(feature), sign * float(outputs[0] - without))
    return found


def without_each(layers: Layers, views: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return outputs of a network in centipawns for the side to move: first that of the position, then those without
    each of its features. `views` has two rows of features: as the side to move and as its opponent sees them."""
    rows = layers.rows.astype(np.int64)
    removed = np.concatenate([np.zeros((2, 1, rows.shape[1]), np.int64), rows[views]], axis=1)
    sums = (rows[-BESIDES + 1] + rows[views].sum(axis=1))[:, None] - removed
    outputs: np.ndarray[Any, Any] = (np.clip(sums, 0, ONE_WHOLE) ** 2 * rows[-2:, None]).sum(axis=(0, 2))
    return outputs >> layers.shift


def _add(found: Shares, features: Features, position: BasePosition, feature: int, part: float) -> None:
    """Add `part`, in centipawns for Black, to the share of the piece or card for which `feature`, as Black sees it,
    stands. Kings, which have the first features, get nothing."""
    if feature < KINGS * features.variant.squares:
        return
    for first in features.on_board.values():
        if first <= feature < first + features.variant.squares:
            mirrored = features.is_mirrored(0, int(position.fields["king"][0][0]))
            found.board[features.seen_square(0, mirrored, feature - first)] += part
            return
    for card, number in features.in_centre.items():
        if feature == number:
            found.hands[2, card] += part
            return
    owner, _ = max((item for item in features.in_hand.items() if item[1] <= feature), key=lambda item: item[1])
    found.hands[owner] += part
