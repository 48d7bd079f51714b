"""Onitama's moves and endings, by the names of the shogi kernels that they stand for (`rules.dispatch` chooses)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, lsb, popcount
from kogoma.native.kernel import kernel
from kogoma.rules.moves import CARD, ORIGIN_SHIFT, PASS, SQUARE_MASK
from kogoma.rules.onitama.make_move import card_of, winning_move
from kogoma.rules.outcome import Ending
from kogoma.rules.repetition import GOES_ON

NONE = int(Ending.NONE)
KING_CAPTURED = int(Ending.KING_CAPTURED)
GOAL_REACHED = int(Ending.GOAL_REACHED)


@kernel
def reach(rules: Any, cards: Any, side: Any, square: Any, facing: Any) -> Any:
    """Squares to which the two cards of `side` lead from `square`, for a player who sits on the side `facing`: with
    the other one's eyes, the squares from which they lead to `square`."""
    steps = rules.steps
    return steps[facing, card_of(cards, side, ZERO), square] | steps[facing, card_of(cards, side, ONE), square]


@kernel
def attacked_by_hand(rules: Any, position: Any, side: Any, square: Any) -> Any:
    """True if `side` could capture on the square with one of its two cards."""
    return any_of(reach(rules, position.cards[position.ply], side, square, side ^ ONE) & position.by_side[side])


@kernel
def immediate_win(rules: Any, position: Any) -> Any:
    """A move that wins the game at once, or 0; where the game goes on."""
    return winning_move(rules, position, position.side)


@kernel
def emit_to(rules: Any, position: Any, moves: Any, n: Any, among: Any) -> Any:
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
def generate_tactical(rules: Any, position: Any, moves: Any, n: Any) -> Any:
    """Captures."""
    return emit_to(rules, position, moves, n, position.by_side[position.side ^ ONE])


@kernel
def generate_quiet(rules: Any, position: Any, moves: Any, n: Any) -> Any:
    """All other moves: those to empty squares, or, where no piece can move, giving up a card."""
    start = n
    n = emit_to(rules, position, moves, n, ~(position.by_side[ZERO] | position.by_side[ONE]))
    if n == start and not has_board_move(rules, position):
        moves[n] = np.uint16(PASS)
        moves[n + ONE] = np.uint16(PASS | CARD)
        n += np.uint64(2)
    return n


@kernel
def generate(rules: Any, position: Any, moves: Any) -> Any:
    """Every legal move; how many there are."""
    if over(rules, position):
        return ZERO
    return generate_quiet(rules, position, moves, generate_tactical(rules, position, moves, ZERO))


@kernel
def count_legal(rules: Any, position: Any) -> Any:
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
def generate_nothing(rules: Any, position: Any, moves: Any, n: Any) -> Any:
    """For drops, and for checks: there are none."""
    return n


@kernel
def has_board_move(rules: Any, position: Any) -> Any:
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
def has_legal_move(rules: Any, position: Any) -> Any:
    """True: who can't move passes."""
    return True


@kernel
def is_legal(rules: Any, position: Any, move: Any) -> Any:
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
def ending(rules: Any, position: Any) -> Any:
    """How the game has ended (`rules.outcome.Ending`), always lost for the side to move."""
    us = position.side
    masters = position.by_type[rules.king]
    if not any_of(masters & position.by_side[us]):
        return KING_CAPTURED
    if any_of(masters & position.by_side[us ^ ONE] & rules.goal[us ^ ONE]):
        return GOAL_REACHED
    return NONE


@kernel
def over(rules: Any, position: Any) -> Any:
    """True if the game has ended."""
    return ending(rules, position) != NONE


@kernel
def never(rules: Any, position: Any) -> Any:
    """False: who can't move passes, a game is won on the board alone, and a position in which a master can be captured
    is as good as any other."""
    return False


@kernel
def repetition(rules: Any, position: Any, root: Any) -> Any:
    """Onitama has no rule about it."""
    return GOES_ON


@kernel
def is_in_check(position: Any) -> Any:
    """True if the other side threatens to win by its next move: the search treats that as a check."""
    return position.threat[position.ply] != 0


@kernel
def mate_in_one(rules: Any, position: Any, moves: Any) -> Any:
    """0: `immediate_win` finds the moves that end the game."""
    return ZERO


@kernel
def checks_directly(rules: Any, position: Any, move: Any) -> Any:
    """False, as no move gives check."""
    return False
