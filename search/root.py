"""The root of a search: every move that may be played, with its score and variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.dispatch import is_in_check, make, running_score, unmake
from rules.native.bitboard import ZERO
from rules.native.kernel import entry
from search.alphabeta import reduction, search
from search.history import is_tactical
from search.thread import INFINITE, RECORDS, UNKNOWN
from search.transposition import EXACT, LOWER, UPPER, store


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
    best = np.int64(-INFINITE)
    best_move = ZERO
    old_alpha = alpha
    index = thread.root_first
    while index < thread.root_count:
        thread.root_score[index] = np.int32(-INFINITE)
        index += 1
    index = thread.root_first
    while index < thread.root_count:
        move = np.uint64(thread.root_move[index])
        before = thread.nodes
        tactical = is_tactical(rules, position, move)
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
        index += 1
    if thread.root_first == 0:
        bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
        store(thread, position.key[position.ply], best_move, best, np.int64(UNKNOWN), depth, bound, np.int64(0))
    return best
