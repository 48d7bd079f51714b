"""Onitama's cards and pieces as they move, its legal moves and endings, by the names of the shogi kernels that they
stand for (`rules.dispatch` chooses).

The cards in play are one word a ply, `position.cards`: four bits a card, from the low end Black's two, White's two (the
lower number first in each hand) and the one in the centre. Moves are encoded as in `rules.move_encoding`; bit 14 says
that the higher card of the mover's hand is used. A pass, possible if a side has no move, is bit 15 with the card that
is given up, so that it is never 0 and differs from every other move.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK
from kogoma.rules.make_move import board_score
from kogoma.rules.move_encoding import CARD, ORIGIN_SHIFT, PASS, SQUARE_MASK
from kogoma.rules.outcome import Ending
from kogoma.rules.repetition import GOES_ON
from kogoma.rules.types import Key, Move, MoveList, PieceType, Position, Rules, Score, Side, Square

NONE = int(Ending.NONE)
KING_CAPTURED = int(Ending.KING_CAPTURED)
GOAL_REACHED = int(Ending.GOAL_REACHED)
CARD_MASK = np.uint64(15)
CARD_BITS = np.uint64(4)
HAND_BITS = np.uint64(8)  # two cards
HAND_MASK = np.uint64(255)
CENTRE = np.uint64(2)  # the centre's place behind the two sides


@kernel
def card_of(cards: Any, side: Side, index: Any) -> Any:
    """The number of a side's lower (index 0) or higher card."""
    return (cards >> (side * HAND_BITS + index * CARD_BITS)) & CARD_MASK


@kernel
def centre_card(cards: Any) -> Any:
    """The number of the card in the centre."""
    return (cards >> (CENTRE * HAND_BITS)) & CARD_MASK


@kernel
def swap(cards: Any, side: Side, index: Any) -> Any:
    """The cards once `side` has given one of its own for the centre's."""
    kept = card_of(cards, side, index ^ ONE)
    given = card_of(cards, side, index)
    taken = centre_card(cards)
    hand = min(kept, taken) | max(kept, taken) << CARD_BITS
    other = cards >> ((side ^ ONE) * HAND_BITS) & HAND_MASK
    return hand << (side * HAND_BITS) | other << ((side ^ ONE) * HAND_BITS) | given << (CENTRE * HAND_BITS)


@kernel
def cards_key(rules: Rules, cards: Any) -> Any:
    """The part of the key that the cards make."""
    table = rules.zobrist_card
    key = table[CENTRE, centre_card(cards)]
    for s in range(2):
        side = np.uint64(s)
        key ^= table[side, card_of(cards, side, ZERO)] ^ table[side, card_of(cards, side, ONE)]
    return key


@kernel
def flip(position: Position, side: Side, kind: PieceType, square: Square) -> None:
    """Put a piece on an empty square or take it off again, in the bitboards alone."""
    bit = ONE << square
    position.by_side[side] ^= bit
    position.by_type[kind] ^= bit


@kernel
def derive_fields(rules: Rules, position: Position) -> None:
    """Everything that follows from `board`, `cards[0]` and `side`, as the only entry of the game."""
    position.by_type[:] = ZERO
    position.by_side[:] = ZERO
    key = cards_key(rules, position.cards[ZERO])
    square = ZERO
    while square < rules.squares:
        piece = np.uint64(position.board[square])
        if piece != 0:
            side = piece >> SIDE_SHIFT
            kind = piece & TYPE_MASK
            flip(position, side, kind, square)
            key ^= rules.zobrist[side, square, kind]
            if kind == rules.king:
                position.king[side, ZERO] = np.uint8(square)
        square += ONE
    if position.side != 0:
        key ^= rules.zobrist_side
    position.ply = ZERO
    position.key[ZERO] = key
    position.score[ZERO] = np.int32(board_score(rules, position))
    position.move[ZERO] = np.uint16(0)
    position.captured[ZERO] = np.uint8(0)
    position.threat[ZERO] = np.uint8(winning_move(rules, position, position.side ^ ONE) != 0)
    position.moved[ZERO] = np.uint8(0)


@kernel
def winning_move(rules: Rules, position: Position, side: Side) -> Any:
    """A move with which `side`, if it were to move, would capture the master or reach the shrine; otherwise 0."""
    cards = position.cards[position.ply]
    them = side ^ ONE
    own = position.by_side[side]
    master = np.uint64(position.king[side, ZERO])
    target = np.uint64(position.king[them, ZERO])
    index = ZERO
    while index < 2:
        card = card_of(cards, side, index)
        attackers = rules.steps[them, card, target] & own
        if any_of(attackers):
            return index * CARD | lsb(attackers) << ORIGIN_SHIFT | target
        shrine = rules.steps[side, card, master] & rules.goal[side] & ~own
        if any_of(shrine):
            return index * CARD | master << ORIGIN_SHIFT | lsb(shrine)
        index += ONE
    return ZERO


