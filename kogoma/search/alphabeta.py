"""The search: a principal variation search. `node` is a sequence of numbered steps, and also searches the root.

Scores are centipawns for the side to move; beyond DECIDED they count plies to a mate or to a win by repetition.
docs/architecture.md names the techniques.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.entry_points import evaluate
from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE, TWO, ZERO
from kogoma.native.kernel import entry_point, inlined
from kogoma.native.types import Flag, Int
from kogoma.rules.dispatch import (
    checks_directly,
    is_in_check,
    is_legal,
    is_placing,
    is_stalemate,
    key_after,
    make_null,
    make_towards,
    mate_in_one,
    running_score,
    unmake,
    unmake_null,
)
from kogoma.rules.layout import MAX_PLY
from kogoma.rules.types import Depth, Move, Ply, Position, Score
from kogoma.search.abdada import give_back, is_taken, take
from kogoma.search.history import continuation_row, is_tactical, quiet_score, update_history
from kogoma.search.node import NOT_TERMINAL, extend_pv, score_without_move, terminal_score, visit_node
from kogoma.search.ordering import GOOD_CHECK, GOOD_TACTICAL, LOSING, TT_MOVE, next_move, start_picking
from kogoma.search.quiescence import quiesce
from kogoma.search.see import see_at_least
from kogoma.search.thread import DECIDED, INFINITE, MATE, REDUCTIONS, STRUCTS, UNKNOWN
from kogoma.search.transposition import (
    EXACT,
    LOWER,
    PROVEN,
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


@inlined
def reduction(thread: Thread, depth: Depth, count: Int) -> Any:
    """Return by how much to reduce move number `count`, counted from 1, of a node with `depth` plies left (late move
    reduction), in 1/1024 ply."""
    last = np.int64(REDUCTIONS - 1)
    return thread.reductions[min(depth, last)] * thread.reductions[min(count, last)] + thread.reduction_base


@inlined
def search_child(
    game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth, ply: Ply, cut_node: Int
) -> Score:
    """Search the child after the move just made. `alpha`, `beta` and the returned score are from the point of view of
    the side that made the move. `ply` is the ply of the parent. `cut_node` is 1 if the child is expected to fail
    high."""
    thread.stack[ply + 1].cut_node = cut_node
    return -search(game, position, thread, -beta, -alpha, depth, ply + 1)


@inlined
def next_root_move(thread: Thread, count: Int) -> Move:
    """Return the root move at index `count`, counted from the first one that this search includes, or 0 if there is
    none."""
    index = thread.root_first + count
    return np.uint64(thread.root_move[index]) if index < thread.root_count else ZERO


@inlined
def keep_root_move(thread: Thread, move: Move, better: Flag, score: Score, nodes: Int) -> None:
    """Record the nodes spent on a root move. If it is `better` than all moves before it, also record its score and its
    principal variation."""
    index = thread.root_first
    while np.uint64(thread.root_move[index]) != move:
        index += 1
    thread.root_nodes[index] += nodes
    if better:
        thread.root_score[index] = np.int32(score)
        length = min(thread.stack[0].pv_length, np.int64(len(thread.root_pv[0]) - 1))
        for i in range(length):
            thread.root_pv[index, i] = thread.stack[0].pv[i]
        thread.root_pv[index, length] = np.uint16(0)


@inlined
def node(
    game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth, ply: Ply, is_root: Flag
) -> Int:
    """Search a node, and return its score for the side to move. This function is inlined into `search` and
    `search_root`, where `is_root` is a compile-time constant."""
    rules = game.rules
    frame = thread.stack[ply]
    child = thread.stack[ply + 1]
    frame.pv_length = 0
    cut_node = np.int64(0) if is_root else frame.cut_node
    excluded = np.int64(0) if is_root else np.int64(frame.excluded)

    # 1. At a leaf, continue with the quiescence search.
    if depth <= 0 and not is_root:
        return quiesce(game, position, thread, alpha, beta, np.int64(0), ply)
    pv_node = is_root or beta - alpha > 1
    in_check = is_in_check(position)

    # 2. Count the node, test for a stop, and test whether the game has ended.
    stopped = visit_node(thread, ply)
    key = position.key[position.ply]
    data = ZERO
    tt_move = ZERO
    tt_score = np.int64(UNKNOWN)
    tt_depth = np.int64(-9)
    tt_bound = np.int64(0)
    if not is_root:
        if stopped:
            return np.int64(0)
        score = terminal_score(rules, position, thread, ply)
        if score != NOT_TERMINAL:
            return score
        if ply >= MAX_PLY - 1:
            return evaluate(game, position)

        # 3. Mate distance: no score beats a mate found nearer to the root.
        alpha = max(alpha, -MATE + ply)
        beta = min(beta, MATE - ply - 1)
        if alpha >= beta:
            return alpha

        # 4. Transposition table.
        data = probe(thread, key)
        if data != 0:
            tt_score = entry_score(data, ply)
            tt_depth = entry_depth(data)
            tt_bound = entry_bound(data)
            tt_move = entry_move(data)
            if tt_move != 0 and not is_legal(rules, position, tt_move):
                tt_move = ZERO
            if not pv_node and excluded == 0 and tt_depth >= depth and is_cutoff(tt_bound, tt_score, alpha, beta):
                return tt_score
            if tt_move != 0:
                prefetch(thread, key_after(rules, position, tt_move))

        # 5. Mate in one. A position with a table entry of depth 1 or more was tested for it before.
        if not in_check and tt_depth < 1:
            move = mate_in_one(rules, position, frame.list)
            if move != 0:
                score = MATE - ply - 1
                store(thread, key, move, score, np.int64(UNKNOWN), np.int64(PROVEN), EXACT, ply)
                if pv_node:
                    child.pv_length = 0
                    extend_pv(thread, ply, move)
                return score

    # 6. Static evaluation, refined by the score of the table entry.
    static_eval = np.int64(UNKNOWN)
    estimate = np.int64(UNKNOWN)
    improving = False
    if not in_check and not is_root:
        if excluded != 0:
            static_eval = np.int64(frame.static_eval)
        elif data != 0 and entry_eval(data) != UNKNOWN:
            static_eval = entry_eval(data)
        else:
            static_eval = evaluate(game, position)
        estimate = static_eval
        if data != 0 and tt_bound & (LOWER if tt_score > static_eval else UPPER):
            estimate = tt_score
        if ply >= 2 and thread.stack[ply - 2].static_eval != UNKNOWN:
            improving = static_eval > thread.stack[ply - 2].static_eval
    frame.static_eval = np.int32(static_eval)
    if not is_root:
        child.killer[0] = np.uint16(0)
        child.killer[1] = np.uint16(0)

    # A root move that stalemates usually wins at once, so the node after such a move is not pruned.
    if not in_check and not pv_node and excluded == 0 and not (ply == 1 and is_stalemate(rules, position)):
        # 7. Razoring: far below alpha, only captures can help.
        if depth <= 3 and estimate + thread.razoring * depth < alpha:
            score = quiesce(game, position, thread, alpha, alpha + np.int64(1), np.int64(0), ply)
            if score <= alpha:
                return score

        # 8. Reverse futility pruning: the estimate is so far above beta that a search would hardly fail low.
        low = estimate - thread.reverse_futility * depth + (thread.improving if improving else np.int64(0))
        if depth <= 6 and low >= beta and estimate < DECIDED:
            return estimate

        # 9. Null move pruning, verified at high depth because of zugzwang.
        if (
            depth >= 3
            and estimate >= beta
            and static_eval >= beta - 40 * depth + thread.null_margin
            and position.move[position.ply] != 0
            and beta > -DECIDED
            and ply >= thread.null_from
            and not is_placing(rules, position)
        ):
            r = (thread.null_base + thread.null_depth * depth) // np.int64(1024)
            r += min((estimate - beta) // thread.null_divisor, np.int64(3))
            prefetch(thread, key ^ rules.zobrist_side)
            make_null(rules, position)
            score = search_child(game, position, thread, beta - 1, beta, depth - r, ply, 1 - cut_node)
            unmake_null(position)
            if thread.stop != 0:
                return np.int64(0)
            if score >= beta:
                if score >= DECIDED:
                    score = beta
                if depth < 10:
                    return score
                outer = thread.null_from  # set by an enclosing verification search
                thread.null_from = ply + 3 * (depth - r) // np.int64(4)
                frame.cut_node = 0
                score_below = search(game, position, thread, beta - 1, beta, depth - r, ply)
                thread.null_from = outer
                if score_below >= beta:
                    return score

    # 10. Internal iterative reduction, if there is no table move.
    if depth >= 4 and tt_move == 0 and (pv_node or cut_node != 0) and not is_root:
        depth -= 1

    # 11. Search the moves.
    best = np.int64(-INFINITE)
    best_move = ZERO
    old_alpha = alpha
    count = np.int64(0)
    tried = np.uint64(0)
    skip_quiets = False
    first_row = ZERO
    second_row = ZERO
    put_off = ZERO
    taken_up = ZERO
    if not is_root:
        first_row = continuation_row(rules, position, ONE)
        second_row = continuation_row(rules, position, TWO)
        start_picking(frame, tt_move, TT_MOVE)
    while True:
        if is_root:
            move = next_root_move(thread, count)
        else:
            move = next_move(game, position, thread, frame, skip_quiets)
        again = move == 0
        if again:
            if taken_up == put_off:
                break
            move = np.uint64(frame.put_off[taken_up])
            taken_up += ONE
        elif not is_root and np.int64(move) == excluded:
            continue
        else:
            count += 1
        # Prefetch early, so that the table entry arrives in time.
        next_key = key_after(rules, position, move)
        prefetch(thread, next_key)
        nodes = thread.nodes
        stage = LOSING if again else frame.stage
        sound = stage == GOOD_TACTICAL or stage == GOOD_CHECK  # static exchange evaluation >= 0
        tactical = is_tactical(rules, position, move)
        history = np.int64(0)
        checks = False
        if not tactical and not is_root:
            checks = checks_directly(rules, position, move)
            history = quiet_score(rules, position, thread, move, first_row, second_row)

        # 12. Late move, futility, history and exchange pruning, unless all moves so far lose by force.
        if best > -DECIDED and not in_check and not is_root:
            late = max(depth - reduction(thread, depth, count) // np.int64(1024), np.int64(0))
            if not tactical:
                if count > (4 + depth * depth) // (np.int64(1) if improving else np.int64(2)) + thread.late_moves:
                    skip_quiets = True
                if not checks:
                    if (
                        late <= 5
                        and static_eval + thread.futility + thread.futility_ply * late <= alpha
                        and not pv_node
                    ):
                        skip_quiets = True
                        continue
                    if late <= 3 and history < -thread.history_pruning * (late + 1):
                        continue
                if depth <= 7 and not sound and not see_at_least(game, position, move, -thread.see_quiet * depth):
                    continue
            elif depth <= 6 and not sound and not see_at_least(game, position, move, -thread.see_tactical * depth):
                continue

        # Defer a move that another thread is searching: see `search.abdada`.
        if count > 1 and not again and is_taken(thread, key, move, depth):
            frame.put_off[put_off] = np.uint16(move)
            put_off += ONE
            continue

        # 13. Singular extension, if the table move is far better than all others.
        extension = np.int64(0)
        if (
            depth >= 7
            and move == tt_move
            and excluded == 0
            and tt_depth >= depth - 3
            and tt_bound != UPPER
            and abs(tt_score) < DECIDED
        ):
            lower = tt_score - thread.singular * depth
            half = (depth - 1) // np.int64(2)
            frame.excluded = np.uint16(move)
            score = search(game, position, thread, lower - 1, lower, half, ply)
            frame.excluded = np.uint16(0)
            # The singular search has overwritten the move list: restart after the table move.
            start_picking(frame, tt_move, TT_MOVE)
            next_move(game, position, thread, frame, False)
            frame.static_eval = np.int32(static_eval)
            if thread.stop != 0:
                return np.int64(0)
            if score < lower:
                extension = np.int64(1)
            elif lower >= beta:
                return lower
            elif tt_score >= beta:
                extension = np.int64(-1)

        safe = stage != LOSING
        if not is_root:
            frame.tried[tried] = np.uint16(move)
            tried += np.uint64(1)
            if again or (checks and not sound):
                safe = see_at_least(game, position, move, np.int64(0))
        take(thread, key, move, depth)
        make_towards(rules, position, move, next_key)
        gives_check = is_in_check(position)

        # 14. Check extension.
        if gives_check and extension == 0 and (safe or is_root) and (depth <= 8 or (pv_node and not is_root)):
            extension = np.int64(1)
        new_depth = depth - 1 + extension

        # 15. Late move reductions and null-window searches.
        full = count > 1 or not pv_node
        score = alpha + 1
        late = (
            depth >= 3 and count > 3 and not (tactical or gives_check or in_check)
            if is_root
            else depth >= 2 and count > 1 + (2 if pv_node else 0) and (not tactical or not safe or cut_node != 0)
        )
        if late:
            r = reduction(thread, depth, count)
            if is_root:
                r -= np.int64(1024)
            else:
                if not pv_node:
                    r += thread.reduction_null_window
                if cut_node != 0:
                    r += thread.reduction_cut_node
                if improving:
                    r -= thread.reduction_improving
                if gives_check:
                    r -= thread.reduction_gives_check
                if in_check:
                    r -= thread.reduction_in_check
                if tactical:
                    r -= thread.reduction_tactical
            r //= np.int64(1024)
            if not (is_root or tactical):
                r -= history // thread.history_reduction  # rounds down for both signs: see docs/experiments.md
            reduced = max(np.int64(1), min(new_depth - r, new_depth))
            score = search_child(game, position, thread, alpha, alpha + 1, reduced, ply, 1)
            full = score > alpha and reduced < new_depth
        if full:
            score = search_child(game, position, thread, alpha, alpha + 1, new_depth, ply, 1 - cut_node)
        if pv_node and score > alpha:
            score = search_child(game, position, thread, alpha, beta, new_depth, ply, 0)
        unmake(rules, position)
        give_back(thread, key, move, depth)
        if thread.stop != 0:
            return np.int64(0)

        if is_root:
            better = score > alpha or count == 1
            if better:
                extend_pv(thread, ply, move)
            keep_root_move(thread, move, better, score, thread.nodes - nodes)
        if score > best:
            best = score
            if score > alpha or is_root:
                best_move = move
            if score > alpha:
                if pv_node and not is_root:
                    extend_pv(thread, ply, move)
                if score >= beta:
                    break
                alpha = score

    # 16. Without a legal move, the side to move is mated or stalemated.
    if count == 0 and not is_root:
        return alpha if excluded != 0 else score_without_move(rules, position, thread, ply)

    # 17. Update histories after a cutoff, and store the result in the table.
    if best_move != 0 and best >= beta and not is_root:
        update_history(rules, position, thread, frame, best_move, depth, tried)
    # If some moves were left out, the best score of the others is not the score of the position.
    if excluded == 0 and not (is_root and (thread.root_first != 0 or thread.root_restricted != 0)):
        bound = LOWER if best >= beta else (EXACT if pv_node and best > old_alpha else UPPER)
        store(thread, key, best_move, best, static_eval, depth, bound, ply)
    return best


@entry_point(**STRUCTS, alpha=int, beta=int, depth=int, ply=int)
def search(game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth, ply: Ply) -> Score:
    """Return the score of a node for the side to move, by fail-soft alpha-beta. In `thread.stack[ply]`,
    `cut_node` says whether the node is expected to fail high, and `excluded` is a move to leave out, or 0. If
    `thread.stop` is set on return, the result is invalid."""
    return node(game, position, thread, alpha, beta, depth, ply, False)


@entry_point(**STRUCTS, alpha=int, beta=int, depth=int)
def search_root(game: Game, position: Position, thread: Thread, alpha: Score, beta: Score, depth: Depth) -> Any:
    """Return the best score of the root moves from index `thread.root_first` on, for the side to move. Scores and
    principal variations are written to `thread.root_score` and `thread.root_pv`. A move that is not better than an
    earlier one gets -INFINITE. If `thread.stop` is set on return, the move being searched has no score."""
    position.score[position.ply] = np.int32(running_score(game.rules, position))
    thread.root_ply = position.ply
    thread.null_from = np.int64(0)
    thread.stack[1].static_eval = np.int32(UNKNOWN)
    for index in range(thread.root_first, thread.root_count):
        thread.root_score[index] = np.int32(-INFINITE)
    return node(game, position, thread, alpha, beta, depth, np.int64(0), True)
