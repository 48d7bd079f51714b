"""Expectiminimax for variants with a die, with Star1 and Star2, in numbered steps.

A node is a position before the roll. Every legal move belongs to one file (`search.dice.leaf.target_file`), so the
moves of a file are searched once for all faces that allow them. Star1 stops when bounds of the files decide the sum.
Star2 first searches the most promising move of every file, which is often enough (Ballard 1983, see
`search.dice.expectation`). Checks are searched one ply deeper. By default, deeper table entries are used, and
later moves of a file are reduced by a ply; `thread.tt_exact` and `thread.full_depth` switch that off, and the value is
then exactly that of the plain search.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Flag, Int, IntArray, Word
from kogoma.rules.dice.roll import free_choice
from kogoma.rules.layout import TYPE_MASK
from kogoma.rules.make_move import SEEN_MASK, key_after, make, make_towards, running_score, unmake
from kogoma.rules.move_encoding import DROP, ORIGIN_SHIFT, PROMOTION, SQUARE_MASK
from kogoma.rules.movegen import generate
from kogoma.rules.repetition import NO_REPETITION
from kogoma.rules.types import Depth, Move, Ply, Position, Rules, Score
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.expectation import expected, smallest_sum, sum_of_faces, window_high, window_low
from kogoma.search.dice.leaf import NOT_OVER, ended_value, is_leaf, leaf_value, plies_left, stuck_value, target_file
from kogoma.search.dice.table_entries import entry_value, file_key, store_value
from kogoma.search.dice.values import DICE_STRUCTS, FILES
from kogoma.search.history import add_bonus, butterfly_index
from kogoma.search.node import visit_node
from kogoma.search.transposition import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_move,
    is_cutoff,
    prefetch,
    probe,
)
from kogoma.search.types import Thread, Value


@kernel
def ordering_score(rules: Rules, position: Position, thread: Thread, move: Move) -> Score:
    """Return a move's ordering score: how much the move changes the running score in favour of the side to move, plus a
    share of its history score."""
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
    return score + np.int64(thread.history[butterfly_index(rules, us, move)]) // np.int64(8)


@kernel
def sort_by_file(rules: Rules, position: Position, thread: Thread, ply: Ply, count: Int) -> Any:
    """Sort the moves of `thread.list` into `thread.move` by the file of the board on which they end, and within a file
    by ordering score. Return the number of files with moves. If the roll does not matter, all moves count as one
    file."""
    raw = thread.list[ply]
    row = thread.move[ply]
    move_score = thread.move_score[ply]
    first = thread.first[ply]
    end = thread.end[ply]
    file_order = thread.file_order[ply]
    free = free_choice(rules, position)
    for column in range(FILES):
        end[column] = ZERO
    for i in range(count):
        end[ZERO if free else target_file(rules, np.uint64(raw[i]))] += ONE
    files = ZERO
    start = ZERO
    for column in range(FILES):
        first[column] = start
        start += end[column]
        if end[column] != 0:
            # Files with few moves come first, because they narrow the windows of the other files cheaply.
            j = files
            while j > 0 and end[file_order[j - ONE]] > end[column]:
                file_order[j] = file_order[j - ONE]
                j -= ONE
            file_order[j] = column
            files += ONE
    for column in range(FILES):
        end[column] = first[column]
    for i in range(count):
        move = np.uint64(raw[i])
        file = ZERO if free else target_file(rules, move)
        worth = ordering_score(rules, position, thread, move)
        j = end[file]
        while j > first[file] and move_score[j - ONE] < worth:
            row[j] = row[j - ONE]
            move_score[j] = move_score[j - ONE]
            j -= ONE
        row[j] = np.uint16(move)
        move_score[j] = worth
        end[file] += ONE
    return files


@kernel
def put_first(thread: Thread, ply: Ply, column: Int, move: Move) -> None:
    """Move `move` to the front of the list of moves to the board's file `column`, if that list contains it."""
    row = thread.move[ply]
    i = thread.first[ply, column]
    while i < thread.end[ply, column]:
        if np.uint64(row[i]) == move:
            while i > thread.first[ply, column]:
                row[i] = row[i - ONE]
                i -= ONE
            row[i] = np.uint16(move)
            return
        i += ONE


@kernel
def start_of(end: IntArray, file: Int) -> Int:
    """Return the index in `thread.move` at which the moves to the board's file `file` begin. They follow the moves to
    the previous file, which end at `end[file - 1]`."""
    return end[file - ONE] if file > 0 else ZERO


