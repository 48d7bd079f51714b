"""Decorators that make a Python function a kernel, which numba compiles.

`@kernel` marks a function that other kernels call, `@inlined` one that is compiled into its callers, and `@entry_point`
one that Python can call as well. Kernels raise no exceptions, allocate no memory and use no Python objects; they return
a status as an integer. Kernel modules are not imported once `native.build` has compiled them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from kogoma.native.passes import KernelCompiler

Dtype = Callable[[str], Any]  # takes a layout, returns the numpy dtype of a struct
OPTIONS = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "pipeline_class": KernelCompiler,
}


kernels: list[Any] = []  # all functions marked by these decorators, as numba's dispatchers


def kernel(function: Callable[..., Any] | None = None, *, cold: bool = False) -> Any:
    """Mark a function as a kernel: numba compiles it, and other kernels can call it. A `cold` kernel is called by few
    variants or in few nodes: it is not inlined, so that its callers stay small."""
    if function is None:
        return partial(kernel, cold=cold)
    return _compiled(function, cold)


def inlined(function: Callable[..., Any]) -> Any:
    """Mark a kernel that is inlined into each caller: it is short and called often, or has branches that are removed if
    constant arguments exclude them."""
    return _compiled(function, False, forceinline=True)


def _compiled(function: Callable[..., Any], cold: bool, forceinline: bool = False) -> Any:
    # Always given: without it, numba takes the value of the kernel that is compiled as the first caller of this one.
    made = numba.njit(**OPTIONS, forceinline=forceinline)(function)
    made.is_cold, made.integers = cold, frozenset()
    kernels.append(made)
    return made


def by_types(symbol: Any) -> Callable[..., Any]:
    """Mark a function that returns what `symbol`, a function or an operator, does in kernels. numba calls it with the
    types of the arguments; None leaves them to other implementations."""
    decorator: Callable[..., Any] = overload(symbol, jit_options={**OPTIONS, "forceinline": True}, strict=False)
    return decorator


def entry_point(**arguments: Dtype | type[int] | list[Dtype]) -> Callable[[Callable[..., Any]], Any]:
    """Mark a kernel that Python can call, and declare its arguments. The kernel returns an int. An argument is declared
    by a dtype function (a struct, passed as an array of one element), a list of one dtype function (an array of
    structs), or `int`. Kernels call an entry point by its symbol, so that numba does not infer its types again. For the
    recursive search, this inference took minutes."""

    def mark(function: Callable[..., Any]) -> Any:
        called = intrinsic(_typing(symbol(function.__name__)))
        called.kernel = kernel(function)
        called.kernel.integers = frozenset(name for name, kind in arguments.items() if kind is int)
        called.arguments = arguments
        return called

    return mark


def symbol(name: str) -> str:
    """Return the symbol of an entry point in the native object."""
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
