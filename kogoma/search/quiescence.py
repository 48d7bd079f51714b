"""Quiescence search: captures and promotions, checks on the first ply, and all evasions in check."""

from __future__ import annotations

import numpy as np

from kogoma.eval.entry_points import evaluate
from kogoma.eval.types import Game
from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import entry_point
from kogoma.rules.dispatch import is_in_check, is_legal, key_after, make_towards, unmake
from kogoma.rules.layout import MAX_PLY, TYPE_MASK
from kogoma.rules.move_encoding import PROMOTION, SQUARE_MASK
from kogoma.rules.types import Depth, Ply, Position, Score
from kogoma.search.history import is_tactical, moved_type
from kogoma.search.node import NOT_TERMINAL, score_without_move, terminal_score, visit_node
from kogoma.search.ordering import QUIESCENCE, TT_MOVE, next_move, start_picking
from kogoma.search.see import see_at_least
from kogoma.search.thread import DECIDED, INFINITE, STRUCTS, UNKNOWN
from kogoma.search.transposition import (
    EXACT,
    LOWER,
    UPPER,
    entry_bound,
    entry_depth,
    entry_eval,
    entry_move,
    entry_score,
    is_cutoff,
    prefetch,
    probe,
    store,
)
from kogoma.search.types import Thread


@entry_point(**STRUCTS, alpha=int, beta=int, depth=int, ply=int)
def quiesce(game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth, ply: Ply) -> Score:
    """Return the score of a position for the side to move, after captures and other forcing moves have been played out.
    `depth` is 0 on the first ply and decreases by 1 with every further ply."""
    # 1. Count the node. Return if the search is stopped, the game is over or the line is too long.
    rules = game.rules
    if visit_node(thread, ply):
        return np.int64(0)
    score = terminal_score(rules, position, thread, ply)
    if score != NOT_TERMINAL:
        return score
    in_check = is_in_check(position)
    if ply >= MAX_PLY - 1:
        return evaluate(game, position)

    # 2. Transposition table. A search of depth 0 includes checks, so an entry of depth -1 is not enough for it.
    key = position.key[position.ply]
    data = probe(thread, key)
    tt_move = ZERO
    wanted = np.int64(0) if depth >= 0 or in_check else np.int64(-1)
    tt_score = np.int64(UNKNOWN)
    tt_bound = np.int64(0)
    if data != 0:
        tt_score = entry_score(data, ply)
        tt_bound = entry_bound(data)
        if entry_depth(data) >= wanted and is_cutoff(tt_bound, tt_score, alpha, beta):
            return tt_score
        tt_move = entry_move(data)
        if tt_move != 0:
            if is_legal(rules, position, tt_move):
                prefetch(thread, key_after(rules, position, tt_move))
            else:
                tt_move = ZERO

    # 3. Stand pat, with the score of the table entry if that refines the static evaluation.
    best = np.int64(-INFINITE)
    static_eval = np.int64(UNKNOWN)
    floor = np.int64(-INFINITE)
    if not in_check:
        if data != 0 and entry_eval(data) != UNKNOWN:
            static_eval = entry_eval(data)
        else:
            static_eval = evaluate(game, position)
        best = static_eval
        if abs(tt_score) < DECIDED and tt_bound & (LOWER if tt_score > static_eval else UPPER):
            best = tt_score
        if best >= beta:
            if data == 0:
                store(thread, key, ZERO, best, static_eval, np.int64(-2), LOWER, ply)
            return best
        floor = static_eval + thread.delta  # delta pruning
    old_alpha = alpha
    alpha = max(alpha, best)

    # 4. Moves.
    best_move = ZERO
    tried = np.int64(0)
    frame = thread.stack[ply]
    start_picking(frame, tt_move, TT_MOVE if in_check else QUIESCENCE)
    while True:
        move = next_move(game, position, thread, frame, not in_check and depth < 0)
        if move == 0:
            break
        tried += 1
        # Prefetch early, so that the table entry arrives in time.
        next_key = key_after(rules, position, move)
        prefetch(thread, next_key)
        if best > -DECIDED:
            if not in_check:
                if is_tactical(rules, position, move):
                    gain = game.weights.exchange[np.uint64(position.board[move & SQUARE_MASK]) & TYPE_MASK]
                    if move & PROMOTION:
                        gain += game.weights.promotion_gain[moved_type(position, move)]
                    if floor + gain <= alpha:
                        best = max(best, floor + gain)
                        continue
                if not see_at_least(game, position, move, np.int64(0)):
                    continue
            elif tried > 3 and not is_tactical(rules, position, move):
                continue
        make_towards(rules, position, move, next_key)
        score = -quiesce(game, position, thread, -beta, -alpha, depth - np.int64(1), ply + np.int64(1))
        unmake(rules, position)
        if thread.stop != 0:
            return np.int64(0)
        if score > best:
            best = score
            if score > alpha:
                best_move = move
                if score >= beta:
                    break
                alpha = score
    if in_check and tried == 0:
        return score_without_move(rules, position, thread, ply)

    # 5. Store the result in the table.
    bound = LOWER if best >= beta else (EXACT if best > old_alpha and beta - old_alpha > 1 else UPPER)
    store(thread, key, best_move, best, static_eval, wanted, bound, ply)
    return best
