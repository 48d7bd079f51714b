"""Type aliases for the arguments and results of all kernels. They document the meaning of a value.

For mypy they are `Any`: numba infers types from callers, and its integer arithmetic is not Python's. Each alias lists
the types that numba may infer, as `native.type_check` names them; the build checks this.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

Int: TypeAlias = Annotated[Any, "int64", "uint64"]
"""A 64-bit integer for which there is no other alias: a count, an index."""

Address: TypeAlias = Annotated[Any, "uint64"]
"""A memory address, as a 64-bit integer."""

Bitboard: TypeAlias = Annotated[Any, "uint64", "Wide"]
"""A set of squares: a uint64, or 128 bits on boards of more than 64 squares. See `native.bitboard`."""

Word: TypeAlias = Annotated[Any, "uint64"]
"""64 bits with packed contents, such as a table entry or a hand."""

Flag: TypeAlias = Annotated[Any, "bool"]
"""A truth value."""

IntArray: TypeAlias = Annotated[Any, "int64 array", "uint64 array", "int32 array", "int16 array", "uint16 array"]
"""An array of integers."""
