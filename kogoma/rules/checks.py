"""Generate checking moves, and test for mate in one."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Bitboard, Flag, Int
from kogoma.rules.attacks import attacks, slide_attackers
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.make_move import is_placing, make, unmake
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.movegen import (
    drop_squares,
    drop_targets,
    emit,
    evasion_mask,
    has_legal_move,
    safe_king_steps,
    targets_of,
)
from kogoma.rules.types import Move, MoveList, PieceType, Position, Rules, Square


@kernel
def is_in_check(position: Position) -> Flag:
    """Return whether the side to move is in check."""
    return any_of(load_bb(position.checkers, position.ply))


@kernel
def immediate_win(rules: Rules, position: Position) -> Int:
    """Return 0: in shogi no move wins at once except by mate, which `mate_in_one` finds."""
    return ZERO


@kernel
def kind_after(rules: Rules, position: Position, move: Move) -> Any:
    """Return the piece type that a move puts on its destination."""
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    kind = origin if move & DROP else np.uint64(position.board[origin]) & TYPE_MASK
    return rules.promoted[kind] if move & PROMOTION else kind


@inlined
def occupied_after(rules: Rules, position: Position, move: Move) -> Bitboard:
    """Return the occupied squares after a move."""
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    occupied = occupied | load_bb(rules.square, move & SQUARE_MASK)
    return occupied if move & DROP else occupied ^ load_bb(rules.square, (move >> ORIGIN_SHIFT) & SQUARE_MASK)


@kernel
def checking_squares(rules: Rules, position: Position, kind: PieceType) -> Bitboard:
    """Return the squares from which a piece of type `kind` of the side to move would attack the enemy king."""
    them = position.side ^ ONE
    king = np.uint64(position.king[them, ZERO])
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return attacks(rules, them, kind, king, occupied)


@kernel
def promoted_checking_squares(rules: Rules, position: Position, kind: PieceType, square: Square) -> Any:
    """Return the squares from which the piece on `square` would attack the enemy king after moving there and promoting
    to `kind`. If `kind` is a slider, the attack may pass through `square`, which is empty after the move."""
    if rules.promotes_to_slider == 0:
        return checking_squares(rules, position, kind)
    them = position.side ^ ONE
    king = np.uint64(position.king[them, ZERO])
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return attacks(rules, them, kind, king, occupied ^ load_bb(rules.square, square))


@kernel
def checks_directly(rules: Rules, position: Position, move: Move) -> Flag:
    """Return whether the piece that moves attacks the enemy king from its destination."""
    kind = kind_after(rules, position, move)
    if rules.promotes_to_slider != 0 and move & PROMOTION:
        squares = promoted_checking_squares(rules, position, kind, (move >> ORIGIN_SHIFT) & SQUARE_MASK)
    else:
        squares = checking_squares(rules, position, kind)
    return any_of(squares & load_bb(rules.square, move & SQUARE_MASK))


@kernel
def emit_drop_checks(
    rules: Rules, position: Position, moves: MoveList, n: Int, kind: PieceType, empty: Bitboard
) -> Int:
    """Append the drops of `kind` on `empty` squares that give check, and return the new length of the list."""
    targets = checking_squares(rules, position, kind) & empty
    if any_of(targets):
        n = emit(moves, n, DROP | kind << ORIGIN_SHIFT, drop_squares(rules, position, kind, targets))
    return n


@kernel
def generate_drop_checks(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append all drops that give check, and return the new length of the list. No placement gives check."""
    if is_placing(rules, position):
        return n
    empty = drop_targets(rules, position)
    for kind in range(ONE, rules.hand_types + ONE):
        if position.hand[position.side, kind] != 0:
            n = emit_drop_checks(rules, position, moves, n, kind, empty)
            if rules.drop_either_side != 0:
                n = emit_drop_checks(rules, position, moves, n, rules.promoted[kind], empty)
    return n


@kernel
def walk_checks(rules: Rules, position: Position, moves: MoveList, n: Int, quiet: Flag) -> Int:
    """Append every board move that gives a direct check, and return the new length of the list. `quiet` is a
    compile-time constant; if it is true, tactical moves are left out."""
    if is_placing(rules, position):
        return n
    own = load_bb(position.by_side, position.side)
    free = ~own
    if quiet:
        free = free & ~load_bb(position.by_side, position.side ^ ONE)
    evasions = evasion_mask(rules, position)
    movers = own & ~load_bb(position.by_type, rules.king)
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        unturned = checking_squares(rules, position, kind) & free
        turned = empty_like(own)
        if rules.promoted[kind] != 0 and (not quiet or rules.tactical_promotion == 0):
            turned = promoted_checking_squares(rules, position, rules.promoted[kind], square) & free
        if any_of(unturned | turned):
            plainly, promoting = targets_of(rules, position, square, evasions, unturned, turned)
            n = emit(moves, n, square << ORIGIN_SHIFT, plainly)
            n = emit(moves, n, square << ORIGIN_SHIFT | PROMOTION, promoting)
    return n


@kernel
def generate_quiet_checks(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append the board moves that give a direct check and are not tactical, and return the new length of the list."""
    return walk_checks(rules, position, moves, n, True)


@inlined
def king_flights(rules: Rules, position: Position) -> Bitboard:
    """Return the squares to which the opponent's king could move."""
    them = position.side ^ ONE
    king = np.uint64(position.king[them, ZERO])
    targets = load_bb(rules.steps, them, king, rules.king) & ~load_bb(position.by_side, them)
    return safe_king_steps(rules, position, them, targets)


@inlined
def leaves_flight(rules: Rules, position: Position, move: Move, flights: Bitboard) -> Flag:
    """Return True if the king can certainly still escape to one of the squares `flights` after the checking move. False
    means that this is not certain."""
    us = position.side
    to = move & SQUARE_MASK
    left = flights & ~load_bb(rules.square, to)
    if not any_of(left):
        return False
    king = load_bb(rules.square, np.uint64(position.king[us ^ ONE, ZERO]))
    fled = occupied_after(rules, position, move) ^ king
    left = left & ~attacks(rules, us, kind_after(rules, position, move), to, fled)
    if move & DROP:
        return any_of(left)
    while any_of(left):
        # By leaving its square, the moved piece may open a line to the square of the flight.
        if not any_of(slide_attackers(rules, position, us, lsb(left), fled)):
            return True
        left = clear_lsb(left)
    return False


@inlined
def mates(rules: Rules, position: Position, move: Move) -> Flag:
    """Return whether this checking move leaves no legal reply."""
    make(rules, position, move)
    mated = not has_legal_move(rules, position)
    unmake(rules, position)
    return mated


@kernel
def generate_checks(rules: Rules, position: Position, moves: MoveList) -> Int:
    """Write all moves that give a direct check, and return their number."""
    return walk_checks(rules, position, moves, generate_drop_checks(rules, position, moves, ZERO), False)


@inlined
def mate_in_one(rules: Rules, position: Position, moves: MoveList) -> Move:
    """Return a move that mates by a direct check, or 0; `moves` is scratch space for a move list. Mates by discovered
    check are not found. The side to move must not be in check. In variants where a check wins the game, any checking
    move is returned."""
    n = generate_checks(rules, position, moves)
    if n == 0:
        return ZERO
    if rules.check_wins != 0:
        return np.uint64(moves[ZERO])
    flights = king_flights(rules, position)
    for i in range(n):
        move = np.uint64(moves[i])
        if not leaves_flight(rules, position, move, flights) and mates(rules, position, move):
            return move
    return ZERO
