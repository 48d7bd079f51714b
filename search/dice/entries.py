"""Entries of dice games in the transposition table: values of 32 bits, with the die and without it.

A position before its throw has the position's key, the moves to one file the key changed by that file. Data, from the
low bits: move 16, value 32, depth 8, generation 6, bound 2: all but the value lie where `search.transposition` has it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from rules.native.kernel import kernel
from search.transposition import (
    DEPTH_OFFSET,
    ENTRIES,
    WORD,
    bucket,
    entry_depth,
    entry_generation,
    entry_move,
    peek,
    poke,
)

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@kernel
def file_key(key: Any, file: Any) -> Any:
    """The key of the moves to a file, counted from the left."""
    return key ^ (file + np.uint64(1)) * GOLDEN


@kernel
def entry_value(data: Any) -> Any:
    """The value, for the side to move."""
    return np.int64(np.int32(data >> np.uint64(16)))


@kernel
def store_value(thread: Any, key: Any, move: Any, value: Any, depth: Any, bound: Any) -> None:
    """Store what a node found, over the same node's entry or over the bucket's least useful one."""
    address = bucket(thread, key)
    victim = address
    worst = np.int64(1 << 30)
    for _ in range(ENTRIES):
        data = peek(address + WORD)
        if data == 0 or peek(address) ^ data == key:
            if move == 0:
                move = entry_move(data)
            victim = address
            break
        age = np.int64((thread.generation - entry_generation(data)) & np.uint64(63))
        worth = entry_depth(data) - 4 * age
        if worth < worst:
            worst = worth
            victim = address
        address += np.uint64(16)
    data = move | np.uint64(value & 0xFFFFFFFF) << np.uint64(16)
    data |= np.uint64(depth + DEPTH_OFFSET) << np.uint64(48)
    data |= thread.generation << np.uint64(56) | np.uint64(bound) << np.uint64(62)
    poke(victim, key ^ data)
    poke(victim + WORD, data)
