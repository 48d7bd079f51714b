"""The mate solver's table: buckets of eight entries, in the memory of the transposition table, for one thread.

A bucket has four lines of eight words: keys, hands, proof and disproof numbers, and the rest (from the low bits: move
16, length 16, nodes 16, generation 8, mark 8). A key is that of the board; the attacker's hand determines both hands,
because the number of pieces is constant. A proof holds for every hand with at least these pieces, a disproof for every
hand with at most these. In a full bucket the entry that cost the fewest nodes is replaced.

A search begins with a small part of the table, which fits into the processor's cache, and uses more when it fills up.

A disproof by repetition of an earlier position holds on its path only. Its entry has a separate key, made from the
position and all positions before it. A mark in the position's ordinary entry says that such an entry may exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.native.types import Address, Flag, Int, Word
from kogoma.rules.types import Key, Move, Ply
from kogoma.search.mate.state import FOR_GOOD, INFINITE
from kogoma.search.transposition import fetch, peek, poke
from kogoma.search.types import MateState

SLOTS = 8
BUCKET_BYTES = 256
WORD = np.uint64(8)
HANDS, NUMBERS, REST = np.uint64(64), np.uint64(128), np.uint64(192)
LOW = np.uint64(0xFFFFFFFF)
SIXTEEN = np.uint64(0xFFFF)
LENGTH, AMOUNT, GENERATION, MARK = np.uint64(16), np.uint64(32), np.uint64(48), np.uint64(56)
SPARE = np.uint64(sum(1 << 6 * kind + 5 for kind in range(10)))  # the highest of the six bits of each type in a hand
FIRST = np.uint64(1023)  # number of buckets at the start of a search, minus 1
MIX = np.uint64(0x9E3779B97F4A7C15)


@kernel
def covers(more: Word, less: Word) -> Flag:
    """Return whether the packed hand `more` has at least as many pieces of every type as the packed hand `less`."""
    return (((more | SPARE) - less) & SPARE) == SPARE


@kernel
def bucket_address(mate: MateState, key: Key) -> Any:
    """Return the memory address of the solver's table bucket to which entries with the key `key` belong."""
    return mate.tt + (key & mate.tt_mask) * np.uint64(BUCKET_BYTES)


@kernel
def prefetch(mate: MateState, key: Key) -> None:
    """Load the solver's table bucket for a position's `key` into the processor's cache in advance."""
    fetch(bucket_address(mate, key ^ mate.salt))


@kernel
def proof_number(slot: Address) -> Int:
    """Return the proof number of the entry at the address `slot`; 0 means proven."""
    return np.int64(peek(slot + NUMBERS) >> np.uint64(32))


@kernel
def disproof_number(slot: Address) -> Int:
    """Return the disproof number of the entry at the address `slot`; 0 means disproven."""
    return np.int64(peek(slot + NUMBERS) & LOW)


@kernel
def hand_at(slot: Address) -> Any:
    """Return the attacker's packed hand for which the entry at the address `slot` is valid."""
    return peek(slot + HANDS)


@kernel
def length_at(slot: Address) -> Int:
    """Return the length in the entry at the address `slot`. For a proof this is the number of plies to mate, for a
    disproof the number of plies within which there is no mate."""
    return np.int64((peek(slot + REST) >> LENGTH) & SIXTEEN)


@kernel
def move_at(slot: Address) -> Int:
    """Return the best move in the entry at the address `slot`. For a disproof that holds on one search path only,
    return the row of this path on which the disproof depends."""
    return peek(slot + REST) & SIXTEEN


@kernel
def is_marked(slot: Address) -> Flag:
    """Return whether the entry at the address `slot` is marked. The mark says that a separate entry may hold a disproof
    for one search path only."""
    return peek(slot + REST) >> MARK != 0


