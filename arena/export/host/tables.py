"""In an exported file: the evaluation's tables from the bytes that `eval.tables.split_bytes` makes of them."""

from __future__ import annotations

from array import array


def unfolded(data: bytes, features: int) -> array[int]:
    """Both tables row by row: every two features, then each square of the king with every feature."""
    half = len(data) // 2
    low = data[:half]
    sign = low.translate(bytes(128) + b"\xff" * 128)
    high = int.from_bytes(data[half:], "little") ^ int.from_bytes(sign, "little")
    both = bytearray(2 * half)
    both[::2], both[1::2] = low, high.to_bytes(half, "little")
    numbers = array("h", bytes(both))
    lower = features * (features - 1) // 2
    tables = array("h", bytes(2 * features * features)) + numbers[lower:]
    start = 0
    for row in range(1, features):
        part = numbers[start : start + row]
        tables[row * features : row * features + row] = part
        tables[row : row * features : features] = part
        start += row
    return tables
