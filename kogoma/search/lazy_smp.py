"""Helper threads of a parallel search (lazy SMP with a shared root search).

Helper threads search the same root, at the same time and in the same window as the main thread. They share the
transposition table, and defer moves that another thread is searching (`search.abdada`). Threads that deepened
independently would drift apart, and their results would not fit the others' windows.
"""

from __future__ import annotations

import numpy as np

from kogoma.eval.types import Game
from kogoma.native.bitboard import ONE
from kogoma.native.clock import now
from kogoma.native.kernel import entry_point, kernel
from kogoma.native.types import Int
from kogoma.rules.types import Depth, Position, Rules, Score
from kogoma.search.alphabeta import search_root
from kogoma.search.history import TYPE_COUNT
from kogoma.search.thread import INFINITE, MAX_DEPTH, STRUCTS, thread_dtype
from kogoma.search.transposition import WORD, peek, poke
from kogoma.search.types import Thread

HELP_FROM = 4  # plies; shallower iterations end before a helper has started


@kernel
def announce(thread: Thread, alpha: Score, beta: Score, depth: Depth) -> None:
    """Publish a search to `depth` with the window (alpha, beta) as the next task of the helper threads, and end their
    current task. Threads can read and write an integer atomically, so the task is packed into one. From the low bits
    upwards, it contains alpha (16 bits), beta (16), depth (8), and the number of the task, so that no two tasks are
    equal."""
    if thread.helpers != 0 and depth >= HELP_FROM:
        thread.tasks = (thread.tasks + 1) & np.int64(0x7FFFFF)
        low = alpha & np.int64(0xFFFF)
        high = beta & np.int64(0xFFFF)
        thread.task = thread.tasks << np.int64(40) | depth << np.int64(32) | high << np.int64(16) | low
        for i in range(np.uint64(thread.helpers)):
            poke(peek(thread.helper_stops + i * WORD), ONE)


@kernel
def task_alpha(task: Int) -> Score:
    """Return alpha of a task that `announce` has packed into one integer."""
    return np.int64(np.int16(task))


@kernel
def task_beta(task: Int) -> Score:
    """Return beta of a task that `announce` has packed into one integer."""
    return np.int64(np.int16(task >> np.int64(16)))


@kernel
def task_depth(task: Int) -> Depth:
    """Return the depth of a task that `announce` has packed into one integer."""
    return (task >> np.int64(32)) & np.int64(255)


@kernel
def copy_histories(rules: Rules, thread: Thread, leader: Thread) -> None:
    """Copy the histories of the main thread, `leader`, to a helper thread. With the same histories, both threads reduce
    moves alike, so that they store transposition table entries of the same depth."""
    cells = np.uint64(2) * (rules.types + ONE) * rules.squares
    for i in range(len(leader.history)):
        thread.history[i] = leader.history[i]
    for i in range(np.int64(cells)):
        thread.countermove[i] = leader.countermove[i]
    for i in range(np.int64(cells * TYPE_COUNT)):
        thread.capture_history[i] = leader.capture_history[i]
    for i in range(np.int64(cells * cells)):
        thread.continuation[i] = leader.continuation[i]


@entry_point(**STRUCTS, leader=thread_dtype)
def help_root(game: Game, position: Position, thread: Thread, leader: Thread) -> Int:
    """Search the tasks of the main thread, whose struct is `leader`, until that thread stops or time is up, and return
    0. A task is a search with a depth and a window. If `thread.stop` is set, only the current task ends, because the
    main thread has started another. When a helper finishes its task before the main thread, it continues with the next
    depth. Results are left in the transposition table."""
    task = np.int64(0)
    depth = np.int64(0)
    copied = False  # whether the root moves were copied and did not change meanwhile
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
            copy_histories(game.rules, thread, leader)
            copied = leader.task == told
            if not copied:
                # The main thread has changed its root moves during the copy.
                task = np.int64(0)
                depth -= 1
                continue
            task = told
            depth = task_depth(task)
            alpha = task_alpha(task)
            beta = task_beta(task)
        search_root(game, position, thread, alpha, beta, depth)
        if thread.stop != 0:
            task = np.int64(0)
    return 0
