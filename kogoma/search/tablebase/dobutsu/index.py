"""Kernels that number a position and set up the position with a number (`search.tablebase.dobutsu.tables`)."""

from __future__ import annotations

from typing import Any

from kogoma.native.kernel import kernel
from kogoma.native.types import Flag, Int
from kogoma.search.tablebase.dobutsu.tables import FILES, FREE, GOAL, MIDDLE, OTHER, SHIFT, SQUARES, TYPE
from kogoma.search.types import Seen, Tablebase


@kernel
def number_of(table: Tablebase, seen: Seen, side: Int, mirrored: Int) -> Any:
    """Return the number of a position, in which `side` is to move, or of its mirror image (`mirrored` is 1). Its lions
    must be on squares that have a number."""
    view = 2 * side + mirrored
    first, second = table.views[view, seen.lion[side]], table.views[view, seen.lion[1 - side]]
    free = FREE
    number = table.pair[first, second] * table.sizes[0, free]
    for level in range(table.kinds):
        slot, count, i, j, a, b = 0, 0, 0, 0, 0, 0
        for s in range(SQUARES):
            code = seen.board[table.views[view, s]]
            if code == 0:
                slot += 1
                continue
            kind = table.level[code & TYPE]
            if kind == level:
                a, b = b, (code >> SHIFT ^ side) * table.sides[level] + table.promoted[code & TYPE]
                i, j = j, slot
                count += 1
            if kind >= level:
                slot += 1
        ways = 2 * table.sides[level]
        whole, less = table.sizes[level + 1, free], table.sizes[level + 1, free - 1]
        if count == 0:
            number += seen.hand[side, level] * whole
        elif count == 1:
            number += 3 * whole + ((seen.hand[side, level] * ways + b) * free + j) * less
        else:
            state = ((j * (j - 1) // 2 + i) * ways + a) * ways + b
            number += 3 * whole + 2 * ways * free * less + state * table.sizes[level + 1, free - 2]
        free -= count
    return number


@kernel
def set_up(table: Tablebase, seen: Seen, number: Int) -> None:
    """Set up the position with a number."""
    size = table.sizes[0, FREE]
    pair = number // size
    number -= pair * size
    for s in range(SQUARES):
        seen.board[s] = 0
    for side in range(2):
        seen.lion[side] = table.lions[pair, side]
        seen.board[seen.lion[side]] = table.lion + OTHER * side
    seen.middle = 1 if seen.lion[0] % FILES == MIDDLE and seen.lion[1] % FILES == MIDDLE else 0
    free = FREE
    for level in range(table.kinds):
        ways = 2 * table.sides[level]
        whole, less = table.sizes[level + 1, free], table.sizes[level + 1, free - 1]
        if number < 3 * whole:
            hand = number // whole
            number -= hand * whole
            seen.hand[0, level], seen.hand[1, level] = hand, 2 - hand
            continue
        number -= 3 * whole
        if number < 2 * ways * free * less:
            state = number // less
            number -= state * less
            rest = state // free
            hand = rest // ways
            seen.hand[0, level], seen.hand[1, level] = hand, 1 - hand
            put(table, seen, level, state - rest * free, rest - hand * ways)
            free -= 1
            continue
        number -= 2 * ways * free * less
        least = table.sizes[level + 1, free - 2]
        state = number // least
        number -= state * least
        rest = state // ways
        squares = rest // ways
        j = 1
        while j * (j + 1) // 2 <= squares:
            j += 1
        seen.hand[0, level], seen.hand[1, level] = 0, 0
        put(table, seen, level, j, state - rest * ways)  # the higher square first: it does not change the lower number
        put(table, seen, level, squares - j * (j - 1) // 2, rest - squares * ways)
        free -= 2


@kernel
def put(table: Tablebase, seen: Seen, level: Int, slot: Int, way: Int) -> None:
    """Put a piece on the empty square number `slot`. `way` tells its owner and whether it is promoted."""
    sides = table.sides[level]
    owner = way // sides
    for s in range(SQUARES):
        if seen.board[s] == 0:
            if slot == 0:
                seen.board[s] = table.kind[level, way - owner * sides] + OTHER * owner
                return
            slot -= 1


@kernel
def is_attacked(table: Tablebase, seen: Seen, square: Int, by: Int) -> Flag:
    """Return whether a piece of the side `by` attacks a square."""
    near = table.reach[0, table.lion, square]  # lions step to all neighbours, and no piece steps further
    for s in range(SQUARES):
        if near >> s & 1:
            code = seen.board[s]
            if code != 0 and code >> SHIFT == by and table.reach[by, code & TYPE, s] >> square & 1:
                return True
    return False


@kernel
def wins_at_once(table: Tablebase, seen: Seen, side: Int) -> Flag:
    """Return whether a side, if it is to move, takes the lion or reaches the goal with its own where nothing attacks
    it."""
    if is_attacked(table, seen, seen.lion[1 - side], side):
        return True
    lion = seen.lion[side]
    first = GOAL if side == 0 else 0
    for s in range(first, first + FILES):
        if table.reach[side, table.lion, lion] >> s & 1:
            code = seen.board[s]
            if (code == 0 or code >> SHIFT != side) and not is_attacked(table, seen, s, 1 - side):
                return True
    return False
