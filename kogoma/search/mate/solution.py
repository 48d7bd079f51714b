"""Reconstruct the solution of a mate move by move, searching again where the table has lost an entry."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int
from kogoma.rules.dispatch import count_legal, make, unmake
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.types import Ply, Position, Rules
from kogoma.search.mate.dfpn import solve, visit_child
from kogoma.search.mate.expand import USELESS
from kogoma.search.mate.game import board_key, hand_word
from kogoma.search.mate.state import ASLEEP, AWAKE, INFINITE, MATE_STRUCTS, ROOT, ROWS, STAND_IN, USELESS_SHIFT
from kogoma.search.mate.table import find, length_at, move_at, proof_number
from kogoma.search.types import MateState


@kernel
def fastest(mate: MateState) -> Any:
    """Return the index of the root's child that leads to the shortest known mate, or -1 if there is none. The attacker
    is to move."""
    best = np.int64(-1)
    for child in range(mate.start[ROOT], mate.end[ROOT]):
        if mate.child_state[child] == AWAKE and mate.child_pn[child] == 0:
            if best < 0 or mate.child_length[child] < mate.child_length[best]:
                best = np.int64(child)
    return best


@kernel
def longest(mate: MateState, state: Int) -> Int:
    """Return the index of the root's child that has the given `child_state` and leads to the longest mate, or -1 if
    there is none. The defender is to move."""
    best = np.int64(-1)
    for child in range(mate.start[ROOT], mate.end[ROOT]):
        if mate.child_state[child] == state and (best < 0 or mate.child_length[child] > mate.child_length[best]):
            best = np.int64(child)
    return best


@kernel
def only_between(mate: MateState) -> Flag:
    """Return whether every reply of the defender at the root is an interposition that the checker can capture."""
    for child in range(mate.start[ROOT], mate.end[ROOT]):
        if mate.child_state[child] == AWAKE and mate.child_group[child] == 0:
            return False
    return True


@kernel
def hasten(rules: Rules, position: Position, mate: MateState, real: Int) -> None:
    """Shorten the mates after stand-ins, which are children of the root that each represent several interpositions.
    `real` is the best other reply. As long as a stand-in delays the mate longer than `real` does, search it again for a
    shorter mate."""
    base = np.int64(mate.child_length[real]) + 1
    while mate.stop == 0:
        child = longest(mate, STAND_IN)
        if child < 0 or mate.child_length[child] <= base:
            return
        plies = base + np.int64(USELESS)
        below = visit_child(rules, position, mate, np.int64(ROOT), child, INFINITE, INFINITE, plies)
        if mate.stop != 0 or mate.pn[below] != 0:
            return
        mate.child_length[child] = np.int32(mate.length[below])


@kernel
def defence(rules: Rules, position: Position, mate: MateState, exact: Int) -> Any:
    """Return the index of the root's child with the longest mate, leaving out useless interpositions. An interposition
    is useless if the checking piece captures it and it delays the mate by at most two plies, its own and that of the
    capture, compared with the best other reply. `exact` is explained in `solution`."""
    real = longest(mate, AWAKE)
    if exact != 0 and real >= 0:
        hasten(rules, position, mate, real)
    stand_in = longest(mate, STAND_IN)
    if stand_in < 0 or (real >= 0 and mate.child_length[stand_in] <= mate.child_length[real] + 1):
        return real
    child = mate.start[ROOT]
    while mate.child_state[child] != ASLEEP or mate.child_group[child] != mate.child_group[stand_in]:
        child += 1
    mate.child_length[child] = np.int32(mate.child_length[stand_in] + 1)
    return child


@entry_point(**MATE_STRUCTS, limit=int, exact=int)
def solution(rules: Rules, position: Position, mate: MateState, limit: Ply, exact: Int) -> Int:
    """Write the moves of a mate against the longest defence into `mate.line`. There must be a mate within `limit`
    plies. Return 0 if the search was stopped. Otherwise the low USELESS_SHIFT bits of the result are the number of
    moves, and the higher bits say how many of the last moves are useless interpositions and their captures. If `exact`
    is true, interpositions that seem to delay the mate longer are searched again, to show that they are useless."""
    count = np.int64(0)
    useless = np.int64(0)
    mated = False
    solved = mate.pn[ROOT] == 0 and mate.length[ROOT] <= limit  # the root's children are still in `mate`
    while not mated and count < ROWS:
        attacking = position.side == mate.attacker
        slot = ZERO
        if attacking and not solved:
            slot = find(mate, board_key(rules, position), hand_word(rules, position, mate.attacker), limit)
        if slot != 0 and proof_number(slot) == 0:
            move = move_at(slot)
            limit = length_at(slot) - 1
        elif solved or solve(rules, position, mate, limit) >= 0:
            child = fastest(mate) if attacking else defence(rules, position, mate, exact)
            move = np.uint64(mate.child_move[child])
            limit = np.int64(mate.child_length[child])
        else:
            break
        if not attacking:
            useless = useless + 1 if only_between(mate) else np.int64(0)
        elif useless > 0:
            before = np.uint64(mate.line[count - 1])
            useless = useless + 1 if (move ^ before) & SQUARE_MASK == 0 else np.int64(0)
        mate.line[count] = np.uint16(move)
        count += 1
        make(rules, position, move)
        mated = attacking and count_legal(rules, position) == 0
        solved = False
    left = count
    while left > 0:
        unmake(rules, position)
        left -= 1
    return count | useless << np.int64(USELESS_SHIFT) if mated else np.int64(0)
