"""Kernels that compute the values of Onitama's endings, backwards from the ends of games (retrograde analysis).

They see a position as the side that has just moved sees it: this side is "we", and the side to move is "they". The
position before the last move then needs no turning. No side has to pass, because with at most four men it can always
move one of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import entry_point, kernel
from kogoma.native.memory import load_byte, store_byte
from kogoma.native.types import Int
from kogoma.rules.layout import position_dtype
from kogoma.rules.types import Position
from kogoma.search.endings.index import at, lowest, number_of, size, with_gap
from kogoma.search.endings.look_up import value_of
from kogoma.search.endings.tables import (
    ALIGNMENT,
    DISTRIBUTIONS,
    DRAW,
    GOAL,
    LONGEST,
    OPEN,
    SQUARES,
    STOPPED,
    THEIRS,
    UNKNOWN,
    WIN,
    Endings,
    endings_dtype,
)
from kogoma.search.transposition import peek

OURS = (1 << THEIRS) - 1
THEIR_GOAL = 1 << SQUARES - 1 - GOAL
ONES = 0x0101010101010101
SEVENS = 0x7F7F7F7F7F7F7F7F


@kernel
def students_of(table: Endings, board: Int, masters: Int) -> Any:
    """Return our students in the low bits of a word, and theirs from the bit THEIRS on."""
    word = np.int64(peek(table.students + np.uint64(8 * (board % table.states))))
    one, two = table.masters[masters, 0], table.masters[masters, 1]
    low, high = min(one, two), max(one, two)
    ours = with_gap(with_gap(word & OURS, low), high)
    return ours | with_gap(with_gap(word >> THEIRS, low), high) << THEIRS


@entry_point(table=endings_dtype)
def endings_solve(table: Endings) -> Any:
    """Compute all entries. Return what entries without a value mean: DRAW, or UNKNOWN if there are larger distances
    than `longest`. Return STOPPED if `stopped` is set meanwhile. The same is written to `undecided`."""
    table.undecided = STOPPED
    for distribution in range(DISTRIBUTIONS):
        if table.stopped != 0:
            return table.undecided
        begin(table, distribution)
    value, found = WIN, 1
    while found != 0 and value < table.longest:
        found = 0
        for distribution in range(DISTRIBUTIONS):
            if table.stopped != 0:
                return table.undecided
            found += spread(table, distribution, value)
        value += 1
    table.undecided = DRAW if found == 0 else UNKNOWN
    return table.undecided


# ---- The first pass: positions that are won at once, and the number of moves in all others ---------------------------


@kernel
def begin(table: Endings, distribution: Int) -> None:
    """Set the entries of all boards with one distribution of the cards."""
    one, two = table.hand[distribution, 0], table.hand[distribution, 1]
    for board in range(table.boards):
        pair = board // table.states
        ours, theirs = table.masters[pair, 0], table.masters[pair, 1]
        all_theirs = students_of(table, board, pair) >> THEIRS | 1 << theirs
        captures = (table.forward[one, ours] | table.forward[two, ours]) & all_theirs
        steps = (table.backward[one, theirs] | table.backward[two, theirs]) & ~all_theirs
        if captures != 0 or steps & THEIR_GOAL != 0:
            store_byte(at(table, distribution, board), WIN)
            continue
        moves, movers = 0, all_theirs
        while movers != 0:
            square = lowest(movers)
            movers &= movers - 1
            moves += size(table.backward[one, square] & ~all_theirs) + size(table.backward[two, square] & ~all_theirs)
        store_byte(at(table, distribution, board), OPEN - moves)
    for rest in range(table.boards, table.stride):
        store_byte(at(table, distribution, rest), OPEN)


# ---- The other passes: from positions with a value to the positions before them --------------------------------------


@kernel
def spread(table: Endings, distribution: Int, value: Int) -> Any:
    """Find the values of the positions from which a move leads to a position with this distribution of the cards and
    this value. Return how many values were found."""
    found = 0
    wanted = value * ONES
    for word in range(0, table.stride, ALIGNMENT):
        differs = np.int64(peek(at(table, distribution, word))) ^ wanted
        if ~((differs & SEVENS) + SEVENS | differs | SEVENS) == 0:
            continue  # no byte of the word is 0
        for board in range(word, word + ALIGNMENT):
            if load_byte(at(table, distribution, board)) == value:
                found += spread_back(table, distribution, board, value)
    return found


@kernel
def spread_back(table: Endings, distribution: Int, board: Int, value: Int) -> Any:
    """Take back each move that leads to a position, and give the positions before it their values. Return how many
    values were found."""
    pair = board // table.states
    master, their_master = table.masters[pair, 0], table.masters[pair, 1]
    word = students_of(table, board, pair)
    ours, theirs = word & OURS, word >> THEIRS
    all_ours = ours | 1 << master
    everyone = all_ours | theirs | 1 << their_master
    used = table.centre[distribution]
    captures = size(everyone) < table.men
    found, movers = 0, all_ours
    while movers != 0:
        to = lowest(movers)
        movers &= movers - 1
        origins = table.backward[used, to] & ~everyone
        while origins != 0:
            origin = lowest(origins)
            origins &= origins - 1
            master_before = origin if to == master else master
            before = ours if to == master else ours ^ (1 << to | 1 << origin)
            number = number_of(table, master_before, their_master, before, theirs)
            found += improve(table, distribution, number, value)
            if captures:
                number = number_of(table, master_before, their_master, before, theirs | 1 << to)
                found += improve(table, distribution, number, value)
    return found


@kernel
def improve(table: Endings, distribution: Int, board: Int, value: Int) -> Any:
    """Use the value of a position for a board before it, with both distributions that the cards may have had. Return
    how many values were found."""
    if board == UNKNOWN:
        return 0
    found = improve_one(table, table.before[distribution, 0], board, value)
    return found + improve_one(table, table.before[distribution, 1], board, value)


@kernel
def improve_one(table: Endings, distribution: Int, board: Int, value: Int) -> Any:
    """Use the value of a position after a move: the side to move wins by a move to a lost position, and loses when the
    last of its moves turns out to lose. Return 1 if this gives the position its value, otherwise 0."""
    entry = at(table, distribution, board)
    known = load_byte(entry)
    if known <= LONGEST:
        return 0
    if value & 1 and known + 1 != OPEN:
        store_byte(entry, known + 1)
        return 0
    store_byte(entry, value + 1)
    return 1


@entry_point(table=endings_dtype, position=position_dtype)
def endings_value(table: Endings, position: Position) -> Any:
    """Call `look_up.value_of`."""
    return value_of(table, position)
