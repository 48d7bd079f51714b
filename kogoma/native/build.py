"""Compile kernels to one native object, in a separate process, so that the engine never loads numba.

numba infers the types of each function and writes its LLVM module. The modules are joined into one, in which only the
entry points are visible, and optimised as a whole. The joined module is kept as well: shared objects and WebAssembly
are made from it (`native.shared_object`, `native.wasm`). `native.compiler` starts this process.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
import re
import sys
import threading
import zlib
from collections.abc import Iterable
from queue import SimpleQueue
from typing import Any

import llvmlite.binding as llvm
import numba
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.registry import cpu_target
from numba.core.targetconfig import TargetConfig

from kogoma.native.clock import IMPORTED, NAME, definition
from kogoma.native.kernel import kernels, symbol
from kogoma.native.llvm_text import named_by_content, renamed
from kogoma.native.object_file import BOUNDS_CHECKS, KernelError, object_content
from kogoma.native.type_check import contradictions

OUTSIDE = ("memcpy", "memset", "memmove", "clock_gettime", IMPORTED, NAME)  # in every libc, or provided by the loader
INLINING = 225, 1500  # LLVM's inlining thresholds in the first and second pass
LOW_PRIORITY = 10  # what a background build adds to its `nice` value


def serve(layout: str, background: bool = False) -> None:
    """Compile the libraries requested on standard input, until standard input ends. Each line names the modules of one
    library. For each library, write the contents of two files to standard output, pickled: the object file, and the
    joined module (compressed LLVM bitcode). The priority of the process is lowered if `background` is set."""
    if background and hasattr(os, "nice"):
        os.nice(LOW_PRIORITY)
    requests = SimpleQueue[list[str]]()
    with os.fdopen(os.dup(1), "wb") as results:
        os.dup2(2, 1)  # other output must not mix with the results
        threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
        gc.disable()  # saves a seventh of the time; the process soon ends and frees its memory
        _speed_up_numba()
        while True:
            pickle.dump(_build(layout, requests.get()), results)
            results.flush()


def _read_requests(requests: SimpleQueue[list[str]]) -> None:
    """Read requests while another thread compiles, and end the process when the input ends, for example because the
    parent process was killed."""
    for line in sys.stdin:
        requests.put(line.split())
    os._exit(1)


def _build(layout: str, modules: list[str]) -> tuple[bytes, bytes]:
    entries = entries_of(modules)
    symbols = [symbol(entry_name) for entry_name in entries]
    whole = join(entries, layout)
    if wrong := contradictions(kernels):
        raise KernelError(f"numba infers other types than the aliases say: {'; '.join(wrong)}")
    joined = zlib.compress(whole.as_bitcode())
    machine = this_machine()
    define_clock(whole)
    optimise(whole, symbols, machine)
    return object_content(machine.emit_object(whole), symbols), joined


def entries_of(modules: Iterable[str]) -> dict[str, Any]:
    """Return the entry points of these modules by name, in a fixed order."""
    found: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(importlib.import_module(module)).items():
            if hasattr(value, "arguments") and value.kernel.py_func.__module__ == module:
                found[name] = value
    return found


class Unlinked(JITCodeLibrary):
    """A code library that leaves each function's LLVM module as numba wrote it. numba's own class links, optimises and
    compiles all callees of every function again, which takes longer than the rest of the build."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Mark the library as final without optimising it."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0 instead of an address, because no compiled code runs in this process."""
        return 0


def _speed_up_numba() -> None:
    """Replace two methods of numba that took a tenth of its time by faster ones with the same results. numba describes
    the arguments of a function for each of its passes, and compares the options of functions for each operator."""
    describe, compare = types.Record.__repr__, TargetConfig.__eq__

    def description(record: Any) -> str:
        if not hasattr(record, "description"):
            record.description = describe(record)
        return str(record.description)

    def are_equal(one: Any, other: Any) -> bool:
        return bool(type(one) is type(other) and one._values == other._values) or compare(one, other) is True

    types.Record.__repr__, TargetConfig.__eq__ = description, are_equal


def join(entries: dict[str, Any], layout: str) -> Any:
    """Return one LLVM module of all entry points, each under its symbol, and of all functions that they call."""
    codegen = cpu_target.target_context.codegen()
    codegen._library_class = Unlinked
    codegen.set_env = lambda name, environment: None
    whole, linked = llvm.parse_assembly(""), set[Any]()
    for name, entry in entries.items():
        compiled = _over_pointers(name, entry, layout)
        module = llvm.parse_assembly(renamed(compiled.inspect_llvm(), compiled.native_name, symbol(name)))
        module.get_function(symbol(name)).linkage = "external"
        whole.link_in(module)
        waiting = list(compiled._library._linking_libraries)
        while waiting:
            library = waiting.pop()
            if library not in linked:
                linked.add(library)
                whole.link_in(library._final_module, preserve=True)  # other entry points may call the same code
                waiting += library._linking_libraries
    _mark_cold(whole)
    whole = llvm.parse_assembly(named_by_content(str(whole)))
    _clean(whole)
    return whole


def entry_symbols(joined: Any) -> list[str]:
    """Return the symbols of all entry points that a joined module defines."""
    defined = [function.name for function in joined.functions if not function.is_declaration]
    return [name for name in defined if name.startswith(symbol(""))]


def _mark_cold(whole: Any) -> None:
    """Mark cold kernels as such for LLVM."""
    cold = {made.fndesc.mangled_name for one in kernels if one.is_cold for made in one.overloads.values()}
    for function in whole.functions:
        if function.name in cold:
            for attribute in ("cold", "noinline"):
                function.add_function_attribute(attribute)


def _clean(whole: Any) -> None:
    """Remove numba's code for exceptions and reference counts, which kernels do not use. Functions become
    `linkonce_odr`, so that modules that define the same function can be linked."""
    for function in whole.functions:
        if not function.is_declaration and not function.name.startswith(symbol("")):
            function.linkage = "linkonce_odr"
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.loop_unrolling = options.slp_vectorization = False  # see `optimise`
    builder = llvm.create_pass_builder(this_machine(), options)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(whole, builder)


def _over_pointers(name: str, entry: Any, layout: str) -> Any:
    """Return a numba cfunc that takes plain pointers and calls the entry point with the structs to which the pointers
    point."""
    signature, arguments = [], []
    for argument, kind in entry.arguments.items():
        if kind is int:
            signature.append(types.int64)
            arguments.append(argument)
            continue
        many = isinstance(kind, list)
        struct = numba.from_dtype((kind[0] if many else kind)(layout))
        signature.append(types.CPointer(struct))
        # numba demands a length, but uses it only for bounds checks, which are off.
        arguments.append(f"carray({argument}, 1 << 40)" if many else f"carray({argument}, 1)[0]")
    source = f"def {symbol(name)}({', '.join(entry.arguments)}):\n    return kernel({', '.join(arguments)})\n"
    scope: dict[str, Any] = {"kernel": entry.kernel, "carray": numba.carray}
    exec(source, scope)
    return numba.cfunc(types.int64(*signature), error_model="numpy")(scope[symbol(name)])


def this_machine() -> Any:
    """Return LLVM's target machine for this processor."""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


