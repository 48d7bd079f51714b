"""Expand a node of the mate search: generate its children, look them up, and evaluate the others statically.

Drops between king and checker that the checker can capture are ASLEEP at first, one group per square. A STAND_IN is
searched instead: the checker stands on the square, and the captured piece is back in the defender's hand. If the
attacker mates there, then each of these drops is mated too, two plies later, because the attacker has the same position
with one more piece in hand: the drops are useless interpositions. If there is no mate, the stand-in is GONE and the
drops are AWAKE.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.dispatch import count_legal, generate, key_after, make, unmake
from kogoma.rules.move_encoding import ORIGIN_SHIFT, SQUARE_MASK
from kogoma.rules.types import Key, Ply, Position, Rules
from kogoma.search.mate.game import (
    board_key_after,
    change_hand,
    count_between,
    earlier,
    generate_forcing,
    guess_replies,
    hand_after,
    has_reply,
    is_between,
    key_nearer,
    must_keep,
    need_before,
    prepare_replies,
    recapture,
)
from kogoma.search.mate.state import ABSOLUTE, ASLEEP, AWAKE, FOR_GOOD, GONE, INFINITE, POOL, ROOT, STAND_IN
from kogoma.search.mate.table import (
    disproof_number,
    find,
    hand_at,
    is_marked,
    length_at,
    mixed,
    move_at,
    prefetch,
    proof_number,
)
from kogoma.search.types import MateState

USELESS = 2  # plies of a useless interposition and its capture


@kernel
def set_child(mate: MateState, child: Int, pn: Int, dn: Int, dep: Int, length: Int, cut: Int) -> None:
    """Set the result fields of a child: its proof and disproof number, the row of the search path on which a disproof
    depends (`dep`), the plies of a proof (`length`), and whether a disproof holds for the ply limit only (`cut`)."""
    mate.child_pn[child] = np.int32(pn)
    mate.child_dn[child] = np.int32(dn)
    mate.child_dep[child] = np.int32(dep)
    mate.child_length[child] = np.int32(length)
    mate.child_cut[child] = np.uint8(cut)


@kernel
def path_after(position: Position, mate: MateState, row: Int) -> Key:
    """Return the key of the path to the children of the node in `row`: a hash of all positions on the search path up to
    and including this node."""
    return mate.path[row] ^ mixed(position.key[position.ply])


@kernel
def look_up(mate: MateState, child: Int, limit: Ply, path: Key) -> Any:
    """Look a child up in the solver's table, and copy what is found to the fields of the child. Return whether an entry
    was found. `path` is the key of the path to the child."""
    key = mate.child_key[child]
    hand = mate.child_hand[child]
    slot = find(mate, key, hand, limit)
    if slot == 0:
        return False
    pn = proof_number(slot)
    dn = disproof_number(slot)
    if pn != 0 and dn != 0 and is_marked(slot):
        other = find(mate, key ^ path, hand, limit)
        if other != 0 and disproof_number(other) == 0:
            cut = np.int64(length_at(other) < FOR_GOOD)
            set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(move_at(other)), 0, cut)
            return True
    if pn == 0:
        mate.child_need[child] = hand_at(slot)
        set_child(mate, child, np.int64(0), np.int64(INFINITE), np.int64(ABSOLUTE), length_at(slot), 0)
    elif dn == 0:
        cut = np.int64(length_at(slot) < FOR_GOOD)
        set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(ABSOLUTE), 0, cut)
    else:
        set_child(mate, child, pn, dn, np.int64(ABSOLUTE), 0, 0)
    return True


@kernel
def need_of_mate(rules: Rules, position: Position) -> Any:
    """Return a packed hand of the pieces that the attacker needs in hand for the mate on the board: with these or more
    pieces it stays a mate. The position must be a mate."""
    return must_keep(rules, position) if count_between(rules, position) != 0 else ZERO


@kernel
def open_attacked(mate: MateState, child: Int, replies: Int, limit: Ply) -> None:
    """Initialise a child that is reached by a check and has about `replies` replies. If no plies are left, mark the
    child as disproven."""
    if limit <= 0:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(ABSOLUTE), 0, 1)
    else:
        set_child(mate, child, replies, np.int64(1), np.int64(ABSOLUTE), 0, 0)


@kernel
def judge_attacked(rules: Rules, position: Position, mate: MateState, child: Int, limit: Ply) -> None:
    """Initialise a child whose move, a check by the attacker, has just been made on the board."""
    replies = count_legal(rules, position)
    if replies == 0:
        mate.child_need[child] = need_of_mate(rules, position)
        set_child(mate, child, np.int64(0), np.int64(INFINITE), np.int64(ABSOLUTE), 0, 0)
    else:
        open_attacked(mate, child, np.int64(replies), limit)


@kernel
def has_mating_move(rules: Rules, position: Position, mate: MateState, child: Int, count: Int) -> Flag:
    """Return whether one of the first `count` moves in `mate.list` mates. If so, store the packed hand that the
    attacker needs for this mate in `mate.child_need`."""
    prepare_replies(rules, position, mate)
    if mate.every_move != 0:
        return False
    i = ZERO
    while i < count:
        move = np.uint64(mate.list[i])
        i += ONE
        if has_reply(rules, position, mate, move):
            continue
        make(rules, position, move)
        mated = count_legal(rules, position) == 0
        need = need_of_mate(rules, position) if mated else ZERO
        unmake(rules, position)
        if mated:
            mate.child_need[child] = need_before(rules, position, need, move)
            return True
    return False


@kernel
def judge_attacker(rules: Rules, position: Position, mate: MateState, child: Int) -> None:
    """Initialise a child whose move, a reply of the defender, has just been made on the board. The attacker has at
    least one ply left."""
    checks = np.uint64(generate_forcing(rules, position, mate, mate.list))
    if checks == 0:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(ABSOLUTE), 0, 0)
    elif has_mating_move(rules, position, mate, child, checks):
        set_child(mate, child, np.int64(0), np.int64(INFINITE), np.int64(ABSOLUTE), 1, 0)
    else:
        pn = 1 + mate.flights // 2
        set_child(mate, child, pn, np.int64(checks), np.int64(ABSOLUTE), 0, 0)


@kernel
def set_child_key(rules: Rules, position: Position, mate: MateState, row: Int, child: Int) -> None:
    """Compute the board key (the hash key without the hands) of a child, and the attacker's hand after the child's
    move, without making the move."""
    move = np.uint64(mate.child_move[child])
    mate.child_key[child] = board_key_after(rules, position, mate.board_key[row], move)
    hand = mate.hand[row]
    if position.side == mate.attacker:
        hand = hand_after(rules, position, hand, move)
    mate.child_hand[child] = hand
    prefetch(mate, mate.child_key[child])


@kernel
def is_known(rules: Rules, position: Position, mate: MateState, row: Int, child: Int, limit: Ply) -> Flag:
    """If a repetition, the ply limit or the solver's table gives the result of a child, set its result fields without
    making its move. Return whether they were set. The mate must come within `limit` plies after the move."""
    mate.child_need[child] = ZERO
    key = key_after(rules, position, np.uint64(mate.child_move[child]))
    seen = earlier(rules, position, mate, key, np.int64(position.ply) - 1)
    if seen != 0:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), seen, 0, 0)
        return True
    if limit < 1 and position.side != mate.attacker:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(ABSOLUTE), 0, 1)
        return True
    return look_up(mate, child, limit, path_after(position, mate, row))


@kernel
def judge_check(rules: Rules, position: Position, mate: MateState, row: Int, child: Int, limit: Ply) -> None:
    """Set the proof and disproof numbers of a child that is reached by a move of the attacker. The mate must come
    within `limit` plies after the move."""
    if is_known(rules, position, mate, row, child, limit):
        return
    move = np.uint64(mate.child_move[child])
    if mate.prepared != 0 and (row != ROOT or has_reply(rules, position, mate, move)):
        # The check does not mate: at the root it has a reply, elsewhere `has_mating_move` has tested all checks.
        open_attacked(mate, child, guess_replies(rules, position, mate, move), limit)
    else:
        make(rules, position, move)
        judge_attacked(rules, position, mate, child, limit)
        unmake(rules, position)


@kernel
def judge_reply(rules: Rules, position: Position, mate: MateState, row: Int, child: Int, limit: Ply) -> None:
    """Set the proof and disproof numbers of a child that is reached by a move of the defender. The mate must come
    within `limit` plies after the move."""
    if not is_known(rules, position, mate, row, child, limit):
        make(rules, position, np.uint64(mate.child_move[child]))
        judge_attacker(rules, position, mate, child)
        unmake(rules, position)


@kernel
def enter(rules: Rules, position: Position, mate: MateState, child: Int) -> None:
    """Make the move of a child. If the child is a stand-in for interpositions, also capture the piece that was
    interposed, and return it to the defender's hand."""
    move = np.uint64(mate.child_move[child])
    capture = ZERO
    if mate.child_state[child] == STAND_IN:
        capture = recapture(rules, position, move)
    make(rules, position, move)
    if capture != 0:
        make(rules, position, capture)
        change_hand(rules, position, (move >> ORIGIN_SHIFT) & SQUARE_MASK, 1)