@kernel
def find(mate: MateState, key: Key, hand: Word, limit: Ply) -> Any:
    """Return the memory address of an entry that proves or disproves a position with `limit` plies left. Without such
    an entry, return the address of an undecided one for the same hand, or 0 if there is none."""
    key ^= mate.salt
    slot = bucket_address(mate, key)
    same = ZERO
    for _ in range(SLOTS):
        if peek(slot) == key:
            other = peek(slot + HANDS)
            if proof_number(slot) == 0:
                if other == hand or (mate.same_hands == 0 and covers(hand, other)):
                    if length_at(slot) <= limit:
                        return slot
            elif disproof_number(slot) == 0:
                if other == hand or (mate.same_hands == 0 and covers(other, hand)):
                    if length_at(slot) >= min(limit, np.int64(FOR_GOOD)):
                        return slot
            elif other == hand:
                same = slot
        slot += WORD
    return same


@kernel
def rank(mate: MateState, slot: Address) -> Any:
    """Return the number of nodes that were searched for the entry at the address `slot`, or -1 if it belongs to another
    search. In a full bucket, the entry with the lowest rank is replaced."""
    rest = peek(slot + REST)
    if (rest >> GENERATION) & np.uint64(255) != mate.generation:
        return np.int64(-1)
    return np.int64((rest >> AMOUNT) & SIXTEEN)


@kernel
def store_node(
    mate: MateState, key: Key, own: Word, hand: Word, pn: Int, dn: Int, move: Move, length: Int, nodes: Int, mark: Int
) -> None:
    """Store a result in the solver's table. `own` is the attacker's packed hand in the searched position; `hand` is the
    packed hand for which the result holds."""
    key ^= mate.salt
    slot = bucket_address(mate, key)
    chosen = slot
    least = np.int64(1 << 20)
    for _ in range(SLOTS):
        if peek(slot) == key:
            other = peek(slot + HANDS)
            old_pn = proof_number(slot)
            old_dn = disproof_number(slot)
            open_one = old_pn != 0 and old_dn != 0
            if (open_one and other == own) or (other == hand and (old_pn == 0) == (pn == 0) and not open_one):
                if open_one or pn == 0 or dn == 0:
                    chosen = slot
                    if open_one and pn != 0 and dn != 0:
                        mark |= np.int64(is_marked(slot))
                    break
        worth = rank(mate, slot)
        if worth < least:
            least = worth
            chosen = slot
        slot += WORD
    poke(chosen, key)
    poke(chosen + HANDS, hand)
    poke(chosen + NUMBERS, np.uint64(pn) << np.uint64(32) | np.uint64(dn))
    rest = move & SIXTEEN | np.uint64(length) << LENGTH | np.uint64(min(nodes, np.int64(65535))) << AMOUNT
    poke(chosen + REST, rest | mate.generation << GENERATION | np.uint64(mark) << MARK)


@kernel
def begin_small(mate: MateState) -> None:
    """Restrict the solver's table to its first buckets, for the start of a search."""
    mate.tt_mask = min(FIRST, mate.tt_full)
    mate.grow_at = np.int64(2 * mate.tt_mask)


@kernel
def grow(mate: MateState) -> None:
    """Use sixteen times as many buckets of the solver's table. Entries that move to another bucket keep their place
    within the bucket, so none overwrites another."""
    old = mate.tt_mask
    mate.tt_mask = min(old << np.uint64(4) | np.uint64(15), mate.tt_full)
    mate.grow_at = np.int64(2 * mate.tt_mask) if mate.tt_mask < mate.tt_full else np.int64(INFINITE) << 32
    bucket = mate.tt
    while bucket <= mate.tt + old * np.uint64(BUCKET_BYTES):
        slot = bucket
        while slot < bucket + WORD * np.uint64(SLOTS):
            better = bucket_address(mate, peek(slot)) + (slot - bucket)
            if better != slot and rank(mate, slot) >= 0:
                word = ZERO
                while word < np.uint64(BUCKET_BYTES):
                    poke(better + word, peek(slot + word))
                    word += HANDS
                poke(slot + REST, ZERO)
            slot += WORD
        bucket += np.uint64(BUCKET_BYTES)


@kernel
def mixed(key: Key) -> Any:
    """Return the number that stands for a position with the hash key `key` in the key of a search path, which is the
    XOR of such numbers."""
    key = (key ^ key >> np.uint64(29)) * MIX
    return key ^ key >> np.uint64(32) | ONE
