"""How threads share a tree: a move that another thread searches at this moment waits until the others are done.

By then its result stands in the transposition table. This is Tom Kerrigan's "simplified ABDADA", which puts moves off
without locks. A board of words says what is searched: one thread's mark may overwrite another's, which loses nothing
but the hint.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.rules.types import Depth, Key, Move
from kogoma.search.table_memory import MARKS
from kogoma.search.transposition import peek, poke
from kogoma.search.types import Thread

SHARED_DEPTH = 3  # below that a move is searched sooner than it is looked up
MIX = np.uint64(0x9E3779B97F4A7C15)  # spreads moves over all bits
NOBODY = np.uint64(0)


@kernel
def mark_of(key: Key, move: Move) -> Any:
    """What stands on the board while the move is searched from the position of that key."""
    return key ^ (move * MIX)


@kernel
def place_of(thread: Thread, mark: Any) -> Any:
    """The address of the mark's word."""
    return thread.marks + (mark & np.uint64(MARKS - 1)) * np.uint64(8)


@kernel
def is_taken(thread: Thread, key: Key, move: Move, depth: Depth) -> Any:
    """True if a thread is searching the move. False where there is but one thread."""
    mark = mark_of(key, move)
    return depth >= SHARED_DEPTH and thread.marks != 0 and peek(place_of(thread, mark)) == mark


@kernel
def take(thread: Thread, key: Key, move: Move, depth: Depth) -> None:
    """Tell the others that the move is being searched."""
    if depth >= SHARED_DEPTH and thread.marks != 0:
        mark = mark_of(key, move)
        poke(place_of(thread, mark), mark)


@kernel
def give_back(thread: Thread, key: Key, move: Move, depth: Depth) -> None:
    """The move's result is in the table."""
    if depth >= SHARED_DEPTH and thread.marks != 0:
        mark = mark_of(key, move)
        if peek(place_of(thread, mark)) == mark:
            poke(place_of(thread, mark), NOBODY)
