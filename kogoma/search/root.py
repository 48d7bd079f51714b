"""The root: its moves in the main thread's order, and what a helper does meanwhile.

Helpers search what the main thread searches, at the same time and in the same window: what one thread has stored, the
others find in the table, and what one is searching, the others put off (`search.marks`). Threads that deepen
each for itself drift apart, and their results no longer fit each other's windows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.clock import now
from kogoma.native.kernel import entry, kernel
from kogoma.rules.dispatch import is_in_check, make, running_score, unmake
from kogoma.search.alphabeta import reduction, search
from kogoma.search.history import TYPE_COUNT, is_tactical
from kogoma.search.marks import give_back, is_taken, take
from kogoma.search.thread import INFINITE, MAX_DEPTH, RECORDS, UNKNOWN, thread_dtype
from kogoma.search.transposition import EXACT, LOWER, UPPER, store


@entry(**RECORDS, alpha=int, beta=int, depth=int)
def search_root(rules: Any, weights: Any, position: Any, thread: Any, alpha: Any, beta: Any, depth: Any) -> Any:
    """The best score of the moves in thread.root_move from root_first on, for the side to move.

    Scores and variations go to the same places of root_score and root_pv; a move that is not better than one before
    it gets -INFINITE. If thread.stop is set on return, the move under way has no score, and the result counts nothing.
    """
    position.score[position.ply] = np.int32(running_score(rules, position))
    thread.root_ply = position.ply
    thread.null_from = np.int64(0)
    thread.pv_length[0] = 0
    thread.static_eval[0] = np.int32(UNKNOWN)
    thread.static_eval[1] = np.int32(UNKNOWN)
    in_check = is_in_check(position)
    thread.nodes += 1
    key = position.key[position.ply]
    best = np.int64(-INFINITE)
    best_move = ZERO
    old_alpha = alpha
    index = thread.root_first
    while index < thread.root_count:
        thread.root_score[index] = np.int32(-INFINITE)
        index += 1
    put_off = np.int64(0)
    turn = thread.root_first
    while turn < thread.root_count + put_off:
        again = turn >= thread.root_count
        index = turn
        if again:
            index = np.int64(thread.put_off[0, turn - thread.root_count])
        turn += 1
        move = np.uint64(thread.root_move[index])
        if index > thread.root_first and not again and is_taken(thread, key, move, depth):
            thread.put_off[0, put_off] = np.uint16(index)
            put_off += 1
            continue
        before = thread.nodes
        tactical = is_tactical(rules, position, move)
        take(thread, key, move, depth)
        make(rules, position, move)
        gives_check = is_in_check(position)
        new_depth = depth - 1
        if gives_check and depth <= 8:
            new_depth += 1
        score = alpha + 1
        one = np.int64(1)
        if index > thread.root_first:
            count = index - thread.root_first + 1
            reduced = new_depth
            if depth >= 3 and count > 3 and not tactical and not gives_check and not in_check:
                reduced = max(one, new_depth - max(np.int64(0), reduction(thread, depth, count) - 1))
            score = -search(rules, weights, position, thread, -alpha - 1, -alpha, reduced, one, 1, 0)
            if score > alpha and reduced < new_depth:
                score = -search(rules, weights, position, thread, -alpha - 1, -alpha, new_depth, one, 1, 0)
        if score > alpha:
            score = -search(rules, weights, position, thread, -beta, -alpha, new_depth, one, 0, 0)
        unmake(rules, position)
        give_back(thread, key, move, depth)
        if thread.stop != 0:
            return best
        thread.root_nodes[index] += thread.nodes - before
        if index == thread.root_first or score > alpha:
            thread.root_score[index] = np.int32(score)
            length = min(thread.pv_length[1], np.int64(len(thread.root_pv[0]) - 2))
            thread.root_pv[index, 0] = np.uint16(move)
            for i in range(length):
                thread.root_pv[index, i + 1] = thread.pv[1, i]
            thread.root_pv[index, length + 1] = np.uint16(0)
        if score > best:
            best = score
            best_move = move
            if score >= beta:
                break
            alpha = max(alpha, score)
    if thread.root_first == 0 and thread.root_restricted == 0:  # the best of some moves is not the position's score
        bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
        store(thread, key, best_move, best, np.int64(UNKNOWN), depth, bound, np.int64(0))
    return best


@kernel
def task_alpha(task: Any) -> Any:
    """The lower end of a task's window."""
    return np.int64(np.int16(task))


@kernel
def task_beta(task: Any) -> Any:
    """The upper end."""
    return np.int64(np.int16(task >> np.int64(16)))


@kernel
def task_depth(task: Any) -> Any:
    """The depth of a task."""
    return (task >> np.int64(32)) & np.int64(255)


@kernel
def learn(rules: Any, thread: Any, leader: Any) -> None:
    """Take over the leader's histories: they decide which moves are reduced, and so how deep an entry is."""
    cells = np.uint64(2) * (rules.types + ONE) * rules.squares
    for i in range(len(leader.history)):
        thread.history[i] = leader.history[i]
    for i in range(np.int64(cells)):
        thread.countermove[i] = leader.countermove[i]
    for i in range(np.int64(cells * TYPE_COUNT)):
        thread.capture_history[i] = leader.capture_history[i]
    for i in range(np.int64(cells * cells)):
        thread.continuation[i] = leader.continuation[i]


@entry(**RECORDS, leader=thread_dtype)
def help_root(rules: Any, weights: Any, position: Any, thread: Any, leader: Any) -> Any:
    """Search what `leader`, the main thread's record, says, until that is stopped or time is up. The status is 0.

    `thread.stop` only breaks off the task under way, since the leader has another one. Where a task is done before the
    leader has done it, the next depth follows. What is found stands in the table.
    """
    task = np.int64(0)
    depth = np.int64(0)
    copied = False  # whether the root moves are those of one task
    while depth < MAX_DEPTH:
        thread.stop = 0
        if leader.stop != 0 or (thread.deadline != 0 and now() >= thread.deadline):
            break
        alpha = np.int64(-INFINITE)
        beta = np.int64(INFINITE)
        depth += 1
        told = leader.task
        if told == 0 and not copied:
            depth -= 1
            continue
        if told != 0 and told != task:
            thread.root_first = leader.root_first
            for i in range(leader.root_count):
                thread.root_move[i] = leader.root_move[i]
            learn(rules, thread, leader)
            copied = leader.task == told
            if not copied:
                # The leader has gone on meanwhile: some root moves may be there twice, and others not at all.
                task = np.int64(0)
                depth -= 1
                continue
            task = told
            depth = task_depth(task)
            alpha = task_alpha(task)
            beta = task_beta(task)
        search_root(rules, weights, position, thread, alpha, beta, depth)
        if thread.stop != 0:
            task = np.int64(0)
    return 0
