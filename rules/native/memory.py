"""Memory by its address, for what is too large or too widely shared to be a field of a record."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def peek_int16(typing_context: Any, address: Any) -> Any:
    """The signed 16-bit integer at an address, as int64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(builder.inttoptr(args[0], ir.IntType(16).as_pointer()))
        return builder.sext(value, ir.IntType(64))

    return types.int64(types.uint64), codegen