@kernel
def learn(rules: Rules, position: Position, thread: Thread, ply: Ply, file: Int, depth: Depth) -> None:
    """Increase the history of the best move to the board's file `file`, and decrease the history of the moves to this
    file that were searched before it."""
    bonus = min(depth * depth * 16, np.int64(1000))
    best = thread.best[ply, file]
    row = thread.move[ply]
    i = start_of(thread.end[ply], file)
    while i < thread.first[ply, file] and np.uint64(row[i]) != best:
        add_bonus(thread.history, butterfly_index(rules, position.side, np.uint64(row[i])), -bonus)
        i += ONE
    add_bonus(thread.history, butterfly_index(rules, position.side, best), bonus)


@kernel
def past_decides(rules: Rules, position: Position) -> Flag:
    """Return whether the value of the root position may depend on earlier positions of the game, because a repetition
    of one of them could end the game."""
    if rules.repetition_result == NO_REPETITION:
        return False
    if rules.repetition_fold <= 2:
        return True
    for entry in range(position.ply + ONE):
        key = position.key[entry]
        earlier = ZERO
        while position.seen[key & SEEN_MASK] > 1 and earlier < entry:
            if position.key[earlier] == key:
                return True
            earlier += ONE
    return False


@kernel
def serves(position: Position, thread: Thread, data: Word, depth: Depth) -> Flag:
    """Return whether the value of a transposition table entry with this data word may be used in a search of `depth`.
    With `thread.tt_exact`, the entry must have exactly this depth. Otherwise it must be at least as deep, and its
    search, including the check extension of one ply, must end before the last ply of the game."""
    found = entry_depth(data)
    if thread.tt_exact != 0:
        return found == depth
    return found >= depth and found + 1 < plies_left(position, thread)


@entry_point(**DICE_STRUCTS, alpha=int, beta=int, depth=int, ply=int)
def expect(game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth, ply: Ply) -> Value:
    """Return the value of a position before the roll, for the side to move. The value is exact if it is between `alpha`
    and `beta`; otherwise it is a bound."""
    # 1. Count the node. Return if the search is stopped, the game is over or the node is a leaf.
    rules = game.rules
    if visit_node(thread, ply):
        return np.int64(0)
    value = ended_value(rules, position, thread)
    if value != NOT_OVER:
        return value
    if is_leaf(position, depth):
        return leaf_value(game, position, thread, beta, ply)

    # 2. Transposition table, unless the value may depend on the game's length or history.
    key = position.key[position.ply]
    timeless = thread.tt_off == 0 and depth + 1 < plies_left(position, thread) and ply > 0
    tt_move = ZERO
    data = probe(thread, key)
    if data != 0:
        tt_move = entry_move(data)
        if timeless and serves(position, thread, data, depth):
            value = entry_value(data)
            if is_cutoff(entry_bound(data), value, alpha, beta):
                return value

    # 3. Generate the moves, and sort them by file.
    count = np.uint64(thread.root_count)
    if ply > 0:
        count = generate(rules, position, thread.list[ply])
        if count == 0:
            return stuck_value(rules, position, thread)
    files = sort_by_file(rules, position, thread, ply, count)
    row = thread.move[ply]
    first = thread.first[ply]
    end = thread.end[ply]
    lo = thread.lo[ply]
    hi = thread.hi[ply]
    top = thread.top[ply]
    best = thread.best[ply]
    file_order = thread.file_order[ply]

    # 4. Initialise the bounds of each file, from the table if it has an entry.
    for i in range(files):
        file = file_order[i]
        lo[file] = -FULL
        hi[file] = FULL
        top[file] = -FULL - 1
        best[file] = ZERO
        if depth >= 2:
            data = probe(thread, file_key(key, file))
            if data != 0:
                best[file] = entry_move(data)
                if timeless and serves(position, thread, data, depth):
                    if entry_bound(data) != UPPER:
                        lo[file] = entry_value(data)
                    if entry_bound(data) != LOWER:
                        hi[file] = entry_value(data)
            put_first(thread, ply, file, best[file] if best[file] != 0 else tt_move)

    # 5. Search the first move of every file (Star2), then all the other moves (Star1).
    goal = smallest_sum(beta)
    limit = smallest_sum(alpha + 1) - 1
    bound = np.int64(0)
    reduces = depth >= 2 and thread.full_depth == 0
    probing = depth >= 2
    while bound == 0:
        for i in range(files):
            if bound != 0:
                break
            file = file_order[i]
            while first[file] < end[file] and lo[file] < hi[file]:
                low = window_low(hi, file_order, files, file, limit)
                high = window_high(lo, file_order, files, file, goal)
                if low >= hi[file] or high <= lo[file]:
                    break
                low = max(low, lo[file])
                move = np.uint64(row[first[file]])
                next_key = key_after(rules, position, move)
                if depth > 1:
                    prefetch(thread, next_key)
                make_towards(rules, position, move, next_key)
                value = np.int64(FULL)  # exceeds `low`, unless a reduced search fails low
                if reduces and not probing and lo[file] > -FULL:
                    value = -expect(game, position, thread, -low - 1, -low, depth - 2, ply + 1)
                if value > low:
                    value = -expect(game, position, thread, -high, -low, depth - 1, ply + 1)
                unmake(rules, position)
                if thread.stop != 0:
                    return np.int64(0)
                first[file] += ONE
                if value > low:
                    lo[file] = min(value, hi[file])  # `hi` may come from a deeper table entry
                    best[file] = move
                if value >= high:
                    top[file] = FULL
                    break
                top[file] = max(top[file], value)
                if probing:
                    break
            if first[file] == end[file]:
                hi[file] = max(min(hi[file], top[file]), lo[file])
            if sum_of_faces(lo, file_order, files) >= goal:
                bound = np.int64(LOWER)
            elif sum_of_faces(hi, file_order, files) <= limit:
                bound = np.int64(UPPER)
        if bound == 0 and not probing:
            bound = np.int64(EXACT)
        probing = False

    # 6. Update the history, and store the results in the table.
    overall = ZERO
    highest = np.int64(-FULL - 2)
    for i in range(files):
        file = file_order[i]
        if best[file] != 0 and lo[file] > highest:
            highest = lo[file]
            overall = best[file]
        if depth >= 2:
            # Bounds that came from the table are not stored again.
            searched = first[file] > start_of(end, file)
            if timeless and searched and (lo[file] > -FULL or hi[file] < FULL):
                if lo[file] == hi[file]:
                    store_value(thread, file_key(key, file), best[file], lo[file], depth, EXACT)
                elif hi[file] < FULL:
                    store_value(thread, file_key(key, file), best[file], hi[file], depth, UPPER)
                else:
                    store_value(thread, file_key(key, file), best[file], lo[file], depth, LOWER)
            if best[file] != 0:
                learn(rules, position, thread, ply, file, depth)
    value = expected(sum_of_faces(hi if bound == UPPER else lo, file_order, files))
    if timeless:
        store_value(thread, key, overall, value, depth, bound)
    return value


