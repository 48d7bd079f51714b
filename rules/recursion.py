"""How an entry calls itself, or another entry, without making numba infer its types again at every such call.

Inference of direct recursion took minutes for the search. A call by the entry's symbol takes the types for granted;
it is resolved when the entries become one module, and LLVM's optimiser sees through it.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def recursion(name: str) -> Any:
    """A kernel that calls the entry of that name: records go as they are, everything else as int64."""

    def typing(typing_context: Any, *arguments: Any) -> Any:
        kinds = [kind if isinstance(kind, types.Record) else types.int64 for kind in arguments]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
            values = builder.extract_value
            passed, parameters = [], []
            for index, kind in enumerate(kinds):
                value = values(args[0], index)
                if isinstance(kind, types.Record):
                    value = builder.bitcast(value, pointer)
                else:
                    value = context.cast(builder, value, signature.args[0][index], types.int64)
                passed.append(value)
                parameters.append(value.type)
            symbol = f"kogoma_{name}"
            function = builder.module.globals.get(symbol)
            if function is None:
                function = ir.Function(builder.module, ir.FunctionType(word, parameters), symbol)
            return builder.call(function, passed)

        return types.int64(types.StarArgTuple(arguments)), codegen

    return intrinsic(typing)
