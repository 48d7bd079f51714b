"""In an exported file: the reverse of `eval.network_file.split_bytes`."""

from __future__ import annotations


def unpack_network(data: bytes) -> bytes:
    """Return the rows of the network as little-endian int16."""
    half = len(data) // 2
    low = data[:half]
    sign = low.translate(bytes(128) + b"\xff" * 128)
    high = int.from_bytes(data[half:], "little") ^ int.from_bytes(sign, "little")
    both = bytearray(2 * half)
    both[::2], both[1::2] = low, high.to_bytes(half, "little")
    return bytes(both)
