"""Generate all checking moves, and provide shogi's other kernels for the mate solver (`search.mate.game`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import (
    ONE,
    TWO,
    ZERO,
    any_of,
    clear_lsb,
    empty_like,
    load_bb,
    lsb,
    more_than_one,
    popcount,
    store_bb,
)
from kogoma.native.kernel import kernel
from kogoma.native.types import Bitboard, Int, Word
from kogoma.rules.attacks import attacks, slide_attackers
from kogoma.rules.attacks import set_check_info as set_check_info
from kogoma.rules.checks import generate_drop_checks
from kogoma.rules.dispatch import is_in_check, make, over, unmake
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.make_move import SEEN_MASK, is_placing
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.movegen import between_check, emit, evasion_mask, generate, plain, targets_of
from kogoma.rules.repetition import NO_REPETITION
from kogoma.rules.types import Key, Move, MoveList, PieceType, Position, Rules, Side
from kogoma.search.mate.state import ABSOLUTE, HAND_BITS
from kogoma.search.types import MateState


@kernel
def screens(rules: Rules, position: Position) -> Bitboard:
    """Return a bitboard of the pieces of the side to move that stand alone between a slider of that side and the enemy
    king. If such a piece leaves the line, it gives a discovered check."""
    us = position.side
    them = us ^ ONE
    king = np.uint64(position.king[them, ZERO])
    own = load_bb(position.by_side, us)
    occupied = own | load_bb(position.by_side, them)
    found = empty_like(own)
    for bundle in range(ONE, rules.slide_sets + ONE):
        far = load_bb(rules.reach, them, bundle, king) & load_bb(position.by_slide, bundle) & own
        while any_of(far):
            shield = load_bb(rules.between, king, lsb(far)) & occupied
            far = clear_lsb(far)
            if any_of(shield) and not more_than_one(shield):
                found = found | (shield & own)
    return found


@kernel
def possible_checkers(rules: Rules, position: Position, mate: MateState) -> Bitboard:
    """Return the pieces of the side to move that, on an empty board, could give a direct check with their next move."""
    us = position.side
    king = np.uint64(position.king[us ^ ONE, ZERO])
    own = load_bb(position.by_side, us)
    found = empty_like(own)
    for kind in range(ONE, rules.types + ONE):
        found = found | (load_bb(mate.origins, us, king, kind) & load_bb(position.by_type, kind))
    return found & own


@kernel
def generate_all_checks(rules: Rules, position: Position, mate: MateState, moves: MoveList) -> Int:
    """Write every legal move that gives a direct or discovered check into `moves`, and return the number of moves. The
    side to move may be in check. The square that a piece leaves counts as empty when its attack on the king is
    tested. No placement gives check."""
    if is_placing(rules, position):
        return ZERO
    them = position.side ^ ONE
    own = load_bb(position.by_side, position.side)
    occupied = own | load_bb(position.by_side, them)
    king = np.uint64(position.king[them, ZERO])
    evasions = evasion_mask(rules, position)
    hiding = screens(rules, position)
    store_bb(mate.hiding, ZERO, hiding)
    n = generate_drop_checks(rules, position, moves, ZERO)
    movers = possible_checkers(rules, position, mate) | hiding
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        kind = np.uint64(position.board[square]) & TYPE_MASK
        here = load_bb(rules.square, square)
        unturned = empty_like(own)
        if any_of(hiding & here):
            unturned = ~load_bb(rules.line, king, square)
        turned = unturned
        if kind != rules.king:
            unturned = unturned | attacks(rules, them, kind, king, occupied ^ here)
            # The promoted type of a piece that cannot promote is 0, which attacks nothing.
            turned = turned | attacks(rules, them, rules.promoted[kind], king, occupied ^ here)
        unturned = unturned & ~own
        turned = turned & ~own
        if any_of(unturned | turned):
            plainly, promoting = targets_of(rules, position, square, evasions, unturned, turned)
            n = emit(moves, n, square << ORIGIN_SHIFT | PROMOTION, promoting)
            n = emit(moves, n, square << ORIGIN_SHIFT, plainly)
    return n


@kernel
def keep_forcing(rules: Rules, position: Position, moves: MoveList, count: Int) -> Any:
    """Keep those of the first `count` moves in `moves` that give check or win at once, and return the number of moves
    kept."""
    n = ZERO
    for i in range(count):
        move = np.uint64(moves[i])
        make(rules, position, move)
        forces = is_in_check(position) or over(rules, position)
        unmake(rules, position)
        if forces:
            moves[n] = np.uint16(move)
            n += ONE
    return n


@kernel
def generate_forcing(rules: Rules, position: Position, mate: MateState, moves: MoveList) -> Int:
    """Write the attacker's candidate moves into `moves`, and return their number. These are the checks. If a king can
    win by reaching a goal, moves that win at once are included too. If `mate.every_move` is set, every legal move is
    included."""
    if mate.every_move != 0:
        return generate(rules, position, moves)
    if over(rules, position):
        return ZERO
    if not any_of(load_bb(rules.goal, position.side)):
        return generate_all_checks(rules, position, mate, moves)
    return keep_forcing(rules, position, moves, generate(rules, position, moves))


@kernel
def pack_hand(kind: PieceType, count: Int) -> Any:
    """Return a hand of `count` pieces of one type as a packed hand: one integer with HAND_BITS bits per type."""
    return count << (kind - ONE) * np.uint64(HAND_BITS)


@kernel
def hand_word(rules: Rules, position: Position, side: Side) -> Any:
    """Return the pieces in hand of `side` as a packed hand: one integer with HAND_BITS bits per piece type."""
    word = ZERO
    for kind in range(ONE, rules.hand_types + ONE):
        word |= pack_hand(kind, np.uint64(position.hand[side, kind]))
    return word


@kernel
def board_key(rules: Rules, position: Position) -> Key:
    """Return the hash key of the pieces on the board and the side to move, without the hands."""
    key = position.key[position.ply]
    for side in range(TWO):
        for kind in range(ONE, rules.hand_types + ONE):
            for number in range(ONE, np.uint64(position.hand[side, kind]) + ONE):
                key ^= rules.zobrist_hand[side, kind, number]
    return key


@kernel
def board_key_after(rules: Rules, position: Position, key: Key, move: Move) -> Key:
    """Return the board key (the hash key without the hands) after `move`, where `key` is the board key before it."""
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    key ^= rules.zobrist_side
    if move & DROP:
        return key ^ rules.zobrist[us, to, origin]
    kind = np.uint64(position.board[origin]) & TYPE_MASK
    captured = np.uint64(position.board[to]) & TYPE_MASK
    key ^= rules.zobrist[us, origin, kind]
    if captured != 0:
        key ^= rules.zobrist[us ^ ONE, to, captured]
    if move & PROMOTION:
        kind = rules.promoted[kind]
    return key ^ rules.zobrist[us, to, kind]


@kernel
def hand_after(rules: Rules, position: Position, hand: Word, move: Move) -> Any:
    """Return the packed hand of the side to move after its `move`, where `hand` is its packed hand before it."""
    if move & DROP:
        return hand - pack_hand(rules.hand_type[(move >> ORIGIN_SHIFT) & SQUARE_MASK], ONE)
    captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
    if captured != 0:
        return hand + pack_hand(rules.hand_type[captured], ONE)
    return hand


@kernel
def need_before(rules: Rules, position: Position, need: Word, move: Move) -> Any:
    """Return the packed hand that the attacker needs before its `move`, where `need` is the hand that it needs after
    the move."""
    if move & DROP:
        return need + pack_hand(rules.hand_type[(move >> ORIGIN_SHIFT) & SQUARE_MASK], ONE)
    captured = np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK
    if captured != 0:
        one = pack_hand(rules.hand_type[captured], ONE)
        if need & one * np.uint64((1 << HAND_BITS) - 1):
            return need - one
    return need


@kernel
def larger_hand(one: Word, other: Word) -> Any:
    """Return the packed hand that has, of each piece type, the larger of the two counts."""
    word = ZERO
    mask = np.uint64((1 << HAND_BITS) - 1)
    while mask != 0:
        word |= max(one & mask, other & mask)
        mask <<= np.uint64(HAND_BITS)
    return word


@kernel
def squares_between(rules: Rules, position: Position) -> Bitboard:
    """Return the squares on which the side to move could interpose a piece against a single checker. Without a check,
    or in double check, return no squares."""
    checkers = load_bb(position.checkers, position.ply)
    if not any_of(checkers) or more_than_one(checkers):
        return empty_like(checkers)
    return between_check(rules, position, lsb(checkers))


@kernel
def count_between(rules: Rules, position: Position) -> Int:
    """Return the number of squares on which the side to move could interpose a piece against a check. Without a check
    return -1, because a drop on any square may then help."""
    if not any_of(load_bb(position.checkers, position.ply)):
        return np.int64(-1)
    return np.int64(popcount(squares_between(rules, position)))


@kernel
def must_keep(rules: Rules, position: Position) -> Word:
    """Return, as a packed hand, the attacker's pieces in hand of each type of which the defender (the side to move) has
    none in hand. The mate is certain only while the attacker keeps them: a defender who had one could interpose it."""
    us = position.side
    word = ZERO
    for kind in range(ONE, rules.hand_types + ONE):
        if position.hand[us, kind] == 0:
            word |= pack_hand(kind, np.uint64(position.hand[us ^ ONE, kind]))
    return word


@kernel
def recapture(rules: Rules, position: Position, move: Move) -> Any:
    """Return the move with which the checking piece captures the piece that the drop `move` interposes, or 0 if this
    capture is illegal."""
    us = position.side
    them = us ^ ONE
    to = move & SQUARE_MASK
    target = load_bb(rules.square, to)
    checker = lsb(load_bb(position.checkers, position.ply))
    kind = np.uint64(position.board[checker]) & TYPE_MASK
    if rules.promoted[kind] != 0 and not any_of(plain(rules, them, kind, checker, target, target)):
        return ZERO
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    occupied = (occupied ^ load_bb(rules.square, checker)) | target
    if any_of(slide_attackers(rules, position, us, np.uint64(position.king[them, ZERO]), occupied)):
        return ZERO
    return checker << ORIGIN_SHIFT | to


@kernel
def key_nearer(rules: Rules, position: Position, key: Key, capture: Move) -> Key:
    """Return the hash key after three steps from the position with the hash key `key`: an interposition, its `capture`
    by the checker, and the return of the captured piece to the defender's hand. Together, they change only the square
    of the checker."""
    them = position.side ^ ONE
    checker = (capture >> ORIGIN_SHIFT) & SQUARE_MASK
    kind = np.uint64(position.board[checker]) & TYPE_MASK
    return key ^ rules.zobrist[them, checker, kind] ^ rules.zobrist[them, capture & SQUARE_MASK, kind]


@kernel
def is_between(rules: Rules, position: Position, move: Move) -> Int:
    """Return whether `move` drops a piece between the king of the side to move and the single checker."""
    return move & DROP and any_of(squares_between(rules, position) & load_bb(rules.square, move & SQUARE_MASK))


@kernel
def change_hand(rules: Rules, position: Position, kind: PieceType, step: Int) -> None:
    """If `step` is 1, move a piece of `kind` from the hand of the side that moved last to the hand of its opponent. If
    `step` is -1, undo this."""
    us = position.side
    them = us ^ ONE
    ply = position.ply
    key = position.key[ply]
    position.seen[key & SEEN_MASK] -= np.uint16(1)
    giver, taker = them, us
    if step < 0:
        giver, taker = us, them
    key ^= rules.zobrist_hand[giver, kind, np.uint64(position.hand[giver, kind])]
    position.hand[giver, kind] -= np.uint8(1)
    position.hand[taker, kind] += np.uint8(1)
    key ^= rules.zobrist_hand[taker, kind, np.uint64(position.hand[taker, kind])]
    position.key[ply] = key
    position.seen[key & SEEN_MASK] += np.uint16(1)


@kernel
def earlier(rules: Rules, position: Position, mate: MateState, key: Key, entry: Int) -> Any:
    """If the position with the hash key `key` occurred on the search path, return the row of the path at which it
    occurred. If it occurred only before the root, but so often that another occurrence ends the game, return ABSOLUTE.
    In all other cases return 0. Positions are compared from index `entry` back, in steps of two plies."""
    if position.seen[key & SEEN_MASK] == 0:
        return np.int64(0)
    times = np.int64(1)
    while entry >= 0:
        if position.key[np.uint64(entry)] == key:
            if entry >= mate.root_ply:
                return entry - mate.root_ply + 1
            times += 1
            if rules.repetition_result != NO_REPETITION and times >= rules.repetition_fold:
                return np.int64(ABSOLUTE)
        entry -= np.int64(2)
    return np.int64(0)