@kernel
def push_ply(rules: Rules, position: Position, cards: Any, key: Key, score: Score) -> None:
    """Close a move: the other side is to move, and the new entry is complete."""
    ply = position.ply + ONE
    position.ply = ply
    position.side = position.side ^ ONE
    position.cards[ply] = cards
    position.key[ply] = key
    position.score[ply] = np.int32(score)
    position.threat[ply] = np.uint8(winning_move(rules, position, position.side ^ ONE) != 0)


@kernel
def key_after(rules: Rules, position: Position, move: Move) -> Any:
    """The key of the position that a legal move leads to."""
    us = position.side
    cards = position.cards[position.ply]
    given = card_of(cards, us, ONE if move & CARD else ZERO)
    taken = centre_card(cards)
    table = rules.zobrist_card
    key = position.key[position.ply] ^ rules.zobrist_side
    key ^= table[us, given] ^ table[CENTRE, given] ^ table[CENTRE, taken] ^ table[us, taken]
    if (move & PASS) == 0:
        to = move & SQUARE_MASK
        origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        key ^= rules.zobrist[us, origin, kind] ^ rules.zobrist[us, to, kind]
        if captured != 0:
            key ^= rules.zobrist[us ^ ONE, to, captured]
    return key


@kernel
def make(rules: Rules, position: Position, move: Move) -> None:
    """Play a legal move of the side to move."""
    make_towards(rules, position, move, key_after(rules, position, move))


@kernel
def make_towards(rules: Rules, position: Position, move: Move, key: Key) -> None:
    """As `make`, where what `key_after` says is known."""
    us = position.side
    them = us ^ ONE
    ply = position.ply
    cards = position.cards[ply]
    index = ONE if move & CARD else ZERO
    score = np.int64(position.score[ply])
    captured = ZERO
    piece = np.uint8(0)
    if (move & PASS) == 0:
        to = move & SQUARE_MASK
        origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
        piece = position.board[origin]
        kind = np.uint64(piece) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        if captured != 0:
            flip(position, them, captured, to)
            score -= np.int64(rules.term[them, to, captured])
        flip(position, us, kind, origin)
        flip(position, us, kind, to)
        position.board[origin] = np.uint8(0)
        position.board[to] = piece
        score += np.int64(rules.term[us, to, kind]) - np.int64(rules.term[us, origin, kind])
        if kind == rules.king:
            position.king[us, ZERO] = np.uint8(to)
    position.move[ply + ONE] = np.uint16(move)
    position.captured[ply + ONE] = np.uint8(captured)
    position.moved[ply + ONE] = piece
    push_ply(rules, position, swap(cards, us, index), key, score)


@kernel
def pop_ply(position: Position) -> None:
    """Forget the newest entry, which is all that it takes to take a null move back."""
    position.ply = position.ply - ONE
    position.side = position.side ^ ONE


@kernel
def unmake(rules: Rules, position: Position) -> None:
    """Take the last move back."""
    ply = position.ply
    move = np.uint64(position.move[ply])
    captured = np.uint64(position.captured[ply])
    pop_ply(position)
    if move & PASS:
        return
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    piece = position.board[to]
    kind = np.uint64(piece) & TYPE_MASK
    flip(position, us, kind, to)
    flip(position, us, kind, origin)
    position.board[origin] = piece
    position.board[to] = np.uint8(0)
    if kind == rules.king:
        position.king[us, ZERO] = np.uint8(origin)
    if captured != 0:
        them = us ^ ONE
        flip(position, them, captured, to)
        position.board[to] = np.uint8(them << SIDE_SHIFT | captured)


@kernel
def make_null(rules: Rules, position: Position) -> None:
    """Leave the turn to the other side. Unlike a pass by the rules, it leaves the cards where they are."""
    ply = position.ply
    position.move[ply + ONE] = np.uint16(0)
    position.captured[ply + ONE] = np.uint8(0)
    position.moved[ply + ONE] = np.uint8(0)
    push_ply(
        rules, position, position.cards[ply], position.key[ply] ^ rules.zobrist_side, np.int64(position.score[ply])
    )


@kernel
def reach(rules: Rules, cards: Any, side: Side, square: Square, facing: Any) -> Any:
    """Squares to which the two cards of `side` lead from `square`, for a player who sits on the side `facing`: with
    the other one's eyes, the squares from which they lead to `square`."""
    steps = rules.steps
    return steps[facing, card_of(cards, side, ZERO), square] | steps[facing, card_of(cards, side, ONE), square]


@kernel
def attacked_by_hand(rules: Rules, position: Position, side: Side, square: Square) -> Any:
    """True if `side` could capture on the square with one of its two cards."""
    return any_of(reach(rules, position.cards[position.ply], side, square, side ^ ONE) & position.by_side[side])


