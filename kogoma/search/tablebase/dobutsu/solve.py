"""Solve a variant: compute the values of all positions, in passes that can be continued after an interruption."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.output_file import replacing
from kogoma.rules.structs import new_struct
from kogoma.rules.variants import Variant
from kogoma.search.library import tablebase_library
from kogoma.search.tablebase.dobutsu.tables import LAYOUT, LOSS, entries, new_tablebase, seen_dtype
from kogoma.search.tablebase.dobutsu.values import OFFSET, checksum, rules_mark

Report = Callable[[int, int], None]  # takes a number of plies, and how many positions end after so many

PART = 1 << 20  # positions that a kernel works on at once
SAVE_EVERY = 60.0  # seconds


def solve(variant: Variant, work: Path, threads: int, report: Report) -> Any:
    """Return the values of all positions, as an array of bytes. `work` is a file that keeps the state; if it exists,
    the computation continues there. Raises OSError if it cannot be written."""
    tables = new_tablebase(variant)
    size = entries(tables[0])
    depth, values, counts = _load(work, variant, size)
    tables[0]["values"], tables[0]["counts"] = values.ctypes.data, counts.ctypes.data
    if depth == 0:
        _begin(tables, size, threads)
        depth = LOSS
        _save(work, variant, depth, values, counts)
    saved = time.monotonic()
    seen, count = new_struct(seen_dtype(LAYOUT)), 1
    while count:
        count = 0
        for first in range(0, size, PART):
            numbers = np.flatnonzero(values[first : first + PART] == depth) + first
            if len(numbers):
                tablebase_library(LAYOUT)("tablebase_spread", tables, seen, numbers.ctypes.data, len(numbers), depth)
                count += len(numbers)
        if count:
            report(depth, count)
        depth += 1
        if time.monotonic() - saved > SAVE_EVERY:
            _save(work, variant, depth, values, counts)
            saved = time.monotonic()
    return values


def _begin(tables: Any, size: int, threads: int) -> None:
    """Run the first pass, in several threads."""
    local = threading.local()

    def part(first: int) -> None:
        if not hasattr(local, "seen"):
            local.seen = new_struct(seen_dtype(LAYOUT))
        tablebase_library(LAYOUT)("tablebase_begin", tables, local.seen, first, min(first + PART, size))

    tablebase_library(LAYOUT).load()  # not by several threads at once
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(part, range(0, size, PART)))


def _save(work: Path, variant: Variant, depth: int, values: Any, counts: Any) -> None:
    """Write the state before the pass for positions that end after `depth` plies."""
    sums = [checksum(values), checksum(counts)]
    head = {"kogoma_solving": depth, "rules": rules_mark(variant), "crc32": sums}
    with replacing(work) as file:
        file.write(json.dumps(head).encode().ljust(OFFSET - 1) + b"\n")
        file.write(values.data)
        file.write(counts.data)


def _load(work: Path, variant: Variant, size: int) -> tuple[int, Any, Any]:
    """Return the state that `_save` wrote, or that of the beginning (depth 0) if there is none, or it is damaged."""
    values, counts = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    try:
        with work.open("rb") as file:
            head = json.loads(file.read(OFFSET))
            read = file.readinto(values.data) + file.readinto(counts.data)
        if (
            read == 2 * size
            and head["rules"] == rules_mark(variant)
            and head["crc32"] == [checksum(values), checksum(counts)]
        ):
            return int(head["kogoma_solving"]), values, counts
    except (OSError, ValueError, KeyError, TypeError):
        pass
    values[:], counts[:] = 0, 0
    return 0, values, counts
