"""Kernels that compute the values of a tablebase, backwards from the ends of games (retrograde analysis), and find the
number of a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import entry_point, kernel
from kogoma.native.memory import load_byte, store_byte
from kogoma.native.types import Address, Int
from kogoma.rules.layout import position_dtype
from kogoma.rules.types import Position
from kogoma.search.tablebase.dobutsu.index import is_attacked, number_of, set_up, wins_at_once
from kogoma.search.tablebase.dobutsu.tables import (
    FILES,
    GOAL,
    LOSS,
    MIDDLE,
    NO_ENTRY,
    NOT_STORED,
    OTHER,
    SHIFT,
    SQUARES,
    TYPE,
    WIN,
    WINS_AT_ONCE,
    seen_dtype,
    tablebase_dtype,
)
from kogoma.search.transposition import peek
from kogoma.search.types import Seen, Tablebase

WORD = 8  # bytes of a position's number in a list


@kernel
def at(base: Address, number: Int) -> Any:
    """Return the address of a position's byte."""
    return base + np.uint64(number)


# ---- The first pass: positions that end at once, and the number of moves in all others -------------------------------


@entry_point(table=tablebase_dtype, seen=seen_dtype, first=int, last=int)
def tablebase_begin(table: Tablebase, seen: Seen, first: Int, last: Int) -> Any:
    """Set the values and counts of the positions from `first` to `last` - 1, whose bytes must be 0. Return 0."""
    for number in range(first, last):
        set_up(table, seen, number)
        if wins_at_once(table, seen, 0):
            store_byte(at(table.values, number), WIN)
            continue
        moves = count_moves(table, seen)
        store_byte(at(table.counts, number), moves)
        if moves == 0:
            store_byte(at(table.values, number), LOSS)
    return np.int64(0)


@kernel
def count_moves(table: Tablebase, seen: Seen) -> Any:
    """Return how many moves do not lose at once, for a side that cannot win at once."""
    moves = 0
    for s in range(SQUARES):
        code = seen.board[s]
        if code == 0 or code >> SHIFT != 0:
            continue
        is_lion = code == table.lion
        for d in range(SQUARES):
            if not table.reach[0, code, s] >> d & 1:
                continue
            taken = seen.board[d]
            if (taken != 0 and taken >> SHIFT == 0) or (is_lion and d >= GOAL):
                continue  # a lion on its goal is taken, or the side would win at once
            seen.board[s], seen.board[d] = 0, promoted(table, code) if d >= GOAL else code
            if is_lion:
                seen.lion[0] = d
            if not wins_at_once(table, seen, 1):
                moves += 1
            seen.board[s], seen.board[d] = code, taken
        if is_lion:
            seen.lion[0] = s
    if is_attacked(table, seen, seen.lion[0], 1):
        return moves  # no drop protects the lion, because no piece moves further than a square
    for level in range(table.kinds):
        if seen.hand[0, level] == 0:
            continue
        for d in range(SQUARES):
            if seen.board[d] == 0:
                seen.board[d] = table.kind[level, 0]
                if not wins_at_once(table, seen, 1):
                    moves += 1
                seen.board[d] = 0
    return moves


@kernel
def promoted(table: Tablebase, code: Int) -> Any:
    """Return the type of a piece of the side to move after a move to the last rank."""
    level = table.level[code]
    if level >= 0 and table.promoted[code] == 0 and table.sides[level] == 2:
        return table.kind[level, 1]
    return code


# ---- The other passes: from positions with a value to the positions before them --------------------------------------


@entry_point(table=tablebase_dtype, seen=seen_dtype, numbers=int, count=int, value=int)
def tablebase_spread(table: Tablebase, seen: Seen, numbers: Int, count: Int, value: Int) -> Any:
    """Find the values of the positions from which a move leads to one of `count` positions with a value. `numbers` is
    the address of their numbers, 8 bytes each. Return how many values were found."""
    found = 0
    for i in range(count):
        set_up(table, seen, np.int64(peek(np.uint64(numbers + WORD * i))))
        found += spread_back(table, seen, value)
    return found


@kernel
def spread_back(table: Tablebase, seen: Seen, value: Int) -> Any:
    """Take back each move of the side that is not to move, and give the positions before it their values. Return how
    many values were found."""
    found = 0
    for d in range(SQUARES):
        code = seen.board[d]
        if code >> SHIFT == 0:
            continue
        kind = code & TYPE
        level = table.level[kind]
        if level >= 0 and table.promoted[kind] == 0:
            seen.board[d] = 0  # it was dropped
            seen.hand[1, level] += 1
            found += before(table, seen, value)
            seen.hand[1, level] -= 1
            seen.board[d] = code
        if d >= FILES or level < 0 or promoted(table, kind) == kind:
            found += take_back(table, seen, value, d, kind)
        if d < FILES and level >= 0 and table.promoted[kind] == 1:
            found += take_back(table, seen, value, d, table.kind[level, 0])
    return found


