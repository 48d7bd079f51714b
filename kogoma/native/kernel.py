"""Decorators that make a Python function a kernel: `@kernel` for one that kernels call, `@entry_point` for one that
Python calls, too, `@inlined` for one that becomes part of those that call it.

Kernels raise nothing, allocate nothing and touch no Python object; status goes back as an int. `native.build`
makes one native object of them, which is why nothing here is imported once that object exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

Dtype = Callable[[str], Any]  # layout -> numpy dtype of a record
OPTIONS = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Callable[..., Any]) -> Any:
    """Mark a function that numba compiles and other kernels call."""
    return numba.njit(**OPTIONS)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Mark a kernel that is compiled into each of its callers, where arguments that are constants there leave out what
    is never reached."""
    return numba.njit(**OPTIONS, forceinline=True)(function)


def entry_point(**arguments: Dtype | type[int] | list[Dtype]) -> Callable[[Callable[..., Any]], Any]:
    """Mark a kernel that Python calls, naming what each argument is: a dtype function for a record (passed as an
    array of one), a list of one for an array of records, or int. It returns an int.

    Kernels call an entry by its symbol, with records as they are and everything else as int64. numba does not infer
    its types again there, which took minutes where the search calls itself; LLVM sees through the call.
    """

    def mark(function: Callable[..., Any]) -> Any:
        called = intrinsic(_typing(symbol(function.__name__)))
        called.kernel = kernel(function)
        called.arguments = arguments
        return called

    return mark


def symbol(name: str) -> str:
    """What an entry is called in the native object."""
    return f"kogoma_{name}"


def _typing(name: str) -> Callable[..., Any]:
    def typing(typing_context: Any, *arguments: Any) -> Any:
        kinds = [kind if isinstance(kind, types.Record) else types.int64 for kind in arguments]

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            word, pointer = ir.IntType(64), ir.IntType(8).as_pointer()
            passed = []
            for index, kind in enumerate(kinds):
                value = builder.extract_value(args[0], index)
                if isinstance(kind, types.Record):
                    value = builder.bitcast(value, pointer)
                else:
                    value = context.cast(builder, value, signature.args[0][index], types.int64)
                passed.append(value)
            function = builder.module.globals.get(name)
            if function is None:
                kind = ir.FunctionType(word, [value.type for value in passed])
                function = ir.Function(builder.module, kind, name)
            return builder.call(function, passed)

        return types.int64(types.StarArgTuple(arguments)), codegen

    return typing
