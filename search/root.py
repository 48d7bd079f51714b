"""The root of a search: every move that may be played, with its score and variation."""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.game import is_in_check, make, running_score, unmake
from rules.kernel import entry
from rules.movegen import ZERO
from search.alphabeta import below, reduction
from search.history import is_tactical
from search.stack import INFINITE, RECORDS, UNKNOWN
from search.transposition import EXACT, LOWER, UPPER, remember


@entry(**RECORDS, alpha=int, beta=int, depth=int)
def search_root(rules: Any, weights: Any, position: Any, stack: Any, alpha: Any, beta: Any, depth: Any) -> Any:
    """The best score of the moves in stack.root_move from root_first on, for the side to move.

    Scores and variations go to the same places of root_score and root_pv; a move that is not better than one before
    it gets -INFINITE. If stack.stop is set on return, the move under way has no score, and the result counts nothing.
    """
    position.score[position.ply] = np.int32(running_score(rules, position))
    stack.root_ply = position.ply
    stack.null_from = np.int64(0)
    stack.pv_length[0] = 0
    stack.static_eval[0] = np.int32(UNKNOWN)
    stack.static_eval[1] = np.int32(UNKNOWN)
    in_check = is_in_check(position)
    stack.nodes += 1
    best = np.int64(-INFINITE)
    best_move = ZERO
    old_alpha = alpha
    index = stack.root_first
    while index < stack.root_count:
        stack.root_score[index] = np.int32(-INFINITE)
        index += 1
    index = stack.root_first
    while index < stack.root_count:
        move = np.uint64(stack.root_move[index])
        before = stack.nodes
        tactical = is_tactical(rules, position, move)
        make(rules, position, move)
        gives_check = is_in_check(position)
        new_depth = depth - 1
        if gives_check and depth <= 8:
            new_depth += 1
        score = alpha + 1
        one = np.int64(1)
        if index > stack.root_first:
            count = index - stack.root_first + 1
            reduced = new_depth
            if depth >= 3 and count > 3 and not tactical and not gives_check and not in_check:
                reduced = max(one, new_depth - max(np.int64(0), reduction(stack, depth, count) - 1))
            score = -below(rules, weights, position, stack, -alpha - 1, -alpha, reduced, one, 1, 0)
            if score > alpha and reduced < new_depth:
                score = -below(rules, weights, position, stack, -alpha - 1, -alpha, new_depth, one, 1, 0)
        if score > alpha:
            score = -below(rules, weights, position, stack, -beta, -alpha, new_depth, one, 0, 0)
        unmake(rules, position)
        if stack.stop != 0:
            return best
        stack.root_nodes[index] += stack.nodes - before
        if index == stack.root_first or score > alpha:
            stack.root_score[index] = np.int32(score)
            length = min(stack.pv_length[1], np.int64(len(stack.root_pv[0]) - 2))
            stack.root_pv[index, 0] = np.uint16(move)
            for i in range(length):
                stack.root_pv[index, i + 1] = stack.pv[1, i]
            stack.root_pv[index, length + 1] = np.uint16(0)
        if score > best:
            best = score
            best_move = move
            if score >= beta:
                break
            alpha = max(alpha, score)
        index += 1
    if stack.root_first == 0:
        bound = LOWER if best >= beta else (EXACT if best > old_alpha else UPPER)
        remember(stack, position.key[position.ply], best_move, best, np.int64(UNKNOWN), depth, bound, np.int64(0))
    return best
