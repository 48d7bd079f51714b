"""Onitama's kernels: cards, moves and ends of the game, with the names of the shogi kernels (see `rules.dispatch`).

`position.cards` holds the cards of a ply in one integer, four bits each, from the low end: Black's two, White's two
(the lower number first), and the one in the centre. Moves are encoded as in `rules.move_encoding`; bit 14 means the
higher card of the mover's hand. A pass, legal only if no piece can move, has bit 15 set, and bit 14 tells which card
is given up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, TWO, ZERO, any_of, clear_lsb, lsb, popcount
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Bitboard, Flag, Int, IntArray
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK
from kogoma.rules.make_move import board_score, move_ply
from kogoma.rules.move_encoding import CARD, ORIGIN_SHIFT, PASS, SQUARE_MASK
from kogoma.rules.outcome import Ending
from kogoma.rules.repetition import GOES_ON
from kogoma.rules.types import Cards, Key, Move, MoveList, PieceType, Ply, Position, Rules, Score, Side, Square

NONE = int(Ending.NONE)
MASTER_CAPTURED = int(Ending.MASTER_CAPTURED)
SHRINE_REACHED = int(Ending.SHRINE_REACHED)
CARD_MASK = np.uint64(15)
CARD_BITS = np.uint64(4)
HAND_BITS = np.uint64(8)  # two cards
HAND_MASK = np.uint64(255)
CENTRE = np.uint64(2)  # index of the centre, after the two sides


@kernel
def card_of(cards: Cards, side: Side, index: Int) -> Int:
    """Return the number of one of a side's two cards: the lower number if `index` is 0, the higher if it is 1."""
    return (cards >> (side * HAND_BITS + index * CARD_BITS)) & CARD_MASK


@kernel
def centre_card(cards: Cards) -> Int:
    """Return the number of the card in the centre."""
    return (cards >> (CENTRE * HAND_BITS)) & CARD_MASK


@kernel
def swap(cards: Cards, side: Side, index: Int) -> Any:
    """Return the cards after `side` has exchanged its lower (`index` 0) or higher (1) card for the card in the
    centre."""
    kept = card_of(cards, side, index ^ ONE)
    given = card_of(cards, side, index)
    taken = centre_card(cards)
    hand = min(kept, taken) | max(kept, taken) << CARD_BITS
    other = cards >> ((side ^ ONE) * HAND_BITS) & HAND_MASK
    return hand << (side * HAND_BITS) | other << ((side ^ ONE) * HAND_BITS) | given << (CENTRE * HAND_BITS)


@kernel
def cards_key(rules: Rules, cards: Cards) -> Key:
    """Return the part of the hash key that depends on the cards."""
    table = rules.zobrist_card
    key = table[CENTRE, centre_card(cards)]
    for side in range(TWO):
        key ^= table[side, card_of(cards, side, ZERO)] ^ table[side, card_of(cards, side, ONE)]
    return key


@kernel
def flip(position: Position, side: Side, kind: PieceType, square: Square) -> None:
    """Add a piece to the bitboards, or remove it from them if it is on the square. Other fields do not change."""
    bit = ONE << square
    position.by_side[side] ^= bit
    position.by_type[kind] ^= bit


@kernel
def derive_fields(rules: Rules, position: Position) -> None:
    """Compute all other fields of the position from `board`, `cards[0]` and `side`, as at the start of a game."""
    position.by_type[:] = ZERO
    position.by_side[:] = ZERO
    key = cards_key(rules, position.cards[ZERO])
    for square in range(rules.squares):
        piece = np.uint64(position.board[square])
        if piece != 0:
            side = piece >> SIDE_SHIFT
            kind = piece & TYPE_MASK
            flip(position, side, kind, square)
            key ^= rules.zobrist[side, square, kind]
            if kind == rules.king:
                position.king[side, ZERO] = np.uint8(square)
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
def winning_move(rules: Rules, position: Position, side: Side) -> Move:
    """Return a move with which `side`, if it were to move, would capture the enemy master or reach the shrine. Return 0
    if there is none."""
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
def push_ply(rules: Rules, position: Position, cards: Cards, key: Key, score: Score) -> None:
    """Finish a move: begin a new ply with these cards, key and score, and give the turn to the opponent."""
    ply = position.ply + ONE
    position.ply = ply
    position.side = position.side ^ ONE
    position.cards[ply] = cards
    position.key[ply] = key
    position.score[ply] = np.int32(score)
    position.threat[ply] = np.uint8(winning_move(rules, position, position.side ^ ONE) != 0)


@kernel
def key_after(rules: Rules, position: Position, move: Move) -> Key:
    """Return the hash key of the position after a legal move."""
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
    """Make a legal move."""
    make_towards(rules, position, move, key_after(rules, position, move))


@kernel
def make_towards(rules: Rules, position: Position, move: Move, key: Key) -> None:
    """Make a legal move. `key` is the hash key of the position after it (see `key_after`)."""
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
    """Go back one ply without restoring the board. This is all that is needed to unmake a null move."""
    position.ply = position.ply - ONE
    position.side = position.side ^ ONE


@kernel
def unmake(rules: Rules, position: Position) -> None:
    """Unmake the last move."""
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


