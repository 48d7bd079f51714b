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
    """Return the key for the moves of a file, counted from the left."""
    return key ^ (file + np.uint64(1)) * GOLDEN


@kernel
def entry_value(data: Word) -> Value:
    """Return the value of an entry, for the side to move."""
    return np.int64(np.int32(data >> np.uint64(16)))


@kernel
def store_value(thread: Thread, key: Key, move: Move, value: Value, depth: Depth, bound: Int) -> None:
    """Store the result of a node."""
    slot = find_slot(thread, key)
    if move == 0:
        move = entry_move(stored_at(slot, key))
    write_entry(thread, slot, key, move | np.uint64(value & 0xFFFFFFFF) << np.uint64(16), depth, bound)