@entry_point(**DICE_STRUCTS, depth=int, rolled=int)
def expectimax(game: Game, position: Position, thread: Thread, depth: Depth, rolled: Int) -> Any:
    """Search the root. If the die has been rolled (`rolled` is not 0), return the best value of the moves in
    `thread.root_move`, which must be those that the roll allows. Otherwise return the value before the roll;
    `thread.root_move` must then hold all legal moves. The best move and its value are written to `thread.root_best` and
    `thread.root_value`, and are valid even if `thread.stop` is set on return."""
    rules = game.rules
    position.score[position.ply] = np.int32(running_score(rules, position))
    thread.tt_off = np.int64(past_decides(rules, position))
    thread.root_best = ZERO
    if rolled == 0:
        for index in range(thread.root_count):
            thread.list[0, index] = thread.root_move[index]
        for file in range(FILES):
            thread.best[0, file] = ZERO
        value = expect(game, position, thread, -FULL - 1, FULL + 1, depth, np.int64(0))
        if thread.stop == 0:
            thread.root_value = -FULL - 1
            for file in range(FILES):
                if thread.best[0, file] != 0 and thread.lo[0, file] > thread.root_value:
                    thread.root_best = thread.best[0, file]
                    thread.root_value = thread.lo[0, file]
        return value
    thread.nodes += 1
    best = np.int64(-FULL - 1)
    row = thread.root_move
    for i in range(thread.root_count):
        move = np.uint64(row[i])
        make(rules, position, move)
        value = -expect(game, position, thread, -FULL - 1, -best, depth - 1, np.int64(1))
        unmake(rules, position)
        if thread.stop != 0:
            return best
        if value > best:
            best = value
            thread.root_best = move
            thread.root_value = value
            j = np.uint64(i)
            while j > 0:
                row[j] = row[j - ONE]
                j -= ONE
            row[ZERO] = np.uint16(move)
    return best
