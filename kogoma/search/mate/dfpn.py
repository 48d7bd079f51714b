"""df-pn: depth-first proof-number search (Nagai 2002).

A node of the attacker is proven if one child is proven, and disproven if all children are disproven. A node of the
defender is proven if all children are proven, and disproven if one child is disproven. The proof number estimates how
many nodes have yet to be proven. Here it is the largest number of a child, plus 1 for each other child (weak proof
numbers, Ueda et al. 2008), because children often transpose. A child is searched until its numbers exceed thresholds
derived from the node's own and from the second-best child, plus an eighth (the 1 + epsilon trick), so that the search
does not switch too often.

A position that already occurred on the path is no mate. A disproof that follows from this holds only while the repeated
position is on the path: `dep` is the row of that position, the one nearest to the root if there are several. A disproof
does not depend on the path if `dep` is the node's own row or a later one. Proofs need
no such care, because an attacker who can mate can always make progress.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.memory import copy_bytes
from kogoma.native.types import Address, Flag, Int
from kogoma.rules.layout import PLIES
from kogoma.rules.types import Ply, Position, Rules
from kogoma.search.mate.expand import USELESS, enter, expand, leave, path_after, wake
from kogoma.search.mate.game import (
    board_key,
    count_between,
    hand_word,
    larger_hand,
    must_keep,
    need_before,
    set_check_info,
)
from kogoma.search.mate.state import (
    ABSOLUTE,
    AWAKE,
    FOR_GOOD,
    INFINITE,
    MATE_STRUCTS,
    REFUTED,
    ROOT,
    ROWS,
    STAND_IN,
    UNDECIDED,
)
from kogoma.search.mate.table import begin_small, grow, store_node
from kogoma.search.node import look_at_clock
from kogoma.search.types import MateState

EPSILON = 8  # the threshold exceeds the second-best number by 1/EPSILON of it


@kernel
def weigh(mate: MateState, row: Int, attacking: Flag) -> None:
    """Compute the proof and disproof number of the node in `row` of the search path from its children, and select the
    child to search next. `attacking` is true if the attacker is to move."""
    least = np.int64(INFINITE)
    second = np.int64(INFINITE)
    most = np.int64(0)
    open_ones = np.int64(0)
    best = np.int64(-1)
    lost = False
    for child in range(mate.start[row], mate.end[row]):
        if mate.child_state[child] == AWAKE or mate.child_state[child] == STAND_IN:
            pn = np.int64(mate.child_pn[child])
            dn = np.int64(mate.child_dn[child])
            chosen = pn if attacking else dn
            summed = dn if attacking else pn
            if chosen < least:
                second = least
                least = chosen
                best = np.int64(child)
            elif chosen < second:
                second = chosen
            if summed > 0:
                open_ones += 1
                most = max(most, summed)
            lost = lost or chosen == 0
    total = np.int64(0)
    if open_ones > 0:
        total = min(most + open_ones - 1, np.int64(INFINITE - 1))
    if lost:
        total = np.int64(INFINITE)
    if open_ones == 0:
        least = np.int64(INFINITE)
    mate.pn[row] = least if attacking else total
    mate.dn[row] = total if attacking else least
    mate.best[row] = best
    mate.second[row] = second
    mate.others[row] = open_ones - 1


@kernel
def conclude(rules: Rules, position: Position, mate: MateState, row: Int, attacking: Flag) -> Any:
    """Return the move that proves or disproves the node in `row` of the search path, or 0 if no single move does. The
    node must be proven or disproven. Also store what the result depends on. For a proof, this is its number of plies
    and the attacker's hand that it needs. For a disproof, it is the earlier row with the repeated position, if any, and
    whether the disproof holds for the ply limit only."""
    chosen = np.int64(-1)
    child = mate.start[row]
    length = np.int64(0)
    need = ZERO
    dep = np.int64(ABSOLUTE)
    cut = np.int64(0)
    if mate.pn[row] == 0:
        stand_ins = np.int64(0)
        while child < mate.end[row]:
            state = mate.child_state[child]
            plies = np.int64(mate.child_length[child]) + 1
            if state == STAND_IN:
                plies += np.int64(USELESS - 1)
                stand_ins += 1
            if state in (AWAKE, STAND_IN):
                if not attacking:
                    need = larger_hand(need, mate.child_need[child])
                    if plies > length:
                        length = plies
                        chosen = child
                elif mate.child_pn[child] == 0 and (chosen < 0 or plies < length):
                    length = plies
                    chosen = child
            child += 1
        if attacking:
            need = need_before(rules, position, mate.child_need[chosen], np.uint64(mate.child_move[chosen]))
        elif count_between(rules, position) != stand_ins:
            need = larger_hand(need, must_keep(rules, position))
    else:
        while child < mate.end[row]:
            state = mate.child_state[child]
            if state == AWAKE:
                its = np.int64(mate.child_dep[child])
                if attacking:
                    dep = min(dep, its)
                    cut |= np.int64(mate.child_cut[child])
                elif mate.child_dn[child] == 0:
                    its_cut = np.int64(mate.child_cut[child])
                    if chosen < 0 or its > dep or (its == dep and its_cut < cut):
                        chosen = child
                        dep = its
                        cut = its_cut
            child += 1
        if dep >= row:
            dep = np.int64(ABSOLUTE)
    mate.length[row] = length
    mate.need[row] = need
    mate.dep[row] = dep
    mate.cut[row] = cut
    return np.uint64(mate.child_move[chosen]) if chosen >= 0 else ZERO


@kernel
def remember(
    rules: Rules, position: Position, mate: MateState, row: Int, limit: Ply, attacking: Flag, nodes: Int
) -> None:
    """Store the result of the node in `row` of the search path in the solver's table. `nodes` is the number of nodes
    searched for this result."""
    key = mate.board_key[row]
    hand = mate.hand[row]
    pn = mate.pn[row]
    dn = mate.dn[row]
    if pn != 0 and dn != 0:
        store_node(mate, key, hand, hand, pn, dn, ZERO, np.int64(0), nodes, np.int64(0))
        return
    move = conclude(rules, position, mate, row, attacking)
    if pn == 0:
        store_node(mate, key, hand, mate.need[row], pn, np.int64(INFINITE), move, mate.length[row], nodes, np.int64(0))
        return
    length = max(limit, np.int64(0)) if mate.cut[row] != 0 else np.int64(FOR_GOOD)
    if mate.dep[row] == ABSOLUTE:
        store_node(mate, key, hand, hand, np.int64(INFINITE), dn, ZERO, length, nodes, np.int64(0))
    else:
        row_on_path = np.uint64(mate.dep[row])
        path = key ^ mate.path[row]
        store_node(mate, path, hand, hand, np.int64(INFINITE), dn, row_on_path, length, nodes, np.int64(0))
        store_node(mate, key, hand, hand, np.int64(1), np.int64(1), ZERO, np.int64(0), nodes, np.int64(1))


@kernel
def visit_child(
    rules: Rules, position: Position, mate: MateState, row: Int, child: Int, pn_limit: Int, dn_limit: Int, limit: Ply
) -> Int:
    """Search a child of the node in `row` until its proof number reaches `pn_limit` or its disproof number reaches
    `dn_limit`. Return the row of the search path that contains the child's result."""
    below = row + 1
    left = limit - 1
    if mate.child_state[child] == STAND_IN:
        below = row + np.int64(USELESS)
        left = limit - np.int64(USELESS)
    mate.board_key[below] = mate.child_key[child]
    mate.hand[below] = mate.child_hand[child]
    mate.path[below] = path_after(position, mate, row)
    mate.start[below] = mate.end[row]
    enter(rules, position, mate, child)
    visit(rules, position, mate, below, pn_limit, dn_limit, left)
    leave(rules, position, mate, child)
    return below


