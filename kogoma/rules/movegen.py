"""Generate legal moves directly: checkers, pins and evasion masks restrict where pieces go, so that moves need not be
made to test their legality.

Every generator writes moves from index `n` of `moves` and returns the index after the last one. Captures and
promotions, quiet moves, and drops have separate generators, for staged move ordering. `set_check_info` must have been
called for the newest ply.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO, any_of, clear_lsb, empty_like, load_bb, lsb, more_than_one, popcount
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Bitboard, Flag, Int
from kogoma.rules.attacks import attacks
from kogoma.rules.ending import over
from kogoma.rules.layout import SIDE_SHIFT, TYPE_MASK
from kogoma.rules.make_move import is_placing, make, unmake
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.types import Move, MoveList, PieceType, Position, Rules, Side, Square


@kernel(cold=True)
def attacks_by_step(rules: Rules, position: Position, origin: Square, to: Square) -> Flag:
    """Return whether the piece on `origin` attacks the square `to` by a step."""
    piece = np.uint64(position.board[origin])
    return any_of(load_bb(rules.steps, piece >> SIDE_SHIFT, origin, piece & TYPE_MASK) & load_bb(rules.square, to))


@kernel
def between_check(rules: Rules, position: Position, checker: Square) -> Bitboard:
    """Return the squares on which a piece would block the check by the piece on `checker`: none if that piece checks by
    a step or a jump."""
    king = np.uint64(position.king[position.side, ZERO])
    if rules.line_jumps != 0 and attacks_by_step(rules, position, checker, king):
        return empty_like(load_bb(rules.board, ZERO))
    return load_bb(rules.between, king, checker)


@kernel
def evasion_mask(rules: Rules, position: Position) -> Any:
    """Return the squares to which pieces other than the king may go: all squares, or, in check, the checker's square
    and the squares between checker and king. In double check there are none."""
    checkers = load_bb(position.checkers, position.ply)
    if not any_of(checkers):
        return load_bb(rules.board, ZERO)
    if rules.king_capture != 0:
        return load_bb(rules.board, ZERO)
    if more_than_one(checkers):
        return empty_like(checkers)
    return checkers | between_check(rules, position, lsb(checkers))


@kernel
def movers_of(rules: Rules, position: Position, evasions: Bitboard) -> Bitboard:
    """Return the pieces of the side to move that may have a move: all of them, or, in check, the king, the sliders, and
    the pieces that could step to one of the squares `evasions`."""
    own = load_bb(position.by_side, position.side)
    if not any_of(load_bb(position.checkers, position.ply)) or rules.king_capture != 0:
        return own
    found = ~load_bb(position.by_slide, ZERO) | load_bb(position.by_type, rules.king)
    while any_of(evasions):
        found = found | load_bb(rules.near, position.side, lsb(evasions))
        evasions = clear_lsb(evasions)
    return found & own


@inlined
def safe_king_steps(rules: Rules, position: Position, us: Side, targets: Bitboard) -> Bitboard:
    """Return the `targets` of the king that the opponent does not attack once the king has left its square."""
    if rules.king_capture != 0:
        return targets
    them = us ^ ONE
    enemy = load_bb(position.by_side, them)
    king = load_bb(rules.square, np.uint64(position.king[us, ZERO]))
    occupied = (load_bb(position.by_side, us) | enemy) ^ king
    near = empty_like(enemy)
    left = targets
    while any_of(left):
        near = near | load_bb(rules.near, them, lsb(left))
        left = clear_lsb(left)
    near = near & enemy
    while any_of(near):
        origin = lsb(near)
        near = clear_lsb(near)
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        targets = targets & ~load_bb(rules.steps, them, origin, kind)
    far = enemy & ~load_bb(position.by_slide, ZERO)
    while any_of(far):
        origin = lsb(far)
        far = clear_lsb(far)
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        if any_of(load_bb(rules.reach, them, rules.slide_set[kind], origin) & targets):
            targets = targets & ~attacks(rules, them, kind, origin, occupied)
    return targets


@kernel(cold=True)
def without_jumps(rules: Rules, square: Square, reach: Bitboard, occupied: Bitboard) -> Bitboard:
    """Return the squares of `reach` that a pinned piece on `square` reaches without jumping over another piece. All
    squares of `reach` must be on the line of the pin."""
    left = reach
    while any_of(left):
        to = lsb(left)
        left = clear_lsb(left)
        if any_of(load_bb(rules.between, square, to) & occupied):
            reach = reach & ~load_bb(rules.square, to)
    return reach


@inlined
def reach_of(
    rules: Rules, position: Position, square: Square, kind: PieceType, evasions: Bitboard, among: Bitboard
) -> Bitboard:
    """Return the squares of `among` to which the piece on `square` may legally move."""
    us = position.side
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    if kind == rules.king:
        return safe_king_steps(rules, position, us, load_bb(rules.steps, us, square, kind) & among)
    reach = attacks(rules, us, kind, square, occupied) & among & evasions
    if any_of(load_bb(position.pinned, position.ply) & load_bb(rules.square, square)):
        reach = reach & load_bb(rules.line, np.uint64(position.king[us, ZERO]), square)
        if rules.line_jumps != 0:
            reach = without_jumps(rules, square, reach, occupied)
    return reach


@inlined
def promotable(rules: Rules, side: Side, kind: PieceType, square: Square, reach: Bitboard, enemy: Bitboard) -> Bitboard:
    """Return the squares of `reach` to which a piece whose type can promote may move with promotion."""
    if rules.capture_promotes != 0:
        return reach & enemy
    zone = load_bb(rules.zone, side)
    if any_of(zone & load_bb(rules.square, square)):
        return reach
    return reach & zone


@inlined
def plain(rules: Rules, side: Side, kind: PieceType, square: Square, reach: Bitboard, enemy: Bitboard) -> Bitboard:
    """Return the squares of `reach` to which a piece whose type can promote may move without promotion."""
    if rules.promotion_ruled[kind] != 0:
        if rules.capture_promotes != 0:
            return reach & ~enemy
        if rules.promotion_forced != 0 and any_of(load_bb(rules.zone, side) & load_bb(rules.square, square)):
            return empty_like(reach)
    return reach & ~load_bb(rules.must_promote, side, kind)


@inlined
def targets_of(
    rules: Rules, position: Position, square: Square, evasions: Bitboard, unturned: Bitboard, turned: Bitboard
) -> Any:
    """Return two bitboards: the squares of `unturned` to which the piece on `square` may legally move without
    promotion, and the squares of `turned` to which it may legally move with promotion. `evasions` is the position's
    `evasion_mask`."""
    us = position.side
    kind = np.uint64(position.board[square]) & TYPE_MASK
    if rules.promoted[kind] == 0:
        return reach_of(rules, position, square, kind, evasions, unturned), empty_like(turned)
    enemy = load_bb(position.by_side, us ^ ONE)
    reach = reach_of(rules, position, square, kind, evasions, unturned | turned)
    plainly = plain(rules, us, kind, square, reach & unturned, enemy)
    return plainly, promotable(rules, us, kind, square, reach & turned, enemy)


@kernel
def emit(moves: MoveList, n: Int, base: Move, targets: Bitboard) -> Int:
    """Append one move per square of `targets`: `base` with this square as destination. Return the index after the last
    move."""
    while any_of(targets):
        moves[n] = np.uint16(base | lsb(targets))
        targets = clear_lsb(targets)
        n += ONE
    return n


# Values of the argument `wanted` of `walk` and `walk_drops`.
ALL, TACTICAL, QUIET, COUNT, ANY = range(5)


@kernel
def walk(rules: Rules, position: Position, moves: MoveList, n: Int, wanted: Int) -> Int:
    """Append the board moves selected by `wanted`, and return the index after the last move. COUNT writes nothing and
    adds the number of moves to `n`; ANY returns 1 at the first move found. `wanted` is a compile-time constant, so each
    use is compiled separately."""
    if is_placing(rules, position):
        return n
    enemy = load_bb(position.by_side, position.side ^ ONE)
    unturned = ~load_bb(position.by_side, position.side)
    turned = unturned
    if wanted == TACTICAL:
        unturned = enemy
        if rules.tactical_promotion == 0:
            turned = enemy
    if wanted == QUIET:
        unturned = unturned & ~enemy
        turned = unturned if rules.tactical_promotion == 0 else empty_like(enemy)
    evasions = evasion_mask(rules, position)
    movers = movers_of(rules, position, evasions)
    while any_of(movers):
        square = lsb(movers)
        movers = clear_lsb(movers)
        plainly, promoting = targets_of(rules, position, square, evasions, unturned, turned)
        if wanted == ANY:
            if any_of(plainly | promoting):
                return ONE
        elif wanted == COUNT:
            n += popcount(plainly) + popcount(promoting)
        else:
            n = emit(moves, n, square << ORIGIN_SHIFT | PROMOTION, promoting)
            n = emit(moves, n, square << ORIGIN_SHIFT, plainly)
    return n


@kernel
def generate_tactical(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append captures, and also promotions if the variant counts them as tactical. Return the index after the last
    move."""
    return walk(rules, position, moves, n, TACTICAL)


