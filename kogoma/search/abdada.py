"""Simplified ABDADA (Tom Kerrigan): a thread defers moves that another thread is searching.

When the deferred move is searched, its result is usually in the transposition table. A shared table of marks, written
without locks, says which moves are being searched; a lost mark costs only a hint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import inlined
from kogoma.native.types import Flag, Int
from kogoma.rules.types import Depth, Key, Move
from kogoma.search.table_memory import MARKS
from kogoma.search.transposition import peek, poke
from kogoma.search.types import Thread

SHARED_DEPTH = 3  # at lower depth, searching is faster than looking up marks
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads moves over all bits
NOBODY = np.uint64(0)


@inlined
def move_mark(key: Key, move: Move) -> Any:
    """Return the mark, a 64-bit hash, of `move` in the position with the hash key `key`."""
    return key ^ (move * MIX)


@inlined
def mark_address(thread: Thread, mark: Int) -> Any:
    """Return the memory address at which a mark is stored while its move is being searched."""
    return thread.marks + (mark & np.uint64(MARKS - 1)) * np.uint64(8)


@inlined
def is_taken(thread: Thread, key: Key, move: Move, depth: Depth) -> Flag:
    """Return whether another thread is searching `move` in the position with the hash key `key`. With only one thread,
    or at low depth, return False."""
    mark = move_mark(key, move)
    return depth >= SHARED_DEPTH and thread.marks != 0 and peek(mark_address(thread, mark)) == mark


@inlined
def take(thread: Thread, key: Key, move: Move, depth: Depth) -> None:
    """Mark `move` as being searched in the position with the hash key `key`, so that other threads defer it."""
    if depth >= SHARED_DEPTH and thread.marks != 0:
        mark = move_mark(key, move)
        poke(mark_address(thread, mark), mark)


@inlined
def give_back(thread: Thread, key: Key, move: Move, depth: Depth) -> None:
    """Remove the mark of `move` after its search, unless another mark has overwritten it."""
    if depth >= SHARED_DEPTH and thread.marks != 0:
        mark = move_mark(key, move)
        if peek(mark_address(thread, mark)) == mark:
            poke(mark_address(thread, mark), NOBODY)