@kernel
def descend(
    rules: Rules, position: Position, mate: MateState, row: Int, pn_limit: Int, dn_limit: Int, limit: Ply
) -> None:
    """Search the child of the node in `row` that `weigh` has selected, and copy its result to the child's fields
    (`mate.child_pn` and others)."""
    child = mate.best[row]
    attacking = position.side == mate.attacker
    above = mate.second[row] + mate.second[row] // np.int64(EPSILON) + 1
    pn_child = min(pn_limit, above) if attacking else pn_limit - mate.others[row]
    dn_child = dn_limit - mate.others[row] if attacking else min(dn_limit, above)
    below = visit_child(rules, position, mate, row, child, pn_child, dn_child, limit)
    if mate.stop != 0:
        return
    mate.child_pn[child] = np.int32(mate.pn[below])
    mate.child_dn[child] = np.int32(mate.dn[below])
    if mate.pn[below] == 0 or mate.dn[below] == 0:
        mate.child_dep[child] = np.int32(mate.dep[below])
        mate.child_length[child] = np.int32(mate.length[below])
        mate.child_cut[child] = np.uint8(mate.cut[below])
        mate.child_need[child] = mate.need[below]
    if mate.child_state[child] == STAND_IN and mate.dn[below] == 0:
        wake(rules, position, mate, row, child, limit)


