"""The network, whose output is added to all or some handcrafted terms: what it is, and how it is updated by moves.

Each side has a view of the position: a list of features (`eval.features`), which are its own and the opponent's pieces
and cards as it sees them, from its side of the board, mirrored so that its king is in the left half. The accumulator of
a view is the sum of one row of weights for each feature, and of a bias. It is clipped to the range from 0 to ONE_WHOLE
and squared. The output is the sum of these numbers for both views, each multiplied by a weight; the side to move and
its opponent have different weights. This is the form of an efficiently updatable network (Nasu: Efficiently Updatable
Neural-Network-based Evaluation Function for Computer Shogi, 2018), with a squared activation. `lab.tune` fits it.

A move changes at most four features, so the accumulators of a position are computed from those of the position before
the move, or before the last two moves. They are computed only where an evaluation is asked for. A position's struct
keeps them in slots, one for each of the last SLOTS plies; a slot is valid if its key is that of the position. So making
and unmaking moves need not know of them.
"""

from __future__ import annotations

import numpy as np

from kogoma.eval.network_file import ONE_WHOLE
from kogoma.eval.types import Game, Weights
from kogoma.native.bitboard import ONE, TWO, ZERO, any_of, clear_lsb, load_bb, lsb
from kogoma.native.kernel import kernel
from kogoma.native.types import Address, Flag, Int
from kogoma.native.vectors import address_of, row_adder, squared_product
from kogoma.rules.dispatch import by_game, is_placing
from kogoma.rules.layout import NEURONS, SIDE_SHIFT, SLOTS, TYPE_MASK
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.onitama.moves import card_of, centre_card
from kogoma.rules.types import PieceType, Ply, Position, Score, Side, Square

ROW = np.uint64(2 * NEURONS)  # bytes
SLOT = TWO * ROW
SLOT_MASK = np.uint64(SLOTS - 1)

add_rows = row_adder(NEURONS)
squared_products = squared_product(NEURONS, ONE_WHOLE)


@kernel
def row(weights: Weights, feature: Int) -> Address:
    """Return the address of a feature's row of weights, or of one of the rows that follow those of the features."""
    return weights.network + feature * ROW


@kernel
def feature_on(weights: Weights, view: Side, mirrored: Int, piece: Int, square: Square) -> Int:
    """Return the feature of a piece on a square, as `view` sees it. `mirrored` is 1 if the files are reversed."""
    first = weights.feature_on_board[(piece >> SIDE_SHIFT) ^ view, piece & TYPE_MASK]
    return first + np.uint64(weights.seen_square[view, mirrored, square])


@kernel
def feature_held(weights: Weights, whose: Int, kind: PieceType, nth: Int) -> Int:
    """Return the feature of the n-th piece of a type in hand, counted from 0. `whose` is 0 for the hand of the side
    that sees the position, 1 for that of the other side. A piece beyond the maximum gives the row of zeros."""
    if nth < weights.most_in_hand[kind]:
        return weights.feature_in_hand[whose, kind] + nth
    return weights.features


@kernel
def is_mirrored(weights: Weights, position: Position, view: Side) -> Int:
    """Return 1 if `view` sees the board with its files reversed, otherwise 0."""
    return np.uint64(weights.mirrored[view, np.uint64(position.king[view, ZERO])])


@kernel
def add_feature(position: Position, count: Int, feature: Int) -> Int:
    """Append `feature` to `position.feature`, which holds `count` features, and return the new number of features."""
    position.feature[count] = np.uint32(feature)
    return count + ONE


@kernel
def list_hands(game: Game, position: Position, view: Side, count: Int) -> Int:
    """Append the features of the pieces in both hands to the `count` features in `position.feature`, and return the new
    number of features."""
    for index in range(2):
        side = np.uint64(index)
        kind = ONE
        while kind <= game.rules.hand_types:
            held = min(np.uint64(position.hand[side, kind]), game.weights.most_in_hand[kind])
            nth = ZERO
            while nth < held:
                count = add_feature(position, count, feature_held(game.weights, side ^ view, kind, nth))
                nth += ONE
            kind += ONE
    return count


