"""Make and unmake moves and null moves, updating every field of the position incrementally."""

from __future__ import annotations

import numpy as np

from kogoma.native.bitboard import ONE, TWO, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb, store_bb
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.attacks import set_check_info
from kogoma.rules.layout import SEEN, SIDE_SHIFT, SLOTS, TYPE_MASK
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.types import Key, Move, PieceType, Ply, Position, Rules, Score, Side, Square

SEEN_MASK = np.uint64(SEEN - 1)


@kernel
def flip(rules: Rules, position: Position, side: Side, kind: PieceType, square: Square) -> None:
    """Add a piece to the bitboards, or remove it from them if it is on the square. Other fields do not change."""
    bit = load_bb(rules.square, square)
    bundle = rules.slide_set[kind]
    store_bb(position.by_side, side, load_bb(position.by_side, side) ^ bit)
    store_bb(position.by_type, kind, load_bb(position.by_type, kind) ^ bit)
    store_bb(position.by_slide, bundle, load_bb(position.by_slide, bundle) ^ bit)


@kernel
def board_score(rules: Rules, position: Position) -> Score:
    """Compute the running score of the pieces on the board from scratch, from Black's point of view."""
    score = np.int64(0)
    for square in range(rules.squares):
        piece = np.uint64(position.board[square])
        score += np.int64(rules.term[piece >> SIDE_SHIFT, square, piece & TYPE_MASK])
    return score


@kernel
def running_score(rules: Rules, position: Position) -> Score:
    """Compute the running score of board and hands from scratch, from Black's point of view."""
    score = board_score(rules, position)
    for side in range(TWO):
        for kind in range(ONE, rules.hand_types + ONE):
            for held in range(ONE, np.uint64(position.hand[side, kind]) + ONE):
                score += np.int64(rules.term_hand[side, kind, held])
    return score


