"""Type aliases for the arguments and results of all kernels. They document the meaning of a value.

For mypy they are `Any`: numba infers types from callers, and its integer arithmetic is not Python's.
"""

from __future__ import annotations

from typing import Any, TypeAlias

Int: TypeAlias = Any
"""A 64-bit integer for which there is no other alias: a count, an index, a flag."""

Address: TypeAlias = Any
"""A memory address, as a 64-bit integer."""

Bitboard: TypeAlias = Any
"""A set of squares: a uint64, or 128 bits on boards of more than 64 squares. See `native.bitboard`."""

Word: TypeAlias = Any
"""64 bits with packed contents, such as a table entry or a hand."""

Flag: TypeAlias = Any
"""A truth value."""

IntArray: TypeAlias = Any
"""An array of integers."""