@kernel
def list_cards(game: Game, position: Position, view: Side, count: Int) -> Int:
    """Append the features of Onitama's cards, in both hands and in the centre, to the `count` features in
    `position.feature`, and return the new number of features."""
    cards = position.cards[position.ply]
    for index in range(2):
        side = np.uint64(index)
        for place in range(2):
            card = card_of(cards, side, np.uint64(place))
            count = add_feature(position, count, game.weights.feature_in_hand[side ^ view, card])
    return add_feature(position, count, game.weights.feature_in_centre[centre_card(cards)])


list_held = by_game(list_hands, list_cards)


@kernel
def list_features(game: Game, position: Position, view: Side) -> Int:
    """Write all features of the position, as `view` sees it, into `position.feature`, and return their number. The
    order of the pieces is the same for both views."""
    mirrored, count = is_mirrored(game.weights, position, view), ZERO
    pieces = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    while any_of(pieces):
        square = lsb(pieces)
        pieces = clear_lsb(pieces)
        piece = np.uint64(position.board[square])
        count = add_feature(position, count, feature_on(game.weights, view, mirrored, piece, square))
    return list_held(game, position, view, count)


@kernel
def refresh(game: Game, position: Position, view: Side, target: Address) -> None:
    """Compute the accumulator of a view from scratch."""
    weights = game.weights
    nothing = row(weights, weights.features)
    add_rows(target, nothing, row(weights, weights.features + ONE), nothing)  # the biases
    count = list_features(game, position, view)
    index = ZERO
    while index < count:
        add_rows(target, target, row(weights, np.uint64(position.feature[index])), nothing)
        index += ONE


@kernel
def exchange(weights: Weights, source: Address, target: Address, added: Int, removed: Int) -> None:
    """Write the accumulator at `source` to `target`, with one feature added and one removed."""
    add_rows(target, source, row(weights, added), row(weights, removed))


@kernel
def follow_shogi_move(game: Game, position: Position, view: Side, ply: Ply, source: Address, target: Address) -> None:
    """Write the accumulator of a view after the move that led to `ply` to `target`, given the accumulator before it.
    The move must be one of the last two, so that the mover's hand is still as after the move. Placements are not
    followed: `make_move.begin_placement` forgets all accumulators."""
    rules, weights = game.rules, game.weights
    move, piece = np.uint64(position.move[ply]), np.uint64(position.moved[ply])
    nothing = weights.features
    if piece == 0:  # a null move
        exchange(weights, source, target, nothing, nothing)
        return
    side, kind = piece >> SIDE_SHIFT, piece & TYPE_MASK
    mirrored = is_mirrored(weights, position, view)
    to, origin = move & SQUARE_MASK, (move >> ORIGIN_SHIFT) & SQUARE_MASK
    added = feature_on(weights, view, mirrored, piece, to)
    if move & DROP:
        base = rules.hand_type[kind]
        held = np.uint64(position.hand[side, base])
        exchange(weights, source, target, added, feature_held(weights, side ^ view, base, held))
        return
    if move & PROMOTION:
        kind = rules.unpromoted[kind]
    removed = feature_on(weights, view, mirrored, side << SIDE_SHIFT | kind, origin)
    exchange(weights, source, target, added, removed)
    captured = np.uint64(position.captured[ply])
    if captured != 0:
        base = rules.hand_type[captured]
        last = np.uint64(position.hand[side, base]) - ONE
        removed = feature_on(weights, view, mirrored, (side ^ ONE) << SIDE_SHIFT | captured, to)
        exchange(weights, target, target, feature_held(weights, side ^ view, base, last), removed)


