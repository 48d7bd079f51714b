"""Memory by its address, for what is too large or too widely shared to be a field of a record."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def peek_int16(typing_context: Any, address: Any) -> Any:
    """The signed 16-bit integer at an address, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(builder.inttoptr(args[0], ir.IntType(16).as_pointer()))
        return builder.sext(value, ir.IntType(64))

    return types.int64(types.uint64), codegen


@intrinsic
def copy_bytes(typing_context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy so many bytes from one address to another; they must not overlap."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, origin = (builder.inttoptr(address, ir.IntType(8).as_pointer()) for address in args[:2])
        cgutils.raw_memcpy(builder, to, origin, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), codegen