@kernel
def generate_quiet(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append the board moves that are not tactical, and return the index after the last move."""
    return walk(rules, position, moves, n, QUIET)


@kernel
def has_board_move(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move has a legal move of a piece on the board."""
    # In the mode ANY, `walk` writes nothing into position.move.
    return walk(rules, position, position.move, ZERO, ANY) != 0


@kernel
def mates_by_drop(rules: Rules, position: Position, kind: PieceType, square: Square) -> Flag:
    """Return whether dropping `kind` on `square`, where it attacks the king by a step, is mate. Only board moves are
    tried as replies, because no drop can answer such a check."""
    make(rules, position, DROP | kind << ORIGIN_SHIFT | square)
    mated = not has_board_move(rules, position)
    unmake(rules, position)
    return mated


@kernel
def drop_squares(rules: Rules, position: Position, kind: PieceType, empty: Bitboard) -> Bitboard:
    """Return the `empty` squares on which the side to move may drop a piece of type `kind`. The placement phase, which
    has no such restrictions, must be over."""
    us = position.side
    squares = empty & ~load_bb(rules.no_drop, us, kind)
    most = rules.most_per_file[kind]
    if most != 0:
        own = load_bb(position.by_side, us) & load_bb(position.by_type, kind)
        left = own
        while any_of(left):
            file = load_bb(rules.file, lsb(left))
            left = clear_lsb(left)
            if most == 1 or np.uint64(popcount(own & file)) >= most:
                squares = squares & ~file
    if rules.no_drop_mate[kind] != 0:
        them = us ^ ONE
        mating = squares & load_bb(rules.steps, them, np.uint64(position.king[them, ZERO]), kind)
        while any_of(mating):
            square = lsb(mating)
            mating = clear_lsb(mating)
            if mates_by_drop(rules, position, kind, square):
                squares = squares & ~load_bb(rules.square, square)
    return squares


@kernel
def drop_targets(rules: Rules, position: Position) -> Bitboard:
    """Return the empty squares on which a piece may be dropped: all, or, in check, those that block the check."""
    empty = load_bb(rules.board, ZERO) & ~(load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE))
    return empty & evasion_mask(rules, position)


