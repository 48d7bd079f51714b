"""The transposition table: buckets of four 16-byte entries on one cache line, shared by all threads without locks.

An entry is two words: data, and key ^ data, so that an entry written by two threads at once matches no key (Hyatt's
lockless hashing). Data, from the low bits: move 16, score 16, static evaluation 16, depth 8, generation 6, bound 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from kogoma.native.bitboard import ZERO
from kogoma.native.kernel import inlined, kernel
from kogoma.native.types import Address, Flag, Int, Word
from kogoma.rules.types import Depth, Key, Move, Ply, Score
from kogoma.search.thread import DECIDED
from kogoma.search.types import Thread

ENTRIES = 4
BUCKET_BYTES = 64
DEPTH_OFFSET = 4  # offset of stored depths, which start at -3 (quiescence)
PROVEN = 99  # depth of mates in one: sufficient for every search

UPPER, LOWER, EXACT = 1, 2, 3  # EXACT is both bounds

WORD = np.uint64(8)


@intrinsic
def peek(typing_context: Any, address: Any) -> Any:
    """Return the uint64 at a memory address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load(builder.inttoptr(args[0], ir.IntType(64).as_pointer()))

    return types.uint64(types.uint64), codegen


@intrinsic
def poke(typing_context: Any, address: Any, value: Any) -> Any:
    """Write a uint64 to a memory address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[1], builder.inttoptr(args[0], ir.IntType(64).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64), codegen


@intrinsic
def fetch(typing_context: Any, address: Any) -> Any:
    """Prefetch the cache line at a memory address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer, word = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, word, word, word])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        builder.call(function, [builder.inttoptr(args[0], pointer), word(0), word(3), word(1)])
        return context.get_dummy_value()

    return types.void(types.uint64), codegen


@kernel
def bucket(thread: Thread, key: Key) -> Any:
    """Return the memory address of the bucket for a hash key, whose low bits select it."""
    return thread.tt + (key & thread.tt_mask) * np.uint64(BUCKET_BYTES)


@kernel
def prefetch(thread: Thread, key: Key) -> None:
    """Prefetch the bucket for a hash key into the processor's cache."""
    fetch(bucket(thread, key))


@kernel
def probe(thread: Thread, key: Key) -> Any:
    """Return the data word that the transposition table stores for a hash key, or 0 if there is none."""
    address = bucket(thread, key)
    for _ in range(ENTRIES):
        data = peek(address + WORD)
        if peek(address) ^ data == key and data != 0:
            return data
        address += np.uint64(16)
    return ZERO


@kernel
def entry_move(data: Word) -> Move:
    """Return the best move in the data word of an entry, or 0 if it has none."""
    return data & np.uint64(0xFFFF)


@kernel
def entry_score(data: Word, ply: Ply) -> Score:
    """Return the score in the data word of an entry, for a node at `ply`. The table stores scores of decided games in
    plies from the node; they are converted to plies from the root."""
    score = np.int64(np.int16(data >> np.uint64(16)))
    if score >= DECIDED:
        return score - ply
    if score <= -DECIDED:
        return score + ply
    return score


@kernel
def entry_eval(data: Word) -> Score:
    """Return the static evaluation in the data word of an entry, or UNKNOWN."""
    return np.int64(np.int16(data >> np.uint64(32)))


@kernel
def entry_depth(data: Word) -> Any:
    """Return the search depth in the data word of an entry."""
    return np.int64((data >> np.uint64(48)) & np.uint64(255)) - DEPTH_OFFSET


@kernel
def entry_generation(data: Word) -> Int:
    """Return the number, modulo 64, of the search that stored an entry with this data word."""
    return (data >> np.uint64(56)) & np.uint64(63)


@kernel
def entry_bound(data: Word) -> Any:
    """Return the bound in the data word of an entry: UPPER, LOWER or EXACT."""
    return np.int64(data >> np.uint64(62))


@kernel
def is_cutoff(bound: Int, score: Score, alpha: Score, beta: Score) -> Flag:
    """Return whether a table entry with this bound and score decides a node with the window from `alpha` to `beta`."""
    return bound == EXACT or (bound == LOWER and score >= beta) or (bound == UPPER and score <= alpha)


@kernel
def find_slot(thread: Thread, key: Key) -> Any:
    """Return the memory address of the entry to overwrite for a hash key: an empty entry, the key's own entry, or the
    least useful entry of the bucket."""
    address = bucket(thread, key)
    slot = address
    worst = np.int64(1 << 30)
    for _ in range(ENTRIES):
        data = peek(address + WORD)
        if data == 0 or peek(address) ^ data == key:
            return address
        age = np.int64((thread.generation - entry_generation(data)) & np.uint64(63))
        depth = entry_depth(data)
        worth = (depth if depth < PROVEN else np.int64(1)) - 4 * age
        if worth < worst:
            worst = worth
            slot = address
        address += np.uint64(16)
    return slot


@kernel
def stored_at(slot: Address, key: Key) -> Any:
    """Return the data word of the entry at the address `slot` if it belongs to the hash key, otherwise 0."""
    data = peek(slot + WORD)
    return data if peek(slot) ^ data == key else ZERO


@inlined
def write_entry(thread: Thread, slot: Address, key: Key, data: Word, depth: Depth, bound: Int) -> None:
    """Write an entry at the address `slot`. `data` contains the low 48 bits of the data word; depth, generation and
    bound are added to it."""
    data |= np.uint64(max(depth + DEPTH_OFFSET, 0)) << np.uint64(48)
    data |= thread.generation << np.uint64(56) | np.uint64(bound) << np.uint64(62)
    poke(slot, key ^ data)
    poke(slot + WORD, data)


@inlined
def store(
    thread: Thread, key: Key, move: Move, score: Score, static_eval: Score, depth: Depth, bound: Int, ply: Ply
) -> None:
    """Store the result of a node in the transposition table, unless the current search has already stored a much deeper
    entry for the same position."""
    slot = find_slot(thread, key)
    data = stored_at(slot, key)
    if data != 0:
        if bound != EXACT and depth + 3 < entry_depth(data) and entry_generation(data) == thread.generation:
            return
        if move == 0:
            move = entry_move(data)
    if score >= DECIDED:
        score += ply
    elif score <= -DECIDED:
        score -= ply
    data = move | np.uint64(score & 0xFFFF) << np.uint64(16) | np.uint64(static_eval & 0xFFFF) << np.uint64(32)
    write_entry(thread, slot, key, data, depth, bound)
