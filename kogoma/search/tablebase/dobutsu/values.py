"""A tablebase's values: their file, and the value of a position.

The file has one line of JSON, spaces up to OFFSET bytes, and one byte for each position (`tables` says what it means).
It is mapped into memory, so that only the pages in use are read.
"""

from __future__ import annotations

import hashlib
import json
import threading
import zlib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from kogoma.native.cache.folders import Tell, trusted_folders
from kogoma.native.library import tell
from kogoma.output_file import replacing
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import TYPES
from kogoma.rules.notation import Setup, write_sfen
from kogoma.rules.structs import new_struct
from kogoma.rules.variants import Variant
from kogoma.search.library import tablebase_library
from kogoma.search.tablebase.dobutsu.tables import (
    FILES,
    LAYOUT,
    NO_ENTRY,
    RANKS,
    WIN,
    WINS_AT_ONCE,
    entries,
    new_tablebase,
    seen_dtype,
    suits,
)

NAME = "{}.tablebase"  # of a variant's file
OFFSET = 4096  # bytes before the values
FORMAT = 1
BLOCK = 1 << 24  # bytes that are read at once for the checksum


class TablebaseError(ValueError):
    """A tablebase file cannot be used. The message says why."""


def folders(path: str, report: Tell) -> list[Path]:
    """Return the folders in which tablebases are looked for: `path` or, if it is "", the engine's cache folders. The
    first is the one to which they are written. `report` takes messages about folders that are not used."""
    return [Path(path)] if path else trusted_folders(report)


def find_file(path: str, variant: Variant, report: Tell) -> Path | None:
    """Return the file of a variant's tablebase in the first of the `folders` that has one, or None."""
    if not suits(variant):
        return None
    found = (folder / NAME.format(variant.name) for folder in folders(path, report))
    return next((file for file in found if file.exists()), None)


def rules_mark(variant: Variant) -> str:
    """Return a mark of everything that the values depend on: the pieces and rules of the variant."""
    pieces = [(piece.letter, sorted(piece.steps), piece.promotes_to, piece.royal) for piece in variant.pieces]
    return hashlib.sha256(repr((FORMAT, sorted(variant.start.split()[0]), pieces)).encode()).hexdigest()[:16]


def checksum(values: Any) -> int:
    """Return the CRC-32 of an array of bytes."""
    found = 0
    for first in range(0, len(values), BLOCK):
        found = zlib.crc32(values[first : first + BLOCK], found)
    return found


def write_values(path: Path, variant: Variant, values: Any) -> None:
    """Write a file with the values of all positions. Raises OSError, and leaves `path` as it was, if that fails."""
    head = {
        "kogoma_tablebase": FORMAT,
        "variant": variant.name,
        "rules": rules_mark(variant),
        "crc32": checksum(values),
    }
    with replacing(path) as file:
        file.write(json.dumps(head).encode().ljust(OFFSET - 1) + b"\n")
        file.write(values.data)


def read_values(path: Path, variant: Variant) -> Any:
    """Map the values in the file of a variant's tablebase into memory, as an array of bytes. Raises TablebaseError if
    it is not such a file, or is damaged, and OSError if it cannot be read."""
    expected = OFFSET + entries(new_tablebase(variant)[0])
    with path.open("rb") as file:
        line = file.read(OFFSET)
    try:
        head = json.loads(line)
        mark, total = head["rules"], head["crc32"]
    except (ValueError, KeyError, TypeError):
        raise TablebaseError(f"{path} is not a tablebase") from None
    if head.get("kogoma_tablebase") != FORMAT or mark != rules_mark(variant):
        raise TablebaseError(f"{path} is a tablebase of another game or version") from None
    if (size := path.stat().st_size) != expected:
        raise TablebaseError(f"{path} is damaged: it has {size:,} bytes instead of {expected:,}")
    values = np.memmap(path, np.uint8, "r", OFFSET)
    if checksum(values) != total:
        raise TablebaseError(f"{path} is damaged: its checksum is wrong")
    return values


class _Local(threading.local):
    """The struct in which a thread sets up positions."""

    def __init__(self) -> None:
        self.seen = new_struct(seen_dtype(LAYOUT))
        self.address = int(self.seen.ctypes.data)


class Tablebase:
    """The values of all positions of a variant."""

    tables = None  # searches do not look up values: the root has nearly always one

    def __init__(self, variant: Variant, values: Any) -> None:
        """Use an array of values, and load the library that reads them."""
        self._library = tablebase_library(LAYOUT)
        self._library.load()
        self.variant = variant
        self.values = np.asarray(values)  # faster than a memmap; one byte each; `self._tables` has their address
        self._tables, self._local = new_tablebase(variant), _Local()
        self._tables[0]["values"] = values.ctypes.data
        self._address = int(self._tables.ctypes.data)

    @classmethod
    def open(cls, path: Path, variant: Variant) -> Tablebase:
        """Open the file of a variant's tablebase. Raises the errors that `read_values` raises."""
        return cls(variant, read_values(path, variant))

    def value(self, position: BasePosition) -> int | None:
        """Return 0 if a position that has not ended is a draw, otherwise the number of plies to the end with best play:
        positive if the side to move wins, negative if it loses. Return None if the position has no entry: its side to
        move has a lion on the goal that the other side did not take. Earlier occurrences of a position are ignored."""
        number = self._number(position)
        if number == NO_ENTRY:
            return None
        found = WIN if number == WINS_AT_ONCE else int(self.values[number])
        return found if found % 2 else -found

    def number(self, position: BasePosition) -> int | None:
        """Return the number of a position that has not ended, or None if it has none, because its side to move wins at
        once, or because it has no entry."""
        found = self._number(position)
        return found if found >= 0 else None

    def _number(self, position: BasePosition) -> int:
        return self._library("tablebase_number", self._address, self._local.address, position.addresses[1])

    def sfen(self, number: int) -> str:
        """Return the position with a number, with Black to move, as SFEN. If it ends at once, it may be one that cannot
        occur."""
        seen = self._local.seen
        self._library("tablebase_position", self._tables, seen, number)
        fields = seen[0]
        board = [int(code) for row in fields["board"].reshape(RANKS, FILES)[::-1] for code in row]
        hands = [[0] * TYPES, [0] * TYPES]
        for level, kind in enumerate(self._tables[0]["kind"][: self._tables[0]["kinds"], 0]):
            for side in range(2):
                hands[side][int(kind)] = int(fields["hand"][side, level])
        return write_sfen(Setup(board, hands), self.variant)

    def numbers(self, value: int) -> Any:
        """Return the numbers of all entries with a value: 0 for draws, otherwise plies to the end."""
        return np.flatnonzero(self.values == value)

    def counts(self) -> list[int]:
        """Return how many entries have each value, from 0 to the largest."""
        found: list[int] = np.bincount(self.values).tolist()
        return found


@cache
def open_tablebase(path: str, variant: Variant) -> Tablebase | None:
    """Return a variant's tablebase, or None if there is none in the `folders`. Raises TablebaseError and OSError as
    `Tablebase.open` does."""
    file = find_file(path, variant, tell)
    return None if file is None else Tablebase.open(file, variant)
