"""Piece relations (2駒関係): every pair of features has a weight.

Features are pieces on squares, the n-th piece of a type in hand, and cards, as the side to move sees them: from its own
side of the board, mirrored so that its king is in the left half. The weight of each pair is fitted (`lab.tune`) and
stored in the relation table; `eval.relation_table` numbers the features. On large boards only pairs with a king count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Weights
from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, load_bb, lsb
from kogoma.native.kernel import kernel
from kogoma.native.memory import peek_int16
from kogoma.native.types import Int
from kogoma.rules.dispatch import by_game
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK
from kogoma.rules.onitama.moves import card_of, centre_card
from kogoma.rules.types import Position, Rules, Square

TWO = np.uint64(2)
BYTES = np.uint64(2)  # per weight


@kernel
def add_feature(position: Position, count: Int, feature: Int) -> Int:
    """Append `feature` to `position.feature`, which holds `count` features, and return the new number of features."""
    position.feature[count] = np.uint32(feature)
    return count + ONE


@kernel
def feature_of(weights: Weights, position: Position, mirrored: Int, square: Square) -> Any:
    """Return the feature of the piece on `square`, as the side to move sees it. `mirrored` is 1 if the files of the
    board are reversed."""
    piece = np.uint64(position.board[square])
    first = weights.feature_on_board[(piece >> SIDE_SHIFT) ^ position.side, piece & TYPE_MASK]
    return first + np.uint64(weights.seen_square[position.side, mirrored, square])


@kernel
def list_board(rules: Rules, weights: Weights, position: Position) -> Int:
    """Write the features of all pieces on the board into `position.feature`, and return their number. The king of the
    side to move comes first, the other king second."""
    us = position.side
    own, enemy = np.uint64(position.king[us, ZERO]), np.uint64(position.king[us ^ ONE, ZERO])
    mirrored = np.uint64(weights.mirrored[us, own])
    count = add_feature(position, ZERO, feature_of(weights, position, mirrored, own))
    count = add_feature(position, count, feature_of(weights, position, mirrored, enemy))
    pieces = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    pieces = pieces & ~load_bb(position.by_type, rules.king)
    while any_of(pieces):
        count = add_feature(position, count, feature_of(weights, position, mirrored, lsb(pieces)))
        pieces = clear_lsb(pieces)
    return count


@kernel
def list_hands(rules: Rules, weights: Weights, position: Position, count: Int) -> Int:
    """Append the features of the pieces in both hands to the `count` features in `position.feature`, and return the new
    number of features."""
    for whose in range(2):
        owner = np.uint64(whose)
        kind = ONE
        while kind <= rules.hand_types:
            held = min(np.uint64(position.hand[owner ^ position.side, kind]), weights.most_in_hand[kind])
            nth = ZERO
            while nth < held:
                count = add_feature(position, count, weights.feature_in_hand[owner, kind] + nth)
                nth += ONE
            kind += ONE
    return count


@kernel
def list_cards(rules: Rules, weights: Weights, position: Position, count: Int) -> Int:
    """Append the features of Onitama's cards, in both hands and in the centre, to the `count` features in
    `position.feature`, and return the new number of features."""
    cards = position.cards[position.ply]
    for whose in range(2):
        owner = np.uint64(whose)
        for index in range(2):
            card = card_of(cards, owner ^ position.side, np.uint64(index))
            count = add_feature(position, count, weights.feature_in_hand[owner, card])
    return add_feature(position, count, weights.feature_in_centre[centre_card(cards)])


list_held = by_game(list_hands, list_cards)


@kernel
def list_features(rules: Rules, weights: Weights, position: Position) -> Int:
    """Write all features of the position (pieces on their squares and in hand, cards), as the side to move sees them,
    into `position.feature`, and return their number."""
    return list_held(rules, weights, position, list_board(rules, weights, position))


@kernel
def relations(rules: Rules, weights: Weights, position: Position) -> Any:
    """Return the sum of the weights of all pairs of features, in centipawns for the side to move. If a king is missing,
    as in some mate problems, the sum is 0. For speed, each pass of the outer loop sums two rows of the relation table.
    Therefore `weights.partners` must be even, or not less than the number of features."""
    if weights.pair_table == 0 or max(position.king[ZERO, ZERO], position.king[ONE, ZERO]) >= rules.squares:
        return np.int64(0)
    count = list_features(rules, weights, position)
    last = min(weights.partners, count)
    total = np.int64(0)
    i = ZERO
    while i + ONE < last:
        first, second = np.uint64(position.feature[i]), np.uint64(position.feature[i + ONE])
        one = weights.pair_table + first * weights.features * BYTES
        other = weights.pair_table + second * weights.features * BYTES
        total += peek_int16(one + second * BYTES)
        i += TWO
        j = i
        while j < count:
            place = np.uint64(position.feature[j]) * BYTES
            total += peek_int16(one + place) + peek_int16(other + place)
            j += ONE
    return total
