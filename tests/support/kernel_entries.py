"""Entry points that only tests call from Python, for kernels of the engine. `support.kernels` calls the entry points.
They form a library of their own, which is compiled once for each layout and cached with the engine's libraries."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kogoma.eval.game import game_dtype
from kogoma.eval.types import Game
from kogoma.native.bitboard import (
    any_of,
    clear_lsb,
    down_to_highest,
    empty_like,
    load_bb,
    lsb,
    more_than_one,
    popcount,
    store_bb,
    up_to_lowest,
)
from kogoma.native.kernel import entry_point
from kogoma.native.types import Int, IntArray
from kogoma.rules import dispatch
from kogoma.rules.layout import bitboards, position_dtype, rules_dtype
from kogoma.rules.types import Depth, Key, Move, MoveList, Ply, Position, Rules, Score
from kogoma.search.control import control_dtype
from kogoma.search.lazy_smp import announce, task_alpha, task_beta, task_depth
from kogoma.search.mate import game
from kogoma.search.mate.state import MATE_STRUCTS
from kogoma.search.ordering import next_move, start_picking
from kogoma.search.see import see_at_least
from kogoma.search.thread import STRUCTS, thread_dtype
from kogoma.search.time import due, is_enough
from kogoma.search.transposition import (
    entry_bound,
    entry_depth,
    entry_eval,
    entry_generation,
    entry_move,
    entry_score,
    probe,
    store,
)
from kogoma.search.types import Control, MateState, Thread

BOARDS, NUMBERS = 8, 4


def moves_dtype(layout: str) -> np.dtype[Any]:
    """Return the dtype of a list of moves."""
    return np.dtype(np.uint16)


def fields_dtype(layout: str) -> np.dtype[Any]:
    """Return the dtype of the fields of a table entry."""
    return np.dtype(np.int64)


@cache
def scratch_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of a struct for two bitboards and the results of all operations on them."""
    return np.dtype(
        [bitboards("given", layout, 2), bitboards("board", layout, BOARDS), ("number", np.uint64, (NUMBERS,))]
    )


@entry_point(scratch=scratch_dtype)
def bitboard_operations(scratch: Any) -> Any:
    """Apply all operations to the two given boards. `lsb` is skipped for an empty board, which has no lowest bit."""
    one, other = load_bb(scratch.given, np.uint64(0)), load_bb(scratch.given, np.uint64(1))
    store_bb(scratch.board, np.uint64(0), clear_lsb(one))
    store_bb(scratch.board, np.uint64(1), up_to_lowest(one))
    store_bb(scratch.board, np.uint64(2), down_to_highest(one))
    store_bb(scratch.board, np.uint64(3), one & other)
    store_bb(scratch.board, np.uint64(4), one | other)
    store_bb(scratch.board, np.uint64(5), one ^ other)
    store_bb(scratch.board, np.uint64(6), ~one)
    store_bb(scratch.board, np.uint64(7), empty_like(one))
    scratch.number[0] = popcount(one)
    scratch.number[1] = np.uint64(any_of(one))
    scratch.number[2] = np.uint64(more_than_one(one))
    if any_of(one):
        scratch.number[3] = lsb(one)
    return np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype)
def derive_fields(rules: Rules, position: Position) -> Any:
    """Compute all fields of the position that depend on the board, the hands or cards, and the side to move."""
    dispatch.derive_fields(rules, position)
    return np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype, move=int)
def make(rules: Rules, position: Position, move: Move) -> Any:
    """Make a legal move."""
    dispatch.make(rules, position, np.uint64(move))
    return np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype)
def unmake(rules: Rules, position: Position) -> Any:
    """Unmake the last move."""
    dispatch.unmake(rules, position)
    return np.int64(0)


@entry_point(rules=rules_dtype, position=position_dtype)
def make_null(rules: Rules, position: Position) -> Any:
    """Make a null move."""
    dispatch.make_null(rules, position)
    return np.int64(0)


@entry_point(position=position_dtype)
def unmake_null(position: Position) -> Any:
    """Unmake the null move."""
    dispatch.unmake_null(position)
    return np.int64(0)


@entry_point(position=position_dtype)
def in_check(position: Position) -> Any:
    """Return 1 if the side to move is in check, otherwise 0."""
    return np.int64(dispatch.is_in_check(position))