@kernel
def leave(rules: Rules, position: Position, mate: MateState, child: Int) -> None:
    """Undo `enter`: unmake the move of a child, and also the capture if the child is a stand-in for interpositions."""
    if mate.child_state[child] == STAND_IN:
        change_hand(rules, position, (np.uint64(mate.child_move[child]) >> ORIGIN_SHIFT) & SQUARE_MASK, -1)
        unmake(rules, position)
    unmake(rules, position)


@kernel
def judge_stand_in(rules: Rules, position: Position, mate: MateState, row: Int, child: Int, limit: Ply) -> None:
    """Set the key, the hand, and the proof and disproof numbers of a stand-in: a child that is searched in place of all
    interpositions on one square. The mate must come within `limit` plies after the capture of the interposed piece."""
    move = np.uint64(mate.child_move[child])
    capture = recapture(rules, position, move)
    mate.child_key[child] = key_nearer(rules, position, mate.board_key[row], capture)
    mate.child_hand[child] = mate.hand[row]
    mate.child_need[child] = ZERO
    if limit < 0:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), np.int64(ABSOLUTE), 0, 1)
        return
    key = key_nearer(rules, position, position.key[position.ply], capture)
    seen = earlier(rules, position, mate, key, np.int64(position.ply) - 2)
    if seen != 0:
        set_child(mate, child, np.int64(INFINITE), np.int64(0), seen, 0, 0)
    elif not look_up(mate, child, limit, path_after(position, mate, row)):
        enter(rules, position, mate, child)
        judge_attacked(rules, position, mate, child, limit)
        leave(rules, position, mate, child)


