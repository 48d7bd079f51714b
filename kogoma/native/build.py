"""How kernels become one native object; runs in a process of its own, so that an engine's memory never holds numba.

numba types each function and writes its LLVM module; all become one, in which only the entries are visible, and which
is optimised as a whole. The module as it was before that is kept: other targets are made from it
(`native.shared_object`). `native.compiler` starts the process, and asks it for libraries.
"""

from __future__ import annotations

import gc
import importlib
import os
import pickle
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

from kogoma.native.clock import IMPORTED, definition
from kogoma.native.kernel import symbol
from kogoma.native.llvm_text import renamed
from kogoma.native.object_file import KernelError, object_content

OUTSIDE = ("memcpy", "memset", "memmove", "clock_gettime", IMPORTED)  # what every libc has, or a loader
INLINING = 225, 1500  # a function that costs less becomes part of its caller: small ones first, then what they became
RARE = "rare_"  # in the names of kernels that few games call: they stay out of those that call them


def serve(layout: str) -> None:
    """Compile what standard input asks for, a line of modules for each library, and write the contents of both files of
    each to standard output, until the input ends."""
    requests = SimpleQueue[list[str]]()
    with os.fdopen(os.dup(1), "wb") as results:
        os.dup2(2, 1)  # whatever else is printed is no result
        threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
        gc.disable()  # a process that ends soon: a seventh of its time for 100 MB
        while True:
            pickle.dump(_build(layout, requests.get()), results)
            results.flush()


def _read_requests(requests: SimpleQueue[list[str]]) -> None:
    """Read on while this process compiles: the input ends with the process that asks, also if that is killed."""
    for line in sys.stdin:
        requests.put(line.split())
    os._exit(1)


def _build(layout: str, modules: list[str]) -> tuple[bytes, bytes]:
    entries = entries_of(modules)
    symbols = [symbol(entry_name) for entry_name in entries]
    whole = join(entries, layout)
    joined = zlib.compress(whole.as_bitcode())
    machine = this_machine()
    optimise(whole, symbols, machine)
    return object_content(machine.emit_object(whole), symbols), joined


def entries_of(modules: Iterable[str]) -> dict[str, Any]:
    """Name -> entry, of all these modules, in a fixed order."""
    found: dict[str, Any] = {}
    for module in modules:
        for name, value in vars(importlib.import_module(module)).items():
            if hasattr(value, "arguments") and value.kernel.py_func.__module__ == module:
                found[name] = value
    return found


class Unlinked(JITCodeLibrary):
    """A function's LLVM module as numba wrote it. numba's own kind links into it all that the function calls, optimises
    that and makes machine code of it, for every function anew, which took longer than all the rest."""

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """It stays as it is."""
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Nowhere: nothing runs in this process."""
        return 0


def join(entries: dict[str, Any], layout: str) -> Any:
    """One LLVM module of all entries, each under its symbol, and of all functions that they call."""
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
                whole.link_in(library._final_module, preserve=True)  # other entries call it, too
                waiting += library._linking_libraries
    _clean(whole)
    return whole


def _clean(whole: Any) -> None:
    """Take out what numba wrote for errors and counted references, of which kernels have none: what is left calls
    nothing outside. Another module may hold the same functions, and be linked with this one."""
    for function in whole.functions:
        if not function.is_declaration and not function.name.startswith(symbol("")):
            function.linkage = "linkonce_odr"
    options = llvm.create_pipeline_tuning_options(speed_level=1)
    options.loop_vectorization = options.loop_unrolling = options.slp_vectorization = False  # for the pass over all
    builder = llvm.create_pass_builder(this_machine(), options)
    passes = builder.getModulePassManager()
    passes.add_refprune_pass()
    passes.run(whole, builder)


def _over_pointers(name: str, entry: Any, layout: str) -> Any:
    """A numba cfunc over plain pointers that calls the entry with its records."""
    signature, arguments = [], []
    for argument, kind in entry.arguments.items():
        if kind is int:
            signature.append(types.int64)
            arguments.append(argument)
            continue
        many = isinstance(kind, list)
        record = numba.from_dtype((kind[0] if many else kind)(layout))
        signature.append(types.CPointer(record))
        # The length only serves checks that are switched off.
        arguments.append(f"carray({argument}, 1 << 40)" if many else f"carray({argument}, 1)[0]")
    source = f"def {symbol(name)}({', '.join(entry.arguments)}):\n    return kernel({', '.join(arguments)})\n"
    scope: dict[str, Any] = {"kernel": entry.kernel, "carray": numba.carray}
    exec(source, scope)
    return numba.cfunc(types.int64(*signature), error_model="numpy")(scope[symbol(name)])


def this_machine() -> Any:
    """LLVM's target machine for the processor that this runs on."""
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        reloc="pic",
        codemodel="jitdefault",
        jit=True,
    )


def optimise(whole: Any, exported: list[str], machine: Any) -> None:
    """Make everything but the entries internal, and run LLVM's O3 over all of it twice; KernelError if something is
    called that is not there."""
    clock = llvm.parse_assembly(definition(whole.triple))
    clock.triple, clock.data_layout = whole.triple, whole.data_layout
    whole.link_in(clock)
    for function in whole.functions:
        if not function.is_declaration:
            function.linkage = "external" if function.name in exported else "internal"
            if RARE in function.name:
                for attribute in ("cold", "noinline"):
                    function.add_function_attribute(attribute)
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    # Measured: the vectoriser and one pass (600) 8% more perft and 5% more search, the two passes 7% and 8% more again.
    options.slp_vectorization = True
    for threshold in INLINING:
        options.inlining_threshold = threshold
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(whole, builder)
    outside = [function.name for function in whole.functions if function.is_declaration]
    foreign = [name for name in outside if not name.startswith("llvm.") and name not in OUTSIDE]
    if foreign:
        # A kernel that raises or allocates needs numba's runtime, which is not there when the object runs.
        raise KernelError(f"kernels need symbols from outside: {', '.join(sorted(foreign))}")
