"""The solver's table: buckets of eight entries, kept in the memory of the search's table, for one thread.

A bucket has four lines of eight words: keys, hands, proof and disproof numbers, and the rest (from the low bits: move
16, length 16, nodes 16, generation 8, mark 8). A key is that of the board; the attacker's hand stands for both hands,
since the number of pieces does not change. A proof holds for every hand that has at least these pieces, a disproof for
every hand that has at most these. Where a bucket is full, the entry gives way that cost the fewest nodes.

Most problems need few entries, which the processor's cache can hold: a search begins with a small part of the table,
and takes a larger one whenever its nodes would crowd that.

A disproof by a repetition of a position before the node holds on that path alone: it has a key of its own, made of the
position and of all positions before it, and the position's usual entry a mark that there is one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.rules.types import Key, Move
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
SPARE = np.uint64(sum(1 << 6 * kind + 5 for kind in range(10)))  # the free bit of every type
FIRST = np.uint64(1023)  # buckets - 1 of the part that a search begins with
MIX = np.uint64(0x9E3779B97F4A7C15)


@kernel
def covers(more: Any, less: Any) -> Any:
    """True if a hand has at least the pieces of another."""
    return (((more | SPARE) - less) & SPARE) == SPARE


@kernel
def place(mate: MateState, key: Key) -> Any:
    """Address of a key's bucket."""
    return mate.tt + (key & mate.tt_mask) * np.uint64(BUCKET_BYTES)


@kernel
def ask_for(mate: MateState, key: Key) -> None:
    """Start reading a key's bucket."""
    fetch(place(mate, key ^ mate.salt))


@kernel
def proof_number(slot: Any) -> Any:
    """0: proven."""
    return np.int64(peek(slot + NUMBERS) >> np.uint64(32))


@kernel
def disproof_number(slot: Any) -> Any:
    """0: disproven."""
    return np.int64(peek(slot + NUMBERS) & LOW)


@kernel
def hand_at(slot: Any) -> Any:
    """The attacker's hand for which it holds."""
    return peek(slot + HANDS)


@kernel
def length_at(slot: Any) -> Any:
    """Of a proof the plies to mate; of a disproof how many plies are not enough."""
    return np.int64((peek(slot + REST) >> LENGTH) & SIXTEEN)


@kernel
def move_at(slot: Any) -> Any:
    """The best move; of a disproof on one path the row on which it depends."""
    return peek(slot + REST) & SIXTEEN


@kernel
def is_marked(slot: Any) -> Any:
    """True if there may be a disproof on a path."""
    return peek(slot + REST) >> MARK != 0


@kernel
def find(mate: MateState, key: Key, hand: Any, limit: Any) -> Any:
    """Address of the entry that says most of a position in which the attacker has `limit` plies left, or 0."""
    key ^= mate.salt
    slot = place(mate, key)
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
def rank(mate: MateState, slot: Any) -> Any:
    """What an entry is worth, -1 if it is another search's."""
    rest = peek(slot + REST)
    if (rest >> GENERATION) & np.uint64(255) != mate.generation:
        return np.int64(-1)
    return np.int64((rest >> AMOUNT) & SIXTEEN)


@kernel
def keep(
    mate: MateState, key: Key, own: Any, hand: Any, pn: Any, dn: Any, move: Move, length: Any, nodes: Any, mark: Any
) -> None:
    """Write what is known of a position in which the attacker's hand is `own`, and for which hand it holds."""
    key ^= mate.salt
    slot = place(mate, key)
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
    """Use the first part of the table alone, of which nothing is known."""
    mate.tt_mask = min(FIRST, mate.tt_full)
    mate.grow_at = np.int64(2 * mate.tt_mask)


@kernel
def grow(mate: MateState) -> None:
    """Use sixteen times as many buckets. An entry keeps its number in the bucket, which no other one can have there."""
    old = mate.tt_mask
    mate.tt_mask = min(old << np.uint64(4) | np.uint64(15), mate.tt_full)
    mate.grow_at = np.int64(2 * mate.tt_mask) if mate.tt_mask < mate.tt_full else np.int64(INFINITE) << 32
    bucket = mate.tt
    while bucket <= mate.tt + old * np.uint64(BUCKET_BYTES):
        slot = bucket
        while slot < bucket + WORD * np.uint64(SLOTS):
            better = place(mate, peek(slot)) + (slot - bucket)
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
    """A position's part of the key of a path."""
    key = (key ^ key >> np.uint64(29)) * MIX
    return key ^ key >> np.uint64(32) | ONE