@kernel
def immediate_win(rules: Rules, position: Position) -> Any:
    """A move that wins the game at once, or 0; where the game goes on."""
    return winning_move(rules, position, position.side)


@kernel
def emit_to(rules: Rules, position: Position, moves: MoveList, n: Any, among: Any) -> Any:
    """Write every move of the side to move that ends on one of the squares `among`."""
    us = position.side
    cards = position.cards[position.ply]
    index = ZERO
    while index < 2:
        card = card_of(cards, us, index)
        movers = position.by_side[us]
        while any_of(movers):
            square = lsb(movers)
            movers = clear_lsb(movers)
            base = index * CARD | square << ORIGIN_SHIFT
            targets = rules.steps[us, card, square] & among
            while any_of(targets):
                moves[n] = np.uint16(base | lsb(targets))
                targets = clear_lsb(targets)
                n += ONE
        index += ONE
    return n


@kernel
def generate_tactical(rules: Rules, position: Position, moves: MoveList, n: Any) -> Any:
    """Captures."""
    return emit_to(rules, position, moves, n, position.by_side[position.side ^ ONE])


@kernel
def generate_quiet(rules: Rules, position: Position, moves: MoveList, n: Any) -> Any:
    """All other moves: those to empty squares, or, where no piece can move, giving up a card."""
    start = n
    n = emit_to(rules, position, moves, n, ~(position.by_side[ZERO] | position.by_side[ONE]))
    if n == start and not has_board_move(rules, position):
        moves[n] = np.uint16(PASS)
        moves[n + ONE] = np.uint16(PASS | CARD)
        n += np.uint64(2)
    return n


@kernel
def generate(rules: Rules, position: Position, moves: MoveList) -> Any:
    """Every legal move; how many there are."""
    if over(rules, position):
        return ZERO
    return generate_quiet(rules, position, moves, generate_tactical(rules, position, moves, ZERO))


@kernel
def count_legal(rules: Rules, position: Position) -> Any:
    """How many legal moves there are, without writing them down."""
    if over(rules, position):
        return ZERO
    us = position.side
    cards = position.cards[position.ply]
    own = position.by_side[us]
    total = ZERO
    movers = own
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        for index in range(2):
            total += popcount(rules.steps[us, card_of(cards, us, np.uint64(index)), square] & ~own)
    return total if total != 0 else np.uint64(2)


@kernel
def generate_nothing(rules: Rules, position: Position, moves: MoveList, n: Any) -> Any:
    """For drops, and for checks: there are none."""
    return n


@kernel
def has_board_move(rules: Rules, position: Position) -> Any:
    """True if the side to move can move a piece."""
    us = position.side
    cards = position.cards[position.ply]
    own = position.by_side[us]
    movers = own
    while any_of(movers):
        if any_of(reach(rules, cards, us, lsb(movers), us) & ~own):
            return True
        movers = clear_lsb(movers)
    return False


@kernel
def has_legal_move(rules: Rules, position: Position) -> Any:
    """True: who can't move passes."""
    return True


@kernel
def is_legal(rules: Rules, position: Position, move: Move) -> Any:
    """True if a move from elsewhere (a table, another position) is legal here."""
    us = position.side
    if move & PASS:
        return (move & ~CARD) == PASS and not has_board_move(rules, position)
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if to >= rules.squares or origin >= rules.squares or (position.by_side[us] & ONE << origin) == 0:
        return False
    card = card_of(position.cards[position.ply], us, ONE if move & CARD else ZERO)
    return any_of(rules.steps[us, card, origin] & ONE << to & ~position.by_side[us])


@kernel
def ending(rules: Rules, position: Position) -> Any:
    """How the game has ended (`rules.outcome.Ending`), always lost for the side to move."""
    us = position.side
    masters = position.by_type[rules.king]
    if not any_of(masters & position.by_side[us]):
        return KING_CAPTURED
    if any_of(masters & position.by_side[us ^ ONE] & rules.goal[us ^ ONE]):
        return GOAL_REACHED
    return NONE


@kernel
def over(rules: Rules, position: Position) -> Any:
    """True if the game has ended."""
    return ending(rules, position) != NONE


@kernel
def never(rules: Rules, position: Position) -> Any:
    """False: who can't move passes, a game is won on the board alone, and a position in which a master can be captured
    is as good as any other."""
    return False


@kernel
def repetition(rules: Rules, position: Position, root: Any) -> Any:
    """Onitama has no rule about it."""
    return GOES_ON


@kernel
def is_in_check(position: Position) -> Any:
    """True if the other side threatens to win by its next move: the search treats that as a check."""
    return position.threat[position.ply] != 0


@kernel
def mate_in_one(rules: Rules, position: Position, moves: MoveList) -> Any:
    """0: `immediate_win` finds the moves that end the game."""
    return ZERO


@kernel
def checks_directly(rules: Rules, position: Position, move: Move) -> Any:
    """False, as no move gives check."""
    return False
