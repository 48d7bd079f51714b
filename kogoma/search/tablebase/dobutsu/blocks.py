"""Blocks of a tablebase's values, compressed one by one, for a reader who needs few values: the web page."""

from __future__ import annotations

import gzip
import re
from typing import Any

import numpy as np

from kogoma.rules.variants import Variant
from kogoma.search.tablebase.dobutsu.tables import WIN
from kogoma.search.tablebase.dobutsu.values import rules_mark

BLOCK = 1 << 13  # values in a block: all moves of a position need four blocks of 2 kB on average


def blocks_folder(variant: Variant) -> str:
    """Return the path of a variant's blocks on a site. It has a mark of the rules, so the contents never change."""
    return f"tablebase/{variant.name}-{rules_mark(variant)}"


def block_name(variant: Variant, number: int) -> str:
    """Return the path of a block on a site."""
    return f"{blocks_folder(variant)}/{number}.gz"


def parse_block_name(path: str) -> tuple[str, int] | None:
    """Return the folder and the number in the path of a block, or None if it is not such a path."""
    found = re.fullmatch(r"(tablebase/[a-z0-9-]+)/(\d{1,6})\.gz", path)
    return found and (found[1], int(found[2]))


def block_count(values: Any) -> int:
    """Return the number of blocks of a tablebase's values (an array of bytes)."""
    return -(-len(values) // BLOCK)


def packed_block(values: Any, number: int) -> bytes:
    """Return a block in gzip format. A position that wins at once has the value of the position before it instead of
    its own, because readers see such wins from the board, and equal values need less space."""
    block = np.array(values[number * BLOCK : (number + 1) * BLOCK])
    origin = np.maximum.accumulate(np.where(block == WIN, 0, np.arange(len(block))))
    return gzip.compress(block[origin].tobytes(), 9, mtime=0)