@kernel
def take_back(table: Tablebase, seen: Seen, value: Int, d: Int, kind: Int) -> Any:
    """Take back the moves to the square `d` of a piece that was of the type `kind` before, with every piece that it may
    have taken. Return how many values were found."""
    found, code = 0, seen.board[d]
    is_lion = kind == table.lion
    for s in range(SQUARES):
        if not table.reach[0, kind, d] >> s & 1 or seen.board[s] != 0:
            continue  # the other side's steps, reversed, are the steps of the side to move
        if is_lion:
            seen.lion[1] = s
        seen.board[s], seen.board[d] = kind + OTHER, 0
        found += before(table, seen, value)
        for level in range(table.kinds):
            if seen.hand[1, level] > 0:
                seen.hand[1, level] -= 1
                for side in range(table.sides[level]):
                    seen.board[d] = table.kind[level, side]
                    found += before(table, seen, value)
                seen.hand[1, level] += 1
        seen.board[s], seen.board[d] = 0, code
    if is_lion:
        seen.lion[1] = d
    return found


@kernel
def before(table: Tablebase, seen: Seen, value: Int) -> Any:
    """Give a value to the position in which the other side is to move, if it has an entry without one. One of its moves
    leads to a position with the value `value`. Return how many values were found.

    Mirror images with both lions on the middle file have entries of their own. A move from such a position is taken
    back from both of them, if only one entry stands for the position after it. A move to such a position is taken back
    from one of the two entries after it only."""
    first, second = table.views[2, seen.lion[1]], table.views[2, seen.lion[0]]
    is_stored = table.pair[first, second] != NOT_STORED
    if not is_stored and table.pair[table.views[1, first], table.views[1, second]] == NOT_STORED:
        return 0
    if seen.middle != 0:
        return improve(table, number_of(table, seen, 1, 0), value) if is_stored else 0
    found = improve(table, number_of(table, seen, 1, 0 if is_stored else 1), value)
    if first % FILES == MIDDLE and second % FILES == MIDDLE:
        found += improve(table, number_of(table, seen, 1, 1), value)
    return found


@kernel
def improve(table: Tablebase, number: Int, value: Int) -> Any:
    """Use the value of a position after a move: the side to move wins by a move to a lost position, and loses when the
    last of its moves turns out to lose. Return 1 if this gives the position its value, otherwise 0."""
    if load_byte(at(table.values, number)) != 0:
        return 0
    if value & 1:
        moves = load_byte(at(table.counts, number)) - 1
        store_byte(at(table.counts, number), moves)
        if moves != 0:
            return 0
    store_byte(at(table.values, number), value + 1)
    return 1


# ---- The position of a number, and the number of a position ----------------------------------------------------------


@entry_point(table=tablebase_dtype, seen=seen_dtype, number=int)
def tablebase_position(table: Tablebase, seen: Seen, number: Int) -> Any:
    """Set up the position with a number. Return 0."""
    set_up(table, seen, number)
    return np.int64(0)


@entry_point(table=tablebase_dtype, seen=seen_dtype, position=position_dtype)
def tablebase_number(table: Tablebase, seen: Seen, position: Position) -> Any:
    """Return the number of a position that has not ended, WINS_AT_ONCE if its side to move wins at once, or NO_ENTRY if
    that side has a lion on the goal that the other side did not take."""
    turn = np.int64(position.side)
    for s in range(SQUARES):
        code = np.int64(position.board[s])
        square = s if turn == 1 else SQUARES - FILES - s // FILES * FILES + s % FILES
        square = square if turn == 0 else s // FILES * FILES + FILES - 1 - s % FILES
        seen.board[square] = code ^ turn << SHIFT if code != 0 else 0
        if code & TYPE == table.lion:
            seen.lion[code >> SHIFT ^ turn] = square
    for level in range(table.kinds):
        for side in range(2):
            seen.hand[side, level] = np.int64(position.hand[side ^ turn, table.kind[level, 0]])
    if wins_at_once(table, seen, 0):
        return np.int64(WINS_AT_ONCE)
    if table.pair[seen.lion[0], seen.lion[1]] != NOT_STORED:
        return number_of(table, seen, 0, 0)
    if table.pair[table.views[1, seen.lion[0]], table.views[1, seen.lion[1]]] != NOT_STORED:
        return number_of(table, seen, 0, 1)
    return np.int64(NO_ENTRY)
