"""Access to memory by address, for data that is too large or too widely shared for a struct."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def copy_bytes(typing_context: Any, target: Any, source: Any, count: Any) -> Any:
    """Copy `count` bytes between addresses of regions that do not overlap."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        to, origin = (builder.inttoptr(address, ir.IntType(8).as_pointer()) for address in args[:2])
        cgutils.raw_memcpy(builder, to, origin, args[2], 1)
        return context.get_dummy_value()

    return types.void(types.uint64, types.uint64, types.uint64), codegen


@intrinsic
def load_byte(typing_context: Any, address: Any) -> Any:
    """Return the byte at a memory address, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = builder.load(builder.inttoptr(args[0], ir.IntType(8).as_pointer()))
        return builder.zext(byte, ir.IntType(64))

    return types.int64(types.uint64), codegen


@intrinsic
def store_byte(typing_context: Any, address: Any, value: Any) -> Any:
    """Write the low byte of an int64 to a memory address."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = builder.trunc(args[1], ir.IntType(8))
        builder.store(byte, builder.inttoptr(args[0], ir.IntType(8).as_pointer()))
        return context.get_dummy_value()

    return types.void(types.uint64, types.int64), codegen
