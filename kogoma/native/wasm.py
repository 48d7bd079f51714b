"""Build a WebAssembly module from the joined LLVM code of native libraries.

The module imports `env.now`, a clock in milliseconds. It exports its memory, the entry points by their symbols, and
`__heap_base`, the start of the memory that is free for structs and tables. Entry points take structs as i32 addresses
and integers as i64, and return an i64.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import llvmlite.binding as llvm

from kogoma.native.build import define_clock, entry_symbols, optimise
from kogoma.native.kernel import symbol
from kogoma.native.library import Library
from kogoma.native.linker import link, wasm_linker
from kogoma.native.llvm_text import for_target, with_smaller_pointers

TRIPLE = "wasm32-unknown-unknown"
# Supported since Chrome 91, Firefox 89, Safari 16.4 and Node 16.4.
FEATURES = "+simd128,+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
MOST_MEMORY = 1 << 31  # bytes of shared memory
STACK = 1 << 18  # bytes, for the deepest search

# Functions that LLVM calls to shift 128 bits by a variable amount.
# Each half of the result combines bits of both halves of the operand.
SHIFT = """
define i128 @{name}(i64 %low, i64 %high, i32 %by) {{
  %amount = zext i32 %by to i64
  %part = and i64 %amount, 63
  %whole = icmp ugt i32 %by, 63
  %none = icmp eq i64 %part, 0
  %back = sub i64 64, %part
  %carry = {against} i64 %{left}, %back
  %over = select i1 %none, i64 0, i64 %carry
  %{left}_part = {along} i64 %{left}, %part
  %{entered}_part = {along} i64 %{entered}, %part
  %joined = or i64 %{entered}_part, %over
  %new_{left} = select i1 %whole, i64 0, i64 %{left}_part
  %new_{entered} = select i1 %whole, i64 %{left}_part, i64 %joined
  %wide_low = zext i64 %new_low to i128
  %wide_high = zext i64 %new_high to i128
  %top = shl i128 %wide_high, 64
  %result = or i128 %top, %wide_low
  ret i128 %result
}}
"""
SHIFTS = SHIFT.format(name="__ashlti3", along="shl", against="lshr", left="low", entered="high")
SHIFTS += SHIFT.format(name="__lshrti3", along="lshr", against="shl", left="high", entered="low")


def wasm_module(libraries: Iterable[Library], entries: Collection[str] = (), shared: bool = False) -> bytes:
    """Return a WebAssembly module with the given entry points of these libraries, or with all their entry points if
    `entries` is empty. If `shared`, several threads can use it, each with its own instance: the module imports its
    memory as `env.memory` and exports `__stack_pointer`. Every instance except the first must set `__stack_pointer` to
    a stack of its own. The result is reproducible. Raises KernelError if the kernels cannot be built or no linker is
    installed."""
    linker = wasm_linker()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        features=FEATURES + ",+atomics" * shared, opt=3, reloc="static"
    )
    whole, *others = [llvm.parse_bitcode(library.joined()) for library in libraries]
    for module in others:
        whole.link_in(module)
    exported = [symbol(name) for name in entries] or entry_symbols(whole)
    whole = _retarget(str(whole), machine)
    define_clock(whole)
    optimise(whole, exported, machine)
    # The stack is at the lowest addresses, so that an overflow traps.
    options = ["--no-entry", "--strip-all", "--gc-sections", "-O2", "--stack-first", "-z", f"stack-size={STACK}"]
    options += [f"--export={name}" for name in (*exported, "__heap_base", *["__stack_pointer"] * shared)]
    if shared:
        options += ["--shared-memory", "--import-memory", f"--max-memory={MOST_MEMORY}"]
    return link([*linker, *options, "-o", "module.wasm"], (whole, _retarget(SHIFTS, machine)), machine, "module.wasm")


def _retarget(text: str, machine: Any) -> Any:
    """Return LLVM code as a module for the machine's target."""
    return llvm.parse_assembly(for_target(with_smaller_pointers(text), TRIPLE, str(machine.target_data)))
