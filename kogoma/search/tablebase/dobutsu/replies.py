"""White's winning replies in Dobutsu, in a small file for readers who do not have the whole tablebase.

The file has the positions after these replies, whatever Black plays from the start. Each is lost for its side to move:
after every move, the other side wins at once, or has a reply to a position that is lost in fewer plies. The replies win
as fast as possible, so that values are exact. Positions with the value LOSS are left out, because readers see from the
board that every move loses at once. `benchmarks.make_replies` makes the file.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Mapping
from importlib import resources

import numpy as np

from kogoma.rules.variants import Variant
from kogoma.search.tablebase.dobutsu.tables import suits
from kogoma.search.tablebase.dobutsu.values import rules_mark

NAME = "replies-{}.gz"  # in this package, with the mark of the rules
HEAD = "<IB"  # how many positions there are, and the number of low bits of a difference


def packed(values: Mapping[int, int]) -> bytes:
    """Return the content of a file with the values of positions by their numbers: HEAD, a byte for each value, and the
    differences between the sorted numbers as a Golomb-Rice code. This is a stream of bits, the lowest of each byte
    first: the high bits of a difference as so many ones and a zero, then its low bits, the lowest first."""
    numbers = np.array(sorted(values))
    differences = np.diff(numbers, prepend=0)
    low = max(int(np.log2(differences.mean())), 0)
    stream = list[int]()
    for difference in differences.tolist():
        stream += [1] * (difference >> low) + [0] + [difference >> bit & 1 for bit in range(low)]
    head = struct.pack(HEAD, len(numbers), low)
    each = bytes(values[number] for number in numbers.tolist())
    return gzip.compress(head + each + np.packbits(stream, bitorder="little").tobytes(), 9, mtime=0)


def unpacked(content: bytes) -> dict[int, int]:
    """Return the values of positions by their numbers, from the content of a file."""
    content = gzip.decompress(content)
    count, low = struct.unpack_from(HEAD, content)
    first = struct.calcsize(HEAD)
    stream = iter(np.unpackbits(np.frombuffer(content, np.uint8, offset=first + count), bitorder="little").tolist())
    number, found = 0, dict[int, int]()
    for value in content[first : first + count]:
        while next(stream):
            number += 1 << low
        number += sum(next(stream) << bit for bit in range(low))
        found[number] = value
    return found


def replies(variant: Variant) -> bytes:
    """Return the content of the file for a variant, or b"" if there is none for its rules."""
    if not suits(variant):
        return b""
    file = resources.files(__package__) / NAME.format(rules_mark(variant))
    return file.read_bytes() if file.is_file() else b""
