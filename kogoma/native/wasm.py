"""How kernels become one WebAssembly module: the same joined LLVM code as the native object, for another target.

The module imports a clock alone: env.now, milliseconds as performance.now() has them. It exports its memory, the
entries by their symbols, and `__heap_base`, from where on the memory is free: records and tables are put there by the
caller. An entry takes records as i32 addresses and integers as i64, and returns an i64.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import llvmlite.binding as llvm

from kogoma.native.build import optimise
from kogoma.native.kernel import symbol
from kogoma.native.library import Library
from kogoma.native.linker import link, wasm_linker
from kogoma.native.llvm_text import for_target, with_smaller_pointers

TRIPLE = "wasm32-unknown-unknown"
# Every engine since Safari 15, Node 16 and Firefox 79 has these.
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"
MOST_MEMORY = 1 << 31  # bytes that threads can share
STACK = 1 << 18  # bytes for what a search at its deepest keeps in memory

# What LLVM calls to shift 128 bits by an amount that is not constant.
# One half of the result holds what stays of its own half and what is carried over from the other.
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
    """The entries of these libraries, or only those that are named, as one WebAssembly module; the same bytes for the
    same sources and linker. KernelError if the kernels can't be built, or if there is no linker.

    `shared`: for several threads, each with an instance of its own. The module then imports its memory, which they
    share, as env.memory, and exports `__stack_pointer`: all but the first have to set it to a stack of their own."""
    linker = wasm_linker()
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = llvm.Target.from_triple(TRIPLE).create_target_machine(
        features=FEATURES + ",+atomics" * shared, opt=3, reloc="static"
    )
    whole, *others = [llvm.parse_bitcode(library.joined()) for library in libraries]
    for module in others:
        whole.link_in(module)
    exported = [symbol(name) for name in entries] or _entries(whole)
    whole = _retarget(str(whole), machine)
    optimise(whole, exported, machine)
    # The stack lies below everything else, so that running out of it is an error and not a silent one.
    options = ["--no-entry", "--strip-all", "--gc-sections", "-O2", "--stack-first", "-z", f"stack-size={STACK}"]
    options += [f"--export={name}" for name in (*exported, "__heap_base", *["__stack_pointer"] * shared)]
    if shared:
        options += ["--shared-memory", "--import-memory", f"--max-memory={MOST_MEMORY}"]
    return link([*linker, *options], (whole, _retarget(SHIFTS, machine)), machine, "module.wasm")


def _entries(module: Any) -> list[str]:
    """The symbols of all entries that are in a module."""
    defined = [function.name for function in module.functions if not function.is_declaration]
    return [name for name in defined if name.startswith(symbol(""))]


def _retarget(text: str, machine: Any) -> Any:
    """LLVM code as a module of the machine's target."""
    return llvm.parse_assembly(for_target(with_smaller_pointers(text), TRIPLE, str(machine.target_data)))
