"""The quiescence search: captures and promotions, checks on its first ply, and all evasions when in check."""

from __future__ import annotations

from typing import Any

import numpy as np

from eval.game import evaluate
from rules.attacks import TYPE_MASK
from rules.game import is_in_check, is_legal, make, unmake
from rules.kernel import entry
from rules.layout import MAX_PLY
from rules.movegen import ZERO
from rules.moves import PROMOTION, SQUARE_MASK
from rules.recursion import recursion
from search.exchange import see_at_least
from search.history import is_tactical, kind_of
from search.node import NOT_ENDED, ended, enter
from search.ordering import QUIESCENCE, TABLE_MOVE, begin, next_move
from search.stack import DECIDED, INFINITE, MATE, RECORDS, UNKNOWN
from search.transposition import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_eval,
    entry_move,
    entry_score,
    prefetch,
    probe,
    remember,
    settles,
)

MARGIN = 300  # a capture whose gain leaves the score this far below alpha is not tried


deeper = recursion("quiesce")
"""`quiesce`, for its own calls."""


@entry(
    **RECORDS,
    alpha=int,
    beta=int,
    depth=int,
    ply=int,
)
def quiesce(rules: Any, weights: Any, position: Any, stack: Any, alpha: Any, beta: Any, depth: Any, ply: Any) -> Any:
    """The score of a position, for the side to move, once captures are played out. `depth` is 0 on the first ply."""
    # 1. Count the node; stop, repetition, length.
    if enter(stack, ply):
        return np.int64(0)
    score = ended(rules, position, stack, ply)
    if score != NOT_ENDED:
        return score
    in_check = is_in_check(position)
    if ply >= MAX_PLY - 1:
        return evaluate(rules, weights, position)

    # 2. The table: checks are searched at depth 0 only, so its entries stand above those below.
    key = position.key[position.ply]
    data = probe(stack, key)
    table_move = ZERO
    wanted = np.int64(0) if depth >= 0 or in_check else np.int64(-1)
    if data != 0:
        score = entry_score(data, ply)
        bound = entry_bound(data)
        if entry_depth(data) >= wanted and settles(bound, score, alpha, beta):
            return score
        table_move = entry_move(data)
        if table_move != 0 and not is_legal(rules, position, table_move):
            table_move = ZERO

    # 3. Stand pat.
    best = np.int64(-INFINITE)
    static_eval = np.int64(UNKNOWN)
    floor = np.int64(-INFINITE)
    if not in_check:
        if data != 0 and entry_eval(data) != UNKNOWN:
            static_eval = entry_eval(data)
        else:
            static_eval = evaluate(rules, weights, position)
        best = static_eval
        if best >= beta:
            if data == 0:
                remember(stack, key, ZERO, best, static_eval, np.int64(-2), LOWER, ply)
            return best
        floor = static_eval + MARGIN
    old_alpha = alpha
    alpha = max(alpha, best)

    # 4. Moves.
    best_move = ZERO
    tried = np.int64(0)
    begin(position, stack, ply, table_move, TABLE_MOVE if in_check else QUIESCENCE)
    while True:
        move = next_move(rules, weights, position, stack, ply, not in_check and depth < 0)
        if move == 0:
            break
        tried += 1
        if best > -DECIDED:
            if not in_check:
                if is_tactical(rules, position, move):
                    gain = weights.exchange[np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK]
                    if move & PROMOTION:
                        gain += weights.promotion_gain[kind_of(position, move)]
                    if floor + gain <= alpha:
                        best = max(best, floor + gain)
                        continue
                if not see_at_least(rules, weights, position, move, np.int64(0)):
                    continue
            elif tried > 3 and not is_tactical(rules, position, move):
                continue
        make(rules, position, move)
        prefetch(stack, position.key[position.ply])
        score = -deeper(rules, weights, position, stack, -beta, -alpha, depth - np.int64(1), ply + np.int64(1))
        unmake(rules, position)
        if stack.stop != 0:
            return np.int64(0)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if score >= beta:
                    break
                alpha = score
    if in_check and tried == 0:
        return -MATE + ply

    # 5. Remember.
    bound = LOWER if best >= beta else (EXACT if best > old_alpha and beta - old_alpha > 1 else UPPER)
    remember(stack, key, best_move, best, static_eval, wanted, bound, ply)
    return best