@inlined
def make_null(rules: Rules, position: Position) -> None:
    """Make a null move. Unlike a legal pass, it exchanges no cards."""
    ply = position.ply
    position.move[ply + ONE] = np.uint16(0)
    position.captured[ply + ONE] = np.uint8(0)
    position.moved[ply + ONE] = np.uint8(0)
    push_ply(
        rules, position, position.cards[ply], position.key[ply] ^ rules.zobrist_side, np.int64(position.score[ply])
    )


@kernel(cold=True)
def remove_oldest(position: Position, count: Int) -> None:
    """Remove the game's first `count` plies from the struct, to make room for more."""
    position.ply -= count
    position.game_ply += np.int64(count)
    for to in range(position.ply + ONE):
        ply = to + count
        move_ply(position, ply, to)
        position.cards[to] = position.cards[ply]
        position.threat[to] = position.threat[ply]


@kernel
def reach(rules: Rules, cards: Cards, side: Side, square: Square, facing: Int) -> Bitboard:
    """Return the squares that a piece on `square` reaches with the two cards that `side` holds. `facing` is the side to
    which the piece belongs. If it is the opponent of `side`, these are the squares from which a piece of `side` reaches
    `square`."""
    steps = rules.steps
    return steps[facing, card_of(cards, side, ZERO), square] | steps[facing, card_of(cards, side, ONE), square]


@kernel
def attacked_by_hand(rules: Rules, position: Position, side: Side, square: Square) -> Flag:
    """Return whether `side` could capture on the square with one of its two cards."""
    return any_of(reach(rules, position.cards[position.ply], side, square, side ^ ONE) & position.by_side[side])


@kernel
def immediate_win(rules: Rules, position: Position) -> Move:
    """Return a move that wins the game at once, or 0. The game must not be over."""
    return winning_move(rules, position, position.side)


@kernel
def emit_to(rules: Rules, position: Position, moves: MoveList, n: Int, among: Bitboard) -> Int:
    """Append every move of the side to move that ends on one of the squares `among`, and return the index after the
    last move."""
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
def generate_tactical(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append all captures, and return the index after the last move."""
    return emit_to(rules, position, moves, n, position.by_side[position.side ^ ONE])


@kernel
def generate_quiet(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append all moves to empty squares. If no piece can move, append the passes instead, one for each card that can be
    given up. Return the index after the last move."""
    start = n
    n = emit_to(rules, position, moves, n, ~(position.by_side[ZERO] | position.by_side[ONE]))
    if n == start and not has_board_move(rules, position):
        moves[n] = np.uint16(PASS)
        moves[n + ONE] = np.uint16(PASS | CARD)
        n += np.uint64(2)
    return n


@kernel
def generate(rules: Rules, position: Position, moves: MoveList) -> Int:
    """Write all legal moves into `moves`, and return their number."""
    if over(rules, position):
        return ZERO
    return generate_quiet(rules, position, moves, generate_tactical(rules, position, moves, ZERO))


@kernel
def count_legal(rules: Rules, position: Position) -> Int:
    """Return the number of legal moves without writing them."""
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
def generate_nothing(rules: Rules, position: Position, moves: MoveList, n: Int) -> Any:
    """Append nothing to `moves`, and return `n`: Onitama has neither drops nor checks to generate."""
    return n


@kernel
def has_board_move(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move can move a piece."""
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
def has_legal_move(rules: Rules, position: Position) -> Flag:
    """Return True: a side that cannot move a piece passes."""
    return True


@kernel
def is_legal(rules: Rules, position: Position, move: Move) -> Flag:
    """Return whether a move, for example one from the transposition table, is legal in the position."""
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
    """Return how the game has ended, as an `Ending` (`rules.outcome`), or NONE if it goes on. If it has ended, the side
    to move has lost."""
    us = position.side
    masters = position.by_type[rules.king]
    if not any_of(masters & position.by_side[us]):
        return MASTER_CAPTURED
    if any_of(masters & position.by_side[us ^ ONE] & rules.goal[us ^ ONE]):
        return SHRINE_REACHED
    return NONE


@kernel
def over(rules: Rules, position: Position) -> Flag:
    """Return whether the game has ended."""
    return ending(rules, position) != NONE


@kernel
def never(rules: Rules, position: Position) -> Flag:
    """Return False. This replaces shogi kernels that test for stalemate, declaration or a king left in check, which do
    not exist in Onitama."""
    return False


@kernel
def repetition(rules: Rules, position: Position, root: Ply) -> Any:
    """Return GOES_ON: Onitama has no repetition rule."""
    return GOES_ON


@kernel
def is_in_check(position: Position) -> Flag:
    """Return whether the opponent threatens to win by its next move, which the search treats as a check."""
    return position.threat[position.ply] != 0


@inlined
def mate_in_one(rules: Rules, position: Position, moves: MoveList) -> Move:
    """Return 0 (no move), because in Onitama `immediate_win` finds the moves that end the game."""
    return ZERO


@kernel
def checks_directly(rules: Rules, position: Position, move: Move) -> Flag:
    """Return False, because no move counts as a direct check in Onitama."""
    return False


@kernel
def repetition_in_game(rules: Rules, position: Position, earlier: IntArray, count: Int) -> Int:
    """Return GOES_ON, as `repetition`."""
    return GOES_ON