def define_clock(whole: Any) -> None:
    """Define the clock of the module's target, as an internal function, if the module calls it."""
    if all(function.name != NAME for function in whole.functions):
        return
    clock = llvm.parse_assembly(definition(whole.triple))
    clock.triple, clock.data_layout = whole.triple, whole.data_layout
    whole.link_in(clock)
    whole.get_function(NAME).linkage = "internal"


def optimise(whole: Any, exported: list[str], machine: Any) -> None:
    """Make all functions except the exported ones internal, and run LLVM's O3 pipeline over the module twice. Raises
    KernelError if the code calls a function that is not available at run time."""
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in exported else "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Measured gains in nodes/s: with the vectoriser and one pass (inlining threshold 600), 8% in perft and 5% in
    # searches; with two passes, another 7% in perft and 8% in searches.
    options.slp_vectorization = True
    for threshold in INLINING:
        options.inlining_threshold = threshold
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(whole, builder)
    outside = [function for function in whole.functions if function.is_declaration]
    foreign = [one for one in outside if not one.name.startswith("llvm.") and one.name not in OUTSIDE]
    if foreign and BOUNDS_CHECKS:
        _trap(whole, foreign)
    elif foreign:
        # A kernel that raises or allocates needs numba's runtime, which is not loaded with the object.
        names = ", ".join(sorted(one.name for one in foreign))
        raise KernelError(f"kernels call functions that do not exist at run time: {names}")


def _trap(whole: Any, functions: list[Any]) -> None:
    """Define functions that end the process. With the environment variable NUMBA_BOUNDSCHECK=1, kernels check the
    indices of arrays, and call such functions after an index error (`benchmarks/bounds.py`)."""
    lines = []
    for function in functions:
        head = re.sub(r" #\d+|local_unnamed_addr ", "", str(function).strip().splitlines()[-1])
        lines.append(head.replace("declare", "define", 1) + " {\n  call void @llvm.trap()\n  unreachable\n}\n")
    stubs = llvm.parse_assembly("declare void @llvm.trap()\n" + "".join(lines))
    stubs.triple, stubs.data_layout = whole.triple, whole.data_layout
    whole.link_in(stubs)
