"""Arithmetic on vectors of 16-bit integers in memory, for kernels: LLVM chooses the instructions of each processor.

Numba's loops would not do: the vectoriser sees them only after inlining, and then leaves some of them as they are.
Every target computes with the same integers, so all processors get equal results.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

SHORT, INT, WORD = ir.IntType(16), ir.IntType(32), ir.IntType(64)


@intrinsic
def address_of(typing_context: Any, array: Any) -> Any:
    """Return the address of the first element of an array field of a struct, as uint64."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ptrtoint(context.make_array(array)(context, builder, args[0]).data, WORD)

    return types.uint64(array), codegen


def _vector(builder: Any, address: Any, count: int) -> Any:
    """Emit code that loads a vector of `count` 16-bit integers, which need not be aligned."""
    value = builder.load(builder.inttoptr(address, ir.VectorType(SHORT, count).as_pointer()))
    value.align = 2
    return value


def row_adder(count: int) -> Any:
    """Return a function for kernels that adds and subtracts vectors of `count` 16-bit integers."""

    @intrinsic
    def add_rows(typing_context: Any, target: Any, source: Any, plus: Any, minus: Any) -> Any:
        """Write the vector at `source` plus that at `plus` minus that at `minus` to `target`. All are addresses. Sums
        wrap around."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            first, added, removed = (_vector(builder, address, count) for address in args[1:])
            place = builder.inttoptr(args[0], added.type.as_pointer())
            builder.store(builder.sub(builder.add(first, added), removed), place).align = 2
            return context.get_dummy_value()

        return types.void(types.uint64, types.uint64, types.uint64, types.uint64), codegen

    return add_rows


def squared_product(count: int, largest: int) -> Any:
    """Return a function for kernels that multiplies two vectors of `count` 16-bit integers, clipped to the range from 0
    to `largest` and squared, by weights."""
    if largest**2 >= 1 << 15:
        raise ValueError(f"{largest} squared does not fit 16 bits")

    @intrinsic
    def product(typing_context: Any, first: Any, second: Any, weights: Any) -> Any:
        """Return the sum of the clipped and squared numbers at `first` and `second`, each multiplied by its weight, as
        int64. All are addresses; the weights for `second` follow those for `first`. The sum must fit 32 bits."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            row = ir.Constant(WORD, count * SHORT.width // 8)
            parts = [
                _weighted_squares(builder, _vector(builder, values, count), _vector(builder, weights, count), largest)
                for values, weights in zip(args[:2], (args[2], builder.add(args[2], row)))
            ]
            return builder.sext(_sum(builder, builder.add(*parts)), WORD)

        return types.int64(types.uint64, types.uint64, types.uint64), codegen

    return product


def _weighted_squares(builder: Any, values: Any, weights: Any, largest: int) -> Any:
    """Emit code that clips and squares `values` and multiplies them by `weights`, as 32-bit integers. LLVM turns this
    form into instructions that multiply 16-bit integers and add pairs of the products (`pmaddwd`, `smlal`)."""
    count = values.type.count
    zero, most = (ir.Constant(values.type, [number] * count) for number in (0, largest))
    values = builder.select(builder.icmp_signed(">", values, zero), values, zero)
    values = builder.select(builder.icmp_signed("<", values, most), values, most)
    wide = ir.VectorType(INT, count)
    return builder.mul(builder.sext(builder.mul(values, values), wide), builder.sext(weights, wide))


def _sum(builder: Any, values: Any) -> Any:
    """Emit code that adds the elements of a vector of 32-bit integers."""
    name = f"llvm.vector.reduce.add.v{values.type.count}i32"
    found = builder.module.globals.get(name)
    return builder.call(found or ir.Function(builder.module, ir.FunctionType(INT, [values.type]), name), [values])