@kernel
def is_placing(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move has to place a piece. The placement phase is a matter of the number of plies, so
    a null move in it would be wrong."""
    if rules.placements == 0:  # one comparison for most variants: this is asked several times in each node
        return False
    return position.game_ply + np.int64(position.ply) < rules.placements


# What only a placement does is in cold kernels, so that other variants pay one comparison for it. They are called where
# the caller has little to keep in registers.


@kernel(cold=True)
def key_after_placement(rules: Rules, position: Position, move: Move) -> Key:
    """Return the hash key of the position after a placement."""
    us, kind = position.side, (move >> ORIGIN_SHIFT) & SQUARE_MASK
    key = position.key[position.ply] ^ rules.zobrist_side ^ rules.zobrist[us, move & SQUARE_MASK, kind]
    key ^= rules.zobrist_hand[us, kind, np.uint64(position.hand[us, kind])]
    left = rules.dismissed[kind]
    while left != 0:
        key ^= rules.zobrist_hand[us, lsb(left), ONE]
        left = clear_lsb(left)
    if position.game_ply + np.int64(position.ply) + 1 == rules.placements:
        key ^= rules.zobrist_placement
    return key


@kernel(cold=True)
def begin_placement(rules: Rules, position: Position, move: Move) -> Score:
    """Store the square of a king that is placed, and remove from the mover's hand what leaves it for good with this
    placement. Return the value of the removed pieces. The evaluation does not follow placements: it forgets its
    accumulators."""
    for index in range(SLOTS):
        position.accumulated[index] = ZERO
    us, kind = position.side, (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if kind == rules.king:
        position.king[us, ZERO] = np.uint8(move & SQUARE_MASK)
    worth, left = np.int64(0), rules.dismissed[kind]
    while left != 0:
        other = lsb(left)
        position.hand[us, other] = np.uint8(0)
        worth += np.int64(rules.term_hand[us, other, ONE])
        left = clear_lsb(left)
    return worth


@kernel(cold=True)
def undo_placement(rules: Rules, position: Position, kind: PieceType) -> None:
    """Undo what `begin_placement` did: of each type that it removed, the hand had one piece."""
    us = position.side
    if kind == rules.king:
        position.king[us, ZERO] = np.uint8(rules.off_board)
    left = rules.dismissed[kind]
    while left != 0:
        position.hand[us, lsb(left)] = np.uint8(1)
        left = clear_lsb(left)


@kernel
def derive_fields(rules: Rules, position: Position) -> None:
    """Compute all fields that follow from `board`, `hand` and `side`, for a game without previous moves."""
    nothing = empty_like(load_bb(rules.board, ZERO))
    for index in range(len(position.by_type)):
        store_bb(position.by_type, np.uint64(index), nothing)
    for index in range(len(position.by_slide)):
        store_bb(position.by_slide, np.uint64(index), nothing)
    store_bb(position.by_side, ZERO, nothing)
    store_bb(position.by_side, ONE, nothing)
    position.king[ZERO, ZERO] = np.uint8(rules.off_board)
    position.king[ONE, ZERO] = np.uint8(rules.off_board)
    position.seen[:] = np.uint16(0)
    key = ZERO
    for square in range(rules.squares):
        piece = np.uint64(position.board[square])
        if piece != 0:
            side = piece >> SIDE_SHIFT
            kind = piece & TYPE_MASK
            flip(rules, position, side, kind, square)
            key ^= rules.zobrist[side, square, kind]
            if kind == rules.king:
                position.king[side, ZERO] = np.uint8(square)
    for holder in range(TWO):
        for held in range(ONE, rules.hand_types + ONE):
            for number in range(ONE, np.uint64(position.hand[holder, held]) + ONE):
                key ^= rules.zobrist_hand[holder, held, number]
    if position.side != 0:
        key ^= rules.zobrist_side
    position.ply = ZERO
    if is_placing(rules, position):
        key ^= rules.zobrist_placement
    position.key[ZERO] = key
    position.score[ZERO] = np.int32(running_score(rules, position))
    position.move[ZERO] = np.uint16(0)
    position.captured[ZERO] = np.uint8(0)
    position.moved[ZERO] = np.uint8(0)
    position.seen[key & SEEN_MASK] = np.uint16(1)
    set_check_info(rules, position)
    in_check = any_of(load_bb(position.checkers, ZERO))
    position.checks_run[ZERO] = np.int16(in_check)


@kernel
def push_ply(rules: Rules, position: Position, us: Side, key: Key, score: Score) -> None:
    """Finish a move of side `us`: begin a new ply with this key and score. The opponent is then to move."""
    them = us ^ ONE
    ply = position.ply + ONE
    position.ply = ply
    position.side = them
    position.key[ply] = key
    position.score[ply] = score
    position.seen[key & SEEN_MASK] += np.uint16(1)
    set_check_info(rules, position)
    run = np.int16(0)
    if any_of(load_bb(position.checkers, ply)):
        run = np.int16(1)
        if ply >= np.uint64(2):
            run += position.checks_run[ply - np.uint64(2)]
    position.checks_run[ply] = run


@kernel
def key_after(rules: Rules, position: Position, move: Move) -> Key:
    """Return the hash key of the position after a legal move."""
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    key = position.key[position.ply] ^ rules.zobrist_side
    if move & DROP:
        if is_placing(rules, position):
            return key_after_placement(rules, position, move)
        kind = origin
        base = rules.hand_type[kind]
        key ^= rules.zobrist_hand[us, base, np.uint64(position.hand[us, base])]
    else:
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        key ^= rules.zobrist[us, origin, kind]
        if captured != 0:
            base = rules.hand_type[captured]
            key ^= rules.zobrist_hand[us, base, np.uint64(position.hand[us, base]) + ONE]
            key ^= rules.zobrist[us ^ ONE, to, captured]
        if move & PROMOTION:
            kind = rules.promoted[kind]
    return key ^ rules.zobrist[us, to, kind]


@kernel
def make(rules: Rules, position: Position, move: Move) -> None:
    """Make a legal move."""
    make_towards(rules, position, move, key_after(rules, position, move))


@kernel
def make_towards(rules: Rules, position: Position, move: Move, key: Key) -> None:
    """Make a legal move whose resulting hash key (`key_after`) is already known."""
    us = position.side
    them = us ^ ONE
    ply = position.ply
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    score = np.int64(position.score[ply])
    captured = ZERO
    if move & DROP:
        if is_placing(rules, position):
            score -= begin_placement(rules, position, move)
        kind = origin
        base = rules.hand_type[kind]
        held = np.uint64(position.hand[us, base])
        position.hand[us, base] = np.uint8(held - ONE)
        score -= np.int64(rules.term_hand[us, base, held])
    else:
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        if captured != 0:
            base = rules.hand_type[captured]
            held = np.uint64(position.hand[us, base]) + ONE
            position.hand[us, base] = np.uint8(held)
            score += np.int64(rules.term_hand[us, base, held]) - np.int64(rules.term[them, to, captured])
            flip(rules, position, them, captured, to)
        flip(rules, position, us, kind, origin)
        position.board[origin] = np.uint8(0)
        score -= np.int64(rules.term[us, origin, kind])
        if kind == rules.king:
            position.king[us, ZERO] = np.uint8(to)
        if move & PROMOTION:
            kind = rules.promoted[kind]
    flip(rules, position, us, kind, to)
    piece = np.uint8(us << SIDE_SHIFT | kind)
    position.board[to] = piece
    score += np.int64(rules.term[us, to, kind])
    position.move[ply + ONE] = np.uint16(move)
    position.captured[ply + ONE] = np.uint8(captured)
    position.moved[ply + ONE] = piece
    push_ply(rules, position, us, key, score)


@kernel
def pop_ply(position: Position) -> None:
    """Remove the newest ply. Unmaking a null move needs nothing else."""
    ply = position.ply
    position.seen[position.key[ply] & SEEN_MASK] -= np.uint16(1)
    position.ply = ply - ONE
    position.side = position.side ^ ONE


@kernel
def unmake(rules: Rules, position: Position) -> None:
    """Unmake the last move."""
    ply = position.ply
    move = np.uint64(position.move[ply])
    captured = np.uint64(position.captured[ply])
    pop_ply(position)
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    kind = np.uint64(position.board[to]) & TYPE_MASK
    flip(rules, position, us, kind, to)
    position.board[to] = np.uint8(0)
    if move & DROP:
        position.hand[us, rules.hand_type[kind]] += np.uint8(1)
        if is_placing(rules, position):
            undo_placement(rules, position, kind)
        return
    if move & PROMOTION:
        kind = rules.unpromoted[kind]
    if kind == rules.king:
        position.king[us, ZERO] = np.uint8(origin)
    flip(rules, position, us, kind, origin)
    position.board[origin] = np.uint8(us << SIDE_SHIFT | kind)
    if captured != 0:
        them = us ^ ONE
        position.hand[us, rules.hand_type[captured]] -= np.uint8(1)
        flip(rules, position, them, captured, to)
        position.board[to] = np.uint8(them << SIDE_SHIFT | captured)


@inlined
def make_null(rules: Rules, position: Position) -> None:
    """Make a null move, which passes the turn. The side to move must not be in check."""
    ply = position.ply
    position.move[ply + ONE] = np.uint16(0)
    position.captured[ply + ONE] = np.uint8(0)
    position.moved[ply + ONE] = np.uint8(0)
    push_ply(rules, position, position.side, position.key[ply] ^ rules.zobrist_side, np.int64(position.score[ply]))


@kernel
def move_ply(position: Position, ply: Ply, to: Ply) -> None:
    """Copy the entries of a ply, in those fields that the structs of all layouts have, to the index `to`."""
    position.key[to] = position.key[ply]
    position.score[to] = position.score[ply]
    position.move[to] = position.move[ply]
    position.captured[to] = position.captured[ply]
    position.moved[to] = position.moved[ply]


@kernel(cold=True)
def remove_oldest(position: Position, count: Int) -> None:
    """Remove the game's first `count` plies from the struct, to make room for more."""
    position.ply -= count
    position.game_ply += np.int64(count)
    position.seen[:] = np.uint16(0)
    for to in range(position.ply + ONE):
        ply = to + count
        move_ply(position, ply, to)
        position.checks_run[to] = position.checks_run[ply]
        store_bb(position.checkers, to, load_bb(position.checkers, ply))
        store_bb(position.pinned, to, load_bb(position.pinned, ply))
        position.seen[position.key[to] & SEEN_MASK] += np.uint16(1)