@kernel
def wake(rules: Rules, position: Position, mate: MateState, row: Int, child: Int, limit: Ply) -> None:
    """Replace `child`, a disproved stand-in, by the interpositions for which it stands: from now on they are searched
    one by one."""
    mate.child_state[child] = np.uint8(GONE)
    for other in range(mate.start[row], mate.end[row]):
        if mate.child_state[other] == ASLEEP and mate.child_group[other] == mate.child_group[child]:
            mate.child_state[other] = np.uint8(AWAKE)
            set_child_key(rules, position, mate, row, other)
            judge_reply(rules, position, mate, row, other, limit - 1)


@kernel
def put_to_sleep(rules: Rules, position: Position, mate: MateState, row: Int) -> None:
    """Mark as ASLEEP those children of the node in `row` that interpose a piece which the checker can capture. For each
    square, add one child, the stand-in, that is searched in place of these children."""
    if count_between(rules, position) <= 0:
        return
    last = mate.end[row]
    for child in range(mate.start[row], last):
        move = np.uint64(mate.child_move[child])
        if is_between(rules, position, move):
            group = np.uint8((move & SQUARE_MASK) + ONE)
            stand_in = last
            while stand_in < mate.end[row] and mate.child_group[stand_in] != group:
                stand_in += 1
            if stand_in == mate.end[row]:
                capture = recapture(rules, position, move)
                mate.child_move[stand_in] = np.uint16(move)
                mate.child_group[stand_in] = group
                mate.child_state[stand_in] = np.uint8(STAND_IN if capture != 0 else GONE)
                mate.end[row] += 1
            if mate.child_state[stand_in] == STAND_IN:
                mate.child_state[child] = np.uint8(ASLEEP)
                mate.child_group[child] = group


@kernel
def expand(rules: Rules, position: Position, mate: MateState, row: Int, limit: Ply) -> Any:
    """Generate and initialise the children of the node in `row` of the search path. The mate must come within `limit`
    plies. Return False if there is no room for another row or for the children."""
    first = mate.start[row]
    mate.end[row] = first
    if row >= mate.last_row or first >= POOL:
        return False
    attacking = position.side == mate.attacker
    count = ZERO
    if attacking:
        count = np.uint64(generate_forcing(rules, position, mate, mate.list))
        prepare_replies(rules, position, mate)
    else:
        count = np.uint64(generate(rules, position, mate.list))
    child = first
    for i in range(count):
        mate.child_move[child] = mate.list[i]
        mate.child_state[child] = np.uint8(AWAKE)
        mate.child_group[child] = np.uint8(0)
        child += 1
    mate.end[row] = child
    if not attacking:
        put_to_sleep(rules, position, mate, row)
    for child in range(first, mate.end[row]):
        if mate.child_state[child] == AWAKE:
            set_child_key(rules, position, mate, row, child)
    for child in range(first, mate.end[row]):
        if mate.child_state[child] == AWAKE:
            if attacking:
                judge_check(rules, position, mate, row, child, limit - 1)
            else:
                judge_reply(rules, position, mate, row, child, limit - 1)
            settled = mate.child_pn[child] == 0 if attacking else mate.child_dn[child] == 0
            if settled and mate.child_dep[child] == ABSOLUTE:
                forget_after(mate, row, child)
                return True
        elif mate.child_state[child] == STAND_IN:
            judge_stand_in(rules, position, mate, row, child, limit - USELESS)
            if mate.child_dn[child] == 0:
                wake(rules, position, mate, row, child, limit)
    return True


@kernel
def forget_after(mate: MateState, row: Int, child: Int) -> None:
    """Remove the children that follow `child`, because `child` alone decides the node in `row`. They have not been
    initialised yet."""
    child += 1
    while child < mate.end[row]:
        mate.child_state[child] = np.uint8(GONE)
        child += 1
