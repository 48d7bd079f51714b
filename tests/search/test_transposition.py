"""Tests of the transposition table in every layout. Stored entries are found, and the same entries are replaced as in a
simple implementation."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from kogoma.search.table_memory import Table
from kogoma.search.thread import DECIDED, MATE, UNKNOWN, thread_dtype
from kogoma.search.transposition import ENTRIES, EXACT, LOWER, PROVEN, UPPER
from support.kernels import LAYOUTS
from support.kernels import entries_library as library
from support.usi_client import ROOT

GENERATIONS = 64  # the generation number is from 0 to 63


@dataclass(frozen=True)
class Entry:
    """A table entry for the position of a node that is `ply` plies from the root. A mate score counts the plies from
    the root."""

    key: int
    move: int = 0
    score: int = 0
    static_eval: int = 0
    depth: int = 0
    bound: int = EXACT
    ply: int = 0
    generation: int = 0


class Native:
    """The engine's transposition table. Only `buckets` of its buckets are used."""

    def __init__(self, layout: str, buckets: int) -> None:
        self.call, self.table = library(layout), Table(1)
        self.table.wait()
        self.thread = np.zeros(1, thread_dtype(layout))
        self.thread[0]["tt"], self.thread[0]["tt_mask"] = self.table.address, buckets - 1

    def store(self, entry: Entry) -> None:
        self.thread[0]["generation"] = entry.generation
        found = (entry.move, entry.score, entry.static_eval, entry.depth, entry.bound, entry.ply)
        self.call("store_entry", self.thread, entry.key, *found)

    def probe(self, key: int, ply: int = 0) -> Entry | None:
        fields = np.zeros(6, np.int64)
        if not self.call("probe_entry", self.thread, key, ply, fields):
            return None
        move, score, static_eval, depth, bound, generation = fields.tolist()
        return Entry(key, move, score, static_eval, depth, bound, ply, generation)


class Plain:
    """A transposition table made of lists. It must replace the same entries as `Native`. Each bucket has room for four
    entries. If a bucket is full, the entry with the lowest value is replaced. An entry's value is its depth, reduced by
    four plies for each search since the entry was stored. A mate in one counts as depth 1."""

    def __init__(self, buckets: int) -> None:
        self.buckets: list[list[Entry]] = [[] for _ in range(buckets)]

    def store(self, entry: Entry) -> None:
        bucket = self.buckets[entry.key % len(self.buckets)]
        for slot, old in enumerate(bucket):
            if old.key == entry.key:
                if entry.bound != EXACT and entry.depth + 3 < old.depth and entry.generation == old.generation:
                    return
                bucket[slot] = entry if entry.move else Entry(**{**vars(entry), "move": old.move})
                return
        if len(bucket) < ENTRIES:
            bucket.append(entry)
            return
        depths = [old.depth if old.depth < PROVEN else 1 for old in bucket]
        worth = [
            depth - 4 * ((entry.generation - old.generation) % GENERATIONS)
            for depth, old in zip(depths, bucket, strict=True)
        ]
        bucket[worth.index(min(worth))] = entry

    def probe(self, key: int) -> Entry | None:
        return next((entry for entry in self.buckets[key % len(self.buckets)] if entry.key == key), None)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_stored_entries_are_found(layout: str) -> None:
    rng, native = random.Random(1), Native(layout, 1 << 14)
    for _ in range(3000):
        entry = Entry(
            key=rng.getrandbits(64),
            move=rng.randrange(1, 1 << 16),
            score=rng.choice([0, rng.randint(1 - DECIDED, DECIDED - 1)]),
            static_eval=rng.choice([UNKNOWN, rng.randint(-5000, 5000)]),
            depth=rng.randint(-3, 127),
            bound=rng.choice([UPPER, LOWER, EXACT]),
            ply=rng.randint(0, 100),
            generation=rng.randrange(GENERATIONS),
        )
        native.store(entry)
        assert native.probe(entry.key, entry.ply) == entry


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("sign", [1, -1])
def test_plies_to_the_end_are_counted_from_the_node(layout: str, sign: int) -> None:
    native = Native(layout, 1)
    for score in (MATE - 7, DECIDED + 9, DECIDED - 9):
        native.store(Entry(key=score, score=sign * score, ply=3, generation=1))
        moved = 2 if score > DECIDED else 0  # mate scores count plies from the root: at ply 5, two more than at ply 3
        found = native.probe(score, 5)
        assert found is not None and found.score == sign * (score - moved)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(3))
def test_the_same_entries_are_replaced_as_in_a_simple_table(layout: str, seed: int) -> None:
    rng, native, plain = random.Random(seed), Native(layout, 2), Plain(2)
    keys, generation = [rng.getrandbits(64) for _ in range(24)], 0
    for number in range(4000):
        generation = (generation + (rng.random() < 0.05)) % GENERATIONS
        entry = Entry(
            key=rng.choice(keys),
            move=rng.choice([0, rng.randrange(1, 1 << 16)]),
            score=rng.randint(-999, 999),
            depth=rng.choice([PROVEN, *range(-3, 21)]),
            bound=rng.choice([UPPER, LOWER, EXACT]),
            generation=generation,
        )
        for table in (native, plain):
            table.store(entry)
        for key in keys if number % 5 == 0 else [entry.key]:
            assert native.probe(key) == plain.probe(key), number


@pytest.mark.parametrize("layout", LAYOUTS)
def test_old_entries_are_replaced_before_shallow_ones(layout: str) -> None:
    native = Native(layout, 1)
    for key, depth, generation in ((1, 12, 62), (2, 2, 1), (3, 3, 1), (4, 4, 1)):
        native.store(Entry(key, move=key, depth=depth, generation=generation))
    native.store(Entry(5, move=5, depth=0, generation=2))  # after generation 63 comes generation 0
    assert [key for key in range(1, 6) if native.probe(key)] == [2, 3, 4, 5]
    native.store(Entry(6, move=6, depth=9, generation=2))
    assert [key for key in range(1, 7) if native.probe(key)] == [3, 4, 5, 6]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mate_in_one_is_replaced_before_deep_entries(layout: str) -> None:
    native = Native(layout, 1)
    for key, depth in ((1, 2), (2, PROVEN), (3, 3), (4, 0)):
        native.store(Entry(key, move=key, depth=depth, generation=1))
    for key in (5, 6):
        native.store(Entry(key, move=key, depth=4, generation=1))
    assert [key for key in range(1, 7) if native.probe(key)] == [1, 3, 5, 6]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_mixed_entry_is_ignored(layout: str) -> None:
    """Check that an entry is ignored if its two words come from different calls of `store`. This can happen if two
    threads write the same entry."""
    native = Native(layout, 1)
    native.store(Entry(1, move=7, depth=5, generation=1))
    words = np.frombuffer(native.table._memory, np.uint64, 2)  # the first entry of the first bucket
    kept = words.copy()
    native.store(Entry(1, move=8, depth=6, generation=1))
    newer = words.copy()
    words[:] = kept[0], newer[1]
    assert native.probe(1) is None
    words[:] = newer
    assert native.probe(1) == Entry(1, move=8, depth=6, generation=1)


@pytest.mark.long
def test_a_table_may_be_freed_while_it_is_cleared() -> None:
    code = "from kogoma.search.table_memory import Table\nfor _ in range(60): Table(64)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT).returncode == 0