@entry_point(**MATE_STRUCTS, row=int, pn_limit=int, dn_limit=int, limit=int)
def visit(rules: Rules, position: Position, mate: MateState, row: Int, pn_limit: Int, dn_limit: Int, limit: Ply) -> Int:
    """Search the node in `row` of the search path until its proof number reaches `pn_limit`, its disproof number
    reaches `dn_limit`, or `mate.stop` is set. The mate must come within `limit` plies. Always returns 0."""
    before = mate.nodes
    mate.nodes += 1
    if row > mate.seldepth:
        mate.seldepth = row
    if mate.node_limit != 0 and mate.nodes >= mate.node_limit:
        mate.stop = 1
    look_at_clock(mate, mate.nodes)
    if mate.nodes >= mate.grow_at:
        grow(mate)
    if mate.stop != 0:
        return np.int64(0)
    attacking = position.side == mate.attacker
    if not expand(rules, position, mate, row, limit):
        # There is no room for the children. The result is "no mate", but only for this path, as after a repetition
        # (`dep` 0).
        mate.pn[row] = INFINITE
        mate.dn[row] = 0
        mate.dep[row] = 0
        mate.cut[row] = 0
        return np.int64(0)
    while True:
        weigh(mate, row, attacking)
        if mate.pn[row] >= pn_limit or mate.dn[row] >= dn_limit:
            break
        descend(rules, position, mate, row, pn_limit, dn_limit, limit)
        if mate.stop != 0:
            return np.int64(0)
    remember(rules, position, mate, row, limit, attacking, mate.nodes - before)
    return np.int64(0)


@kernel
def copy_position(position: Position, mate: MateState, source: Address) -> None:
    """Copy the position struct at the address `source` to `position`, which is at the address `mate.copy`. Only the
    plies up to the current one are copied."""
    for part in range(mate.part_count):
        offset = mate.parts[part, 0]
        # `position.ply` is already copied here, because the first part contains it and has no bytes per ply.
        count = mate.parts[part, 1] + mate.parts[part, 2] * (position.ply + ONE)
        copy_bytes(mate.copy + offset, source + offset, count)


@entry_point(**MATE_STRUCTS, source=int, number=int, defending=int, node_limit=int, deadline=int, same_hands=int)
def begin(
    rules: Rules,
    position: Position,
    mate: MateState,
    source: Address,
    number: Int,
    defending: Int,
    node_limit: Int,
    deadline: Int,
    same_hands: Int,
) -> Any:
    """Set up the structs for a new mate search, and return 0. `source` is the address of the position struct to copy.
    `number` distinguishes the table entries of this search from those of other searches. `defending` is 1 if the
    attacker is the side not to move. The other arguments are copied to the fields of `mate` with the same names."""
    copy_position(position, mate, np.uint64(source))
    mate.stop = 0
    mate.node_limit = node_limit
    mate.deadline = deadline
    mate.attacker = position.side ^ np.uint64(defending)
    mate.every_move = 0
    mate.same_hands = same_hands
    begin_small(mate)
    mate.salt = np.uint64(number) * np.uint64(0xD1342543DE82EF95) + np.uint64(0x9E3779B97F4A7C15)
    mate.generation = np.uint64(number % np.int64(255) + 1)
    mate.nodes = 0
    mate.seldepth = 0
    return np.int64(0)


@entry_point(**MATE_STRUCTS, limit=int)
def solve(rules: Rules, position: Position, mate: MateState, limit: Ply) -> Any:
    """Return the number of plies within which the attacker mates, REFUTED if there is no mate within `limit` plies, or
    UNDECIDED if `mate.stop` was set or the search tree did not fit into memory. The children of the root stay in
    `mate`."""
    row = np.int64(ROOT)
    set_check_info(rules, position)
    mate.last_row = min(np.int64(ROWS), np.int64(PLIES - 8) - np.int64(position.ply))
    mate.root_ply = np.int64(position.ply)
    mate.board_key[row] = board_key(rules, position)
    mate.hand[row] = hand_word(rules, position, mate.attacker)
    mate.path[row] = ZERO
    mate.start[row] = 0
    mate.end[row] = 0
    visit(rules, position, mate, row, np.int64(INFINITE), np.int64(INFINITE), limit)
    if mate.stop != 0:
        return np.int64(UNDECIDED)
    if mate.pn[row] == 0:
        return mate.length[row]
    return np.int64(REFUTED) if mate.dep[row] == ABSOLUTE else np.int64(UNDECIDED)
