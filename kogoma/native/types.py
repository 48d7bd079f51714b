"""Type aliases for the values that kernels of every kind work with.

mypy sees `Any`: numba infers a kernel's types from its callers, and its arithmetic is not that of Python's integers.
The names say what an argument is.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Int: TypeAlias = Any
"""A 64-bit integer without another meaning: a count, an index, a flag."""

Address: TypeAlias = Any
"""A memory address, as a 64-bit integer."""

Bitboard: TypeAlias = Any
"""A set of squares: a uint64, or 128 bits on boards of more than 64 squares. See `native.bitboard`."""