@kernel
def follow_onitama_move(game: Game, position: Position, view: Side, ply: Ply, source: Address, target: Address) -> None:
    """Write the accumulator of a view after the move that led to `ply` to `target`, given the accumulator before it."""
    weights = game.weights
    move, piece = np.uint64(position.move[ply]), np.uint64(position.moved[ply])
    nothing = weights.features
    side = position.side ^ ONE ^ ((position.ply - ply) & ONE)
    before, after = position.cards[ply - ONE], position.cards[ply]
    if before == after:  # a null move
        exchange(weights, source, target, nothing, nothing)
        return
    given, taken = centre_card(after), centre_card(before)
    held = weights.feature_in_hand[side ^ view]
    exchange(weights, source, target, weights.feature_in_centre[given], held[given])
    exchange(weights, target, target, held[taken], weights.feature_in_centre[taken])
    if piece == 0:  # a pass
        return
    to, origin = move & SQUARE_MASK, (move >> ORIGIN_SHIFT) & SQUARE_MASK
    added = feature_on(weights, view, ZERO, piece, to)
    exchange(weights, target, target, added, feature_on(weights, view, ZERO, piece, origin))
    captured = np.uint64(position.captured[ply])
    if captured != 0:
        removed = feature_on(weights, view, ZERO, (side ^ ONE) << SIDE_SHIFT | captured, to)
        exchange(weights, target, target, nothing, removed)


follow_move = by_game(follow_shogi_move, follow_onitama_move)


@kernel
def turns_around(game: Game, position: Position, view: Side, ply: Ply) -> Flag:
    """Return whether the move that led to `ply`, one of the last two, was a move of the king of `view` after which
    `view` sees the board mirrored and before it not, or the reverse."""
    if np.uint64(position.moved[ply]) != (view << SIDE_SHIFT | game.rules.king):
        return False
    origin = (np.uint64(position.move[ply]) >> ORIGIN_SHIFT) & SQUARE_MASK
    return np.uint64(game.weights.mirrored[view, origin]) != is_mirrored(game.weights, position, view)


@kernel
def slot_of(position: Position, ply: Ply) -> Address:
    """Return the address of the slot of a ply: Black's accumulator, then White's."""
    return address_of(position.accumulator) + (ply & SLOT_MASK) * SLOT


@kernel
def is_known(position: Position, ply: Ply) -> Flag:
    """Return whether the accumulators of a ply have been computed."""
    return position.accumulated[ply & SLOT_MASK] == position.key[ply]


@kernel
def accumulators(game: Game, position: Position) -> Address:
    """Compute the accumulators of the position if they are not known. Return the address of their slot."""
    ply = position.ply
    slot = slot_of(position, ply)
    if is_known(position, ply):
        return slot
    back = ZERO  # number of plies from the accumulators to start from; 0 if there are none
    if ply >= ONE and is_known(position, ply - ONE):
        back = ONE
    elif ply >= TWO and is_known(position, ply - TWO):
        back = TWO
    for index in range(2):
        view = np.uint64(index)
        target, source = slot + view * ROW, slot_of(position, ply - back) + view * ROW
        if (
            back == 0
            or turns_around(game, position, view, ply)
            or (back == 2 and turns_around(game, position, view, ply - ONE))
        ):
            refresh(game, position, view, target)
            continue
        if back == 2:
            follow_move(game, position, view, ply - ONE, source, target)
            source = target
        follow_move(game, position, view, ply, source, target)
    position.accumulated[ply & SLOT_MASK] = position.key[ply]
    return slot


@kernel
def forget(position: Position) -> None:
    """Forget all accumulators: the next ones are computed from scratch."""
    for index in range(SLOTS):
        position.accumulated[index] = ZERO


@kernel
def network(game: Game, position: Position) -> Score:
    """Return the output of the network, in centipawns for the side to move. It is 0 if there is no network, or if a
    king is missing, as in some mate problems. A king that has not been placed yet is not missing."""
    weights = game.weights
    if weights.network == 0:
        return np.int64(0)
    if max(position.king[ZERO, ZERO], position.king[ONE, ZERO]) >= game.rules.squares:
        if not is_placing(game.rules, position):
            return np.int64(0)
    slot = accumulators(game, position)
    own, other = slot + position.side * ROW, slot + (position.side ^ ONE) * ROW
    return squared_products(own, other, row(weights, weights.features + TWO)) >> weights.network_shift
