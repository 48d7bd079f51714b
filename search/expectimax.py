"""The search of dice games: expectiminimax with Star1 and Star2, in numbered steps.

A node is a position before its throw. Every legal move belongs to one file, so the moves of a file are searched once
for all faces that allow them. Star1 stops when bounds of the files decide the sum; Star2 first tries the most
promising move of every file, which is often enough (Ballard, "The *-Minimax Search Procedure for Trees Containing
Chance Nodes", 1983). The table is used at equal depth alone: the value is that of the plain search, to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.attacks import ONE, TYPE_MASK
from rules.kernel import entry, kernel
from rules.make_move import make, running_score, unmake
from rules.movegen import ZERO, generate
from rules.moves import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from rules.recursion import recursion
from rules.throw import free_choice
from search.chance import CHANCE_RECORDS, FILES, FULL
from search.chance_table import entry_value, file_key, keep
from search.expectation import at_least, expected, sum_of, window_high, window_low
from search.history import butterfly, pull
from search.leaf import NOT_OVER, leaf_value, plies_left, repeated_value, stuck_value
from search.node import enter
from search.transposition import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    prefetch,
    probe,
    settles,
)

below = recursion("expect")
"""`expect`, for its own calls."""


@kernel
def promise(rules: Any, position: Any, stack: Any, move: Any) -> Any:
    """What a move adds to the running score, and how it did elsewhere."""
    us = position.side
    to = move & SQUARE_MASK
    origin = (move >> ORIGIN_SHIFT) & SQUARE_MASK
    if move & DROP:
        held = np.uint64(position.hand[us, rules.hand_type[origin]])
        score = np.int64(rules.term[us, to, origin]) - np.int64(rules.term_hand[us, rules.hand_type[origin], held])
    else:
        kind = np.uint64(position.board[origin]) & TYPE_MASK
        captured = np.uint64(position.board[to]) & TYPE_MASK
        score = -np.int64(rules.term[us, origin, kind])
        if captured != 0:
            base = rules.hand_type[captured]
            held = np.uint64(position.hand[us, base]) + ONE
            score += np.int64(rules.term_hand[us, base, held]) - np.int64(rules.term[us ^ ONE, to, captured])
        if move & PROMOTION:
            kind = rules.promoted[kind]
        score += np.int64(rules.term[us, to, kind])
    if us != 0:
        score = -score
    return score + np.int64(stack.history[butterfly(rules, us, move)]) // np.int64(8)


@kernel
def sort_by_file(rules: Any, position: Any, stack: Any, ply: Any, count: Any) -> Any:
    """Put the moves of stack.list into stack.move, file by file, the most promising of each first; how many files
    have moves. Where the throw does not matter, all moves make one file."""
    raw = stack.list[ply]
    row = stack.move[ply]
    order = stack.order[ply]
    first = stack.first[ply]
    end = stack.end[ply]
    turn = stack.turn[ply]
    columns = rules.files
    if free_choice(rules, position):
        columns = ONE
    column = ZERO
    while column < columns:
        end[column] = ZERO
        column += ONE
    i = ZERO
    while i < count:
        end[(np.uint64(raw[i]) & SQUARE_MASK) % columns] += ONE
        i += ONE
    files = ZERO
    start = ZERO
    column = ZERO
    while column < columns:
        first[column] = start
        start += end[column]
        if end[column] != 0:
            # Files with few moves first: the windows get narrower from file to file.
            j = files
            while j > 0 and end[turn[j - ONE]] > end[column]:
                turn[j] = turn[j - ONE]
                j -= ONE
            turn[j] = column
            files += ONE
        column += ONE
    column = ZERO
    while column < columns:
        end[column] = first[column]
        column += ONE
    i = ZERO
    while i < count:
        move = np.uint64(raw[i])
        column = (move & SQUARE_MASK) % columns
        worth = promise(rules, position, stack, move)
        j = end[column]
        while j > first[column] and order[j - ONE] < worth:
            row[j] = row[j - ONE]
            order[j] = order[j - ONE]
            j -= ONE
        row[j] = np.uint16(move)
        order[j] = worth
        end[column] += ONE
        i += ONE
    return files


@kernel
def put_first(stack: Any, ply: Any, column: Any, move: Any) -> None:
    """Bring a move to the front of its file, if it is there."""
    row = stack.move[ply]
    i = stack.first[ply, column]
    while i < stack.end[ply, column]:
        if np.uint64(row[i]) == move:
            while i > stack.first[ply, column]:
                row[i] = row[i - ONE]
                i -= ONE
            row[i] = np.uint16(move)
            return
        i += ONE


@entry(**CHANCE_RECORDS, alpha=int, beta=int, depth=int, ply=int)
def expect(rules: Any, weights: Any, position: Any, stack: Any, alpha: Any, beta: Any, depth: Any, ply: Any) -> Any:
    """The value of a position before the throw, for the side to move: exact between alpha and beta, otherwise a bound
    on their side."""
    # 1. Count the node; stop; games that are over; leaves.
    if enter(stack, ply):
        return np.int64(0)
    value = repeated_value(rules, position, stack)
    if value != NOT_OVER:
        return value
    if depth <= 0:
        return leaf_value(rules, weights, position, stack)

    # 2. The table. Values that the game's length or its past may change are left out.
    key = position.key[position.ply]
    timeless = stack.table_off == 0 and depth < plies_left(position, stack) and ply > 0
    table_move = ZERO
    data = probe(stack, key)
    if data != 0:
        table_move = entry_move(data)
        if timeless and entry_depth(data) == depth:
            value = entry_value(data)
            if settles(entry_bound(data), value, alpha, beta):
                return value

    # 3. The moves, file by file.
    count = stack.root_count
    if ply > 0:
        count = generate(rules, position, stack.list[ply])
        if count == 0:
            return stuck_value(rules, position)
        if plies_left(position, stack) <= 0:
            return stack.draw_value[position.side]
    files = sort_by_file(rules, position, stack, ply, count)
    row = stack.move[ply]
    first = stack.first[ply]
    end = stack.end[ply]
    lo = stack.lo[ply]
    hi = stack.hi[ply]
    top = stack.top[ply]
    best = stack.best[ply]
    turn = stack.turn[ply]

    # 4. What the table knows about each file.
    i = ZERO
    while i < files:
        file = turn[i]
        lo[file] = -FULL
        hi[file] = FULL
        top[file] = -FULL - 1
        best[file] = ZERO
        if depth >= 2:
            data = probe(stack, file_key(key, file))
            if data != 0:
                best[file] = entry_move(data)
                if timeless and entry_depth(data) == depth:
                    if entry_bound(data) != UPPER:
                        lo[file] = entry_value(data)
                    if entry_bound(data) != LOWER:
                        hi[file] = entry_value(data)
            put_first(stack, ply, file, best[file] if best[file] != 0 else table_move)
        i += ONE

    # 5. Star2, then Star1: the first move of every file, then all the others.
    goal = at_least(beta)
    limit = at_least(alpha + 1) - 1
    bound = np.int64(0)
    probing = depth >= 2
    while bound == 0:
        i = ZERO
        while i < files and bound == 0:
            file = turn[i]
            while first[file] < end[file] and lo[file] < hi[file]:
                low = window_low(hi, turn, files, file, limit)
                high = window_high(lo, turn, files, file, goal)
                if low >= hi[file] or high <= lo[file]:
                    break
                low = max(low, lo[file])
                move = np.uint64(row[first[file]])
                make(rules, position, move)
                if depth > 1:
                    prefetch(stack, position.key[position.ply])
                value = -below(rules, weights, position, stack, -high, -low, depth - 1, ply + 1)
                unmake(rules, position)
                if stack.stop != 0:
                    return np.int64(0)
                first[file] += ONE
                if value > low:
                    lo[file] = value
                    best[file] = move
                if value >= high:
                    top[file] = FULL
                    break
                top[file] = max(top[file], value)
                if probing:
                    break
            if first[file] == end[file]:
                hi[file] = min(hi[file], top[file])
            if sum_of(lo, turn, files) >= goal:
                bound = np.int64(LOWER)
            elif sum_of(hi, turn, files) <= limit:
                bound = np.int64(UPPER)
            i += ONE
        if bound == 0 and not probing:
            bound = np.int64(EXACT)
        probing = False

    # 6. Learn and remember.
    overall = ZERO
    highest = np.int64(-FULL - 2)
    i = ZERO
    while i < files:
        file = turn[i]
        if best[file] != 0 and lo[file] > highest:
            highest = lo[file]
            overall = best[file]
        if depth >= 2:
            if timeless and (lo[file] > -FULL or hi[file] < FULL):
                if lo[file] == hi[file]:
                    keep(stack, file_key(key, file), best[file], lo[file], depth, EXACT)
                elif hi[file] < FULL:
                    keep(stack, file_key(key, file), best[file], hi[file], depth, UPPER)
                else:
                    keep(stack, file_key(key, file), best[file], lo[file], depth, LOWER)
            if best[file] != 0:
                pull(
                    stack.history, butterfly(rules, position.side, best[file]), min(depth * depth * 16, np.int64(1000))
                )
        i += ONE
    value = expected(sum_of(hi if bound == UPPER else lo, turn, files))
    if timeless:
        keep(stack, key, overall, value, depth, bound)
    return value


@entry(**CHANCE_RECORDS, depth=int, thrown=int)
def expectimax(rules: Any, weights: Any, position: Any, stack: Any, depth: Any, thrown: Any) -> Any:
    """The best value of the moves in stack.root_move, which are those that the throw allows; where it is not
    `thrown` yet, the value before the throw, if these were all moves.

    stack.root_best and root_value are the best move and what it is worth: so far, if stack.stop is set on return.
    """
    position.score[position.ply] = np.int32(running_score(rules, position))
    stack.root_best = ZERO
    if thrown == 0:
        for index in range(stack.root_count):
            stack.list[0, index] = stack.root_move[index]
        for file in range(FILES):
            stack.best[0, file] = ZERO
        value = below(rules, weights, position, stack, -FULL - 1, FULL + 1, depth, np.int64(0))
        if stack.stop == 0:
            stack.root_value = -FULL - 1
            for file in range(FILES):
                if stack.best[0, file] != 0 and stack.lo[0, file] > stack.root_value:
                    stack.root_best = stack.best[0, file]
                    stack.root_value = stack.lo[0, file]
        return value
    stack.nodes += 1
    best = np.int64(-FULL - 1)
    row = stack.root_move
    i = ZERO
    while i < stack.root_count:
        move = np.uint64(row[i])
        make(rules, position, move)
        value = -below(rules, weights, position, stack, -FULL - 1, -best, depth - 1, np.int64(1))
        unmake(rules, position)
        if stack.stop != 0:
            return best
        if value > best:
            best = value
            stack.root_best = move
            stack.root_value = value
            j = i
            while j > 0:
                row[j] = row[j - ONE]
                j -= ONE
            row[ZERO] = np.uint16(move)
        i += ONE
    return best
