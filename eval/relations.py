"""Relations between pieces: what every two of them are worth where they stand, as the side to move sees them.

The side to move looks at the board from its own side, mirrored so that its king stands in the left half. What it sees
are features: a piece of either side on a square, the n-th piece of a type in a hand, a card. Every two of them count
together, by a table that is fitted (`lab.tune`), so whose turn it is counts, too. `eval.tables` numbers the features.
On large boards only pairs with a king count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.dispatch import by_game
from rules.native.bitboard import ONE, ZERO, any_of, clear_lsb, load_bb, lsb
from rules.native.kernel import kernel
from rules.native.layout import SIDE_SHIFT, TYPE_MASK
from rules.native.memory import peek_int16
from rules.onitama.make_move import card_of, centre_card

BYTES = np.uint64(2)  # of a weight


@kernel
def add_feature(position: Any, count: Any, feature: Any) -> Any:
    """Put one more into the list; how many there are then."""
    position.feature[count] = np.uint32(feature)
    return count + ONE


@kernel
def list_board(weights: Any, position: Any) -> Any:
    """Write all pieces into position.feature, the mover's king first, the other one second; how many there are."""
    us = position.side
    own, enemy = np.uint64(position.king[us, ZERO]), np.uint64(position.king[us ^ ONE, ZERO])
    mirrored = np.uint64(weights.mirrored[us, own])
    count = np.uint64(2)
    pieces = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        piece = np.uint64(position.board[square])
        first = weights.feature_on_board[(piece >> SIDE_SHIFT) ^ us, piece & TYPE_MASK]
        feature = first + np.uint64(weights.seen_square[us, mirrored, square])
        if square == own:
            position.feature[ZERO] = np.uint32(feature)
        elif square == enemy:
            position.feature[ONE] = np.uint32(feature)
        else:
            count = add_feature(position, count, feature)
    return count


@kernel
def list_hands(rules: Any, weights: Any, position: Any, count: Any) -> Any:
    """Add what lies in both hands."""
    for whose in range(2):
        owner = np.uint64(whose)
        kind = ONE
        while kind <= rules.hand_types:
            held = np.uint64(position.hand[owner ^ position.side, kind])
            nth = ZERO
            while nth < held:
                count = add_feature(position, count, weights.feature_in_hand[owner, kind] + nth)
                nth += ONE
            kind += ONE
    return count


@kernel
def list_cards(rules: Any, weights: Any, position: Any, count: Any) -> Any:
    """Add Onitama's cards: of both hands, and the one in the centre."""
    cards = position.cards[position.ply]
    for whose in range(2):
        owner = np.uint64(whose)
        for index in range(2):
            card = card_of(cards, owner ^ position.side, np.uint64(index))
            count = add_feature(position, count, weights.feature_in_hand[owner, card])
    return add_feature(position, count, weights.feature_in_centre[centre_card(cards)])


list_held = by_game(list_hands, list_cards)


@kernel
def list_features(rules: Any, weights: Any, position: Any) -> Any:
    """Write what the side to move sees into position.feature; returns how much that is."""
    return list_held(rules, weights, position, list_board(weights, position))


@kernel
def relations(rules: Any, weights: Any, position: Any) -> Any:
    """Centipawns for the side to move: every two things that it sees."""
    if weights.pair_table == 0:
        return np.int64(0)
    count = list_features(rules, weights, position)
    last = min(weights.partners, count)
    total = np.int64(0)
    i = ZERO
    while i < last:
        row = weights.pair_table + np.uint64(position.feature[i]) * weights.features * BYTES
        i += ONE
        j = i
        while j < count:
            total += peek_int16(row + np.uint64(position.feature[j]) * BYTES)
            j += ONE
    return total