@entry_point(rules=rules_dtype, position=position_dtype)
def over(rules: Rules, position: Position) -> Any:
    """Return 1 if the game has ended for a reason other than the lack of legal moves, otherwise 0."""
    return np.int64(dispatch.over(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype, moves=[moves_dtype], stage=int)
def generate_stage(rules: Rules, position: Position, moves: MoveList, stage: Int) -> Int:
    """Write the moves of one generator into `moves`, and return their number. `stage` is 0 for tactical moves, 1 for
    quiet moves, 2 for drops, 3 for quiet checks, and 4 for checking drops."""
    start = np.uint64(0)
    if stage == 0:
        return np.int64(dispatch.generate_tactical(rules, position, moves, start))
    if stage == 1:
        return np.int64(dispatch.generate_quiet(rules, position, moves, start))
    if stage == 2:
        return np.int64(dispatch.generate_drops(rules, position, moves, start))
    if stage == 3:
        return np.int64(dispatch.generate_quiet_checks(rules, position, moves, start))
    return np.int64(dispatch.generate_drop_checks(rules, position, moves, start))


@entry_point(rules=rules_dtype, position=position_dtype)
def count_legal(rules: Rules, position: Position) -> Any:
    """Return the number of legal moves."""
    return np.int64(dispatch.count_legal(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype)
def has_legal_move(rules: Rules, position: Position) -> Any:
    """Return 1 if there is a legal move, otherwise 0."""
    return np.int64(dispatch.has_legal_move(rules, position))


@entry_point(rules=rules_dtype, position=position_dtype, moves=[moves_dtype])
def legal_codes(rules: Rules, position: Position, moves: MoveList) -> Int:
    """Write all 16-bit codes that `is_legal` accepts into `moves`, and return their number."""
    found = 0
    for code in range(1 << 16):
        if dispatch.is_legal(rules, position, np.uint64(code)):
            moves[found] = np.uint16(code)
            found += 1
    return np.int64(found)


@entry_point(rules=rules_dtype, position=position_dtype, moves=[moves_dtype])
def mate_in_one(rules: Rules, position: Position, moves: MoveList) -> Any:
    """Return a move that mates, or 0 if none is found. `moves` is used as scratch memory."""
    return np.int64(dispatch.mate_in_one(rules, position, moves))


@entry_point(game=game_dtype, position=position_dtype, move=int, threshold=int)
def wins_exchange(game: Game, position: Position, move: Move, threshold: Score) -> Any:
    """Return 1 if the side to move gains at least `threshold` centipawns by the move and the captures that follow on
    the same square, otherwise 0."""
    return np.int64(see_at_least(game, position, np.uint64(move), np.int64(threshold)))


@entry_point(**STRUCTS, moves=[moves_dtype], tt_move=int, stage=int, skip_quiets=int)
def picked_moves(
    game: Game, position: Position, thread: Thread, moves: MoveList, tt_move: Move, stage: Int, skip_quiets: Int
) -> Int:
    """Write the moves that the move picker returns from `stage` on, in the picker's order. Return the number of
    moves."""
    frame, found = thread.stack[0], 0
    start_picking(frame, np.uint64(tt_move), stage)
    while True:
        move = next_move(game, position, thread, frame, skip_quiets != 0)
        if move == 0:
            return np.int64(found)
        moves[found] = np.uint16(move)
        found += 1


@entry_point(thread=thread_dtype, key=int, move=int, score=int, static_eval=int, depth=int, bound=int, ply=int)
def store_entry(
    thread: Thread, key: Key, move: Move, score: Score, static_eval: Score, depth: Depth, bound: Int, ply: Ply
) -> Int:
    """Store an entry in the transposition table."""
    store(thread, np.uint64(key), np.uint64(move), score, static_eval, depth, bound, ply)
    return np.int64(0)


@entry_point(thread=thread_dtype, fields=[fields_dtype])
def task_of(thread: Thread, fields: IntArray) -> Int:
    """Write alpha, beta and depth of the thread's task into `fields`."""
    fields[0] = task_alpha(thread.task)
    fields[1] = task_beta(thread.task)
    fields[2] = task_depth(thread.task)
    return np.int64(0)


@entry_point(thread=thread_dtype, alpha=int, beta=int, depth=int)
def announce_task(thread: Thread, alpha: Score, beta: Score, depth: Depth) -> Int:
    """Publish a task of the helper threads. Returns 0."""
    announce(thread, alpha, beta, depth)
    return np.int64(0)


@entry_point(control=control_dtype)
def due_time(control: Control) -> Int:
    """Return the time in microseconds after which another iteration is not worthwhile."""
    return due(control)


@entry_point(control=control_dtype, now=int)
def is_time_up(control: Control, now: Int) -> Int:
    """Return 1 if a search should end at `now`, a time in ns between two iterations, otherwise 0."""
    return np.int64(is_enough(control, now))


@entry_point(thread=thread_dtype, key=int, ply=int, fields=[fields_dtype])
def probe_entry(thread: Thread, key: Key, ply: Ply, fields: IntArray) -> Any:
    """Return 1 if the table has an entry for the key, otherwise 0. Write the entry's move, score, static evaluation,
    depth, bound and generation into `fields`."""
    data = probe(thread, np.uint64(key))
    if data == 0:
        return np.int64(0)
    fields[0] = np.int64(entry_move(data))
    fields[1] = entry_score(data, ply)
    fields[2] = entry_eval(data)
    fields[3] = entry_depth(data)
    fields[4] = entry_bound(data)
    fields[5] = np.int64(entry_generation(data))
    return np.int64(1)


@entry_point(**MATE_STRUCTS)
def forcing(rules: Rules, position: Position, mate: MateState) -> Any:
    """Write the moves that the mate search examines for the attacker into `mate.list`, and return their number."""
    game.set_check_info(rules, position)
    return np.int64(game.generate_forcing(rules, position, mate, mate.list))
