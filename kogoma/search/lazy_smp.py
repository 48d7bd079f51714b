"""Helpers: what the other threads do while the main thread searches.

Helpers search what the main thread searches, at the same time and in the same window: what one thread has stored, the
others find in the table, and what one is searching, the others put off (`search.abdada`). Threads that deepen
each for itself drift apart, and their results no longer fit each other's windows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.types import Weights
from kogoma.native.bitboard import ONE
from kogoma.native.clock import now
from kogoma.native.kernel import entry_point, kernel
from kogoma.rules.types import Position, Rules
from kogoma.search.alphabeta import search_root
from kogoma.search.history import TYPE_COUNT
from kogoma.search.thread import INFINITE, MAX_DEPTH, STRUCTS, thread_dtype
from kogoma.search.types import Thread


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
def learn(rules: Rules, thread: Thread, leader: Thread) -> None:
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


@entry_point(**STRUCTS, leader=thread_dtype)
def help_root(rules: Rules, weights: Weights, position: Position, thread: Thread, leader: Thread) -> Any:
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
