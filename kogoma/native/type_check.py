"""Compare the type aliases of kernels with the types that numba infers.

An alias (`native.types`) lists the allowed types: `int64`, `uint64`, `bool`, `Wide` (128 bits), `struct`, or the arrays
of a type, such as `uint16 array`.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, get_type_hints

from numba import types


def contradictions(kernels: Iterable[Any]) -> list[str]:
    """Return a description of each argument and result of compiled kernels whose inferred type its alias does not
    allow. Annotations that list no types, such as `Any`, allow every type. Integers that Python passes to an entry
    point are int64 and are not checked."""
    return sorted({text for kernel in kernels for text in _of_kernel(kernel)})


def _of_kernel(kernel: Any) -> Iterator[str]:
    function = kernel.py_func
    hints = get_type_hints(function, include_extras=True)
    names = [*inspect.signature(function).parameters, "return"]
    for compiled in kernel.overloads.values():
        for name, inferred in zip(names, (*compiled.signature.args, compiled.signature.return_type)):
            allowed, found = getattr(hints.get(name), "__metadata__", ()), kind_of(inferred)
            if allowed and found not in allowed and name not in kernel.integers:
                yield f"{function.__module__}.{function.__name__}: {name} is {found}, not {' or '.join(allowed)}"


def kind_of(inferred: Any) -> str:
    """Return the name that aliases use for one of numba's types."""
    plain = types.unliteral(inferred)
    if isinstance(plain, types.Boolean):
        return "bool"
    if isinstance(plain, types.Record):
        return "struct"
    if isinstance(plain, types.Array | types.NestedArray):
        return f"{plain.dtype} array"
    return str(plain)