@kernel
def drops_of(
    rules: Rules, position: Position, moves: MoveList, n: Int, kind: PieceType, empty: Bitboard, wanted: Int
) -> Any:
    """Append the drops of one piece type on the `empty` squares if `wanted` is ALL, otherwise only count them. Return
    `n` plus their number."""
    targets = drop_squares(rules, position, kind, empty)
    if wanted == ALL:
        return emit(moves, n, DROP | kind << ORIGIN_SHIFT, targets)
    return n + popcount(targets)


@kernel
def free_home(rules: Rules, position: Position) -> Bitboard:
    """Return the squares on which the side to move may place a piece in the placement phase, whatever its type."""
    occupied = load_bb(position.by_side, ZERO) | load_bb(position.by_side, ONE)
    return load_bb(rules.home, position.side) & ~occupied


@kernel(cold=True)
def walk_placements(rules: Rules, position: Position, moves: MoveList, n: Int, wanted: Int) -> Int:
    """Do what `walk_drops` does, in the placement phase."""
    squares = free_home(rules, position)
    for kind in range(ONE, rules.hand_types + ONE):
        if position.hand[position.side, kind] != 0:
            if wanted == ALL:
                n = emit(moves, n, DROP | kind << ORIGIN_SHIFT, squares)
            else:
                n += popcount(squares)
    return n


