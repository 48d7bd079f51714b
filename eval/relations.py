"""Relations between pieces: what every two of them are worth where they stand, as each king sees them.

Each king looks at the board from its own side, mirrored so that it stands in the left half. What it sees are features:
a piece of either side on a square, the n-th piece of a type in a hand, a card, the other king. Each feature counts by
itself and by the king's square (`king_table`), and each two features count together (`pair_table`, which large boards
go without). The weights are fitted (`lab.tune`); `eval.tables` numbers the features.
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
def list_board(weights: Any, position: Any, side: Any) -> Any:
    """Write all pieces but the king of `side` itself into position.feature, as it sees them; how many there are."""
    king = np.uint64(position.king[side, ZERO])
    mirrored = np.uint64(weights.mirrored[side, king])
    count = ZERO
    pieces = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        if square != king:
            piece = np.uint64(position.board[square])
            first = weights.feature_on_board[(piece >> SIDE_SHIFT) ^ side, piece & TYPE_MASK]
            count = add_feature(position, count, first + np.uint64(weights.seen_square[side, mirrored, square]))
    return count


@kernel
def list_hands(rules: Any, weights: Any, position: Any, side: Any, count: Any) -> Any:
    """Add what lies in both hands."""
    for whose in range(2):
        owner = np.uint64(whose)
        kind = ONE
        while kind <= rules.hand_types:
            held = np.uint64(position.hand[owner ^ side, kind])
            nth = ZERO
            while nth < held:
                count = add_feature(position, count, weights.feature_in_hand[owner, kind] + nth)
                nth += ONE
            kind += ONE
    return count


@kernel
def list_cards(rules: Any, weights: Any, position: Any, side: Any, count: Any) -> Any:
    """Add Onitama's cards: of both hands, and the one in the centre for the side that gets it next."""
    cards = position.cards[position.ply]
    for whose in range(2):
        owner = np.uint64(whose)
        for index in range(2):
            card = card_of(cards, owner ^ side, np.uint64(index))
            count = add_feature(position, count, weights.feature_in_hand[owner, card])
    return add_feature(position, count, weights.feature_in_centre[position.side ^ side, centre_card(cards)])


list_held = by_game(list_hands, list_cards)


@kernel
def list_features(rules: Any, weights: Any, position: Any, side: Any) -> Any:
    """Write what the king of `side` sees into position.feature; returns how much that is."""
    return list_held(rules, weights, position, side, list_board(weights, position, side))


@kernel
def king_bucket(weights: Any, position: Any, side: Any) -> Any:
    """The number of the square on which a king stands as it sees the board."""
    return np.uint64(weights.king_bucket[side, np.uint64(position.king[side, ZERO])])


@kernel
def relations(rules: Any, weights: Any, position: Any, side: Any) -> Any:
    """Centipawns for a side: what its king sees, each by itself and every two together."""
    if weights.king_table == 0:
        return np.int64(0)
    count = list_features(rules, weights, position, side)
    row_bytes = weights.features * BYTES
    king_row = weights.king_table + king_bucket(weights, position, side) * row_bytes
    total = np.int64(0)
    i = ZERO
    while i < count:
        feature = np.uint64(position.feature[i])
        total += peek_int16(king_row + feature * BYTES)
        if weights.pair_table != 0:
            pair_row = weights.pair_table + feature * row_bytes
            j = ZERO
            while j < i:
                total += peek_int16(pair_row + np.uint64(position.feature[j]) * BYTES)
                j += ONE
        i += ONE
    return total
