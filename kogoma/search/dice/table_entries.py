"""Transposition table entries of the dice search: 32-bit values, for positions and for single files.

A position before its roll is stored under its key, and the moves of a file under the key changed by the file. Data,
from the low bits: move 16, value 32, depth 8, generation 6, bound 2; all except the value as in `search.transposition`.
"""

from __future__ import annotations

import numpy as np

from kogoma.native.kernel import kernel
from kogoma.native.types import Int, Word
from kogoma.rules.types import Depth, Key, Move
from kogoma.search.transposition import entry_move, find_slot, stored_at, write_entry
from kogoma.search.types import Thread, Value

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def file_key(key: Key, file: Int) -> Key:
    """Return the key of the transposition table entry for the moves to the board's file `file`, counted from 0 at the
    left, in the position with the hash key `key`."""
    return key ^ (file + np.uint64(1)) * GOLDEN


@kernel
def entry_value(data: Word) -> Value:
    """Return the value, for the side to move, that the data word of a transposition table entry contains."""
    return np.int64(np.int32(data >> np.uint64(16)))


@kernel
def store_value(thread: Thread, key: Key, move: Move, value: Value, depth: Depth, bound: Int) -> None:
    """Store the value of a node, or of the moves to a single file, in the transposition table. If `move` is 0, the best
    move of an older entry for the same key is kept."""
    slot = find_slot(thread, key)
    if move == 0:
        move = entry_move(stored_at(slot, key))
    write_entry(thread, slot, key, move | np.uint64(value & 0xFFFFFFFF) << np.uint64(16), depth, bound)