@kernel
def walk_drops(rules: Rules, position: Position, moves: MoveList, n: Int, wanted: Int) -> Int:
    """Append every drop (`wanted` is ALL), only count the drops (COUNT), or stop at the first piece type that can be
    dropped (ANY). Return `n` plus the number of drops found."""
    if is_placing(rules, position):
        return walk_placements(rules, position, moves, n, wanted)
    empty = drop_targets(rules, position)
    if any_of(empty):
        for kind in range(ONE, rules.hand_types + ONE):
            if position.hand[position.side, kind] != 0:
                n = drops_of(rules, position, moves, n, kind, empty, wanted)
                if rules.drop_either_side != 0:
                    n = drops_of(rules, position, moves, n, rules.promoted[kind], empty, wanted)
                if wanted == ANY and n != 0:
                    return n
    return n


@kernel
def generate_drops(rules: Rules, position: Position, moves: MoveList, n: Int) -> Int:
    """Append all legal drops, and return the index after the last move."""
    return walk_drops(rules, position, moves, n, ALL)


@kernel
def generate(rules: Rules, position: Position, moves: MoveList) -> Int:
    """Write every legal move, board moves first, and return their number."""
    if over(rules, position):
        return ZERO
    return generate_drops(rules, position, moves, walk(rules, position, moves, ZERO, ALL))


@kernel
def count_legal(rules: Rules, position: Position) -> Int:
    """Return the number of legal moves without writing them."""
    if over(rules, position):
        return ZERO
    total = walk(rules, position, position.move, ZERO, COUNT)  # COUNT writes no moves
    return walk_drops(rules, position, position.move, total, COUNT)


@kernel
def has_legal_move(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move has a legal move."""
    return has_board_move(rules, position) or walk_drops(rules, position, position.move, ZERO, ANY) != 0


@inlined
def is_stalemate(rules: Rules, position: Position) -> Flag:
    """Return whether the side to move, which must not be in check, has no legal move."""
    return not has_legal_move(rules, position)


@kernel
def is_legal(rules: Rules, position: Position, move: Move) -> Flag:
    """Return whether a move, for example one from the transposition table, is legal in the position."""
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if to >= rules.squares:
        return False
    target = load_bb(rules.square, to)
    if move & DROP:
        if origin == 0 or origin > rules.drop_types or (move & PROMOTION) != 0:
            return False
        if position.hand[us, rules.hand_type[origin]] == 0:
            return False
        if is_placing(rules, position):
            return any_of(free_home(rules, position) & target)
        empty = drop_targets(rules, position) & target
        return any_of(empty) and any_of(drop_squares(rules, position, origin, empty))
    if is_placing(rules, position):
        return False
    if origin >= rules.squares or not any_of(load_bb(position.by_side, us) & load_bb(rules.square, origin)):
        return False
    target = target & ~load_bb(position.by_side, us)
    plainly, promoting = targets_of(rules, position, origin, evasion_mask(rules, position), target, target)
    return any_of(promoting if move & PROMOTION else plainly)
