"""In an exported file: the reverse of `eval.relation_table.split_bytes`."""

from __future__ import annotations

from array import array


def unpack_table(data: bytes, features: int) -> array[int]:
    """Return the relation table, which is symmetric; `data` contains its numbers below the diagonal. The result begins
    with an unused number, because address 0 means that there is no table. Then the numbers of all `features` rows
    follow."""
    half = len(data) // 2
    low = data[:half]
    sign = low.translate(bytes(128) + b"\xff" * 128)
    high = int.from_bytes(data[half:], "little") ^ int.from_bytes(sign, "little")
    both = bytearray(2 * half)
    both[::2], both[1::2] = low, high.to_bytes(half, "little")
    numbers = array("h", bytes(both))
    table = array("h", bytes(2 * (1 + features * features)))
    start = 0
    for row in range(1, features):
        part = numbers[start : start + row]
        table[1 + row * features : 1 + row * features + row] = part
        table[1 + row : 1 + row * features : features] = part
        start += row
    return table
