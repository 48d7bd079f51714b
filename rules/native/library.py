"""A native library: some entries for one layout, built once (`rules.native.build`) and loaded from its file ever after.

Loading takes llvmlite alone, by the interface through which numba runs its own code.
"""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rules.native.object_file import KernelError, joined_path, object_path, read_joined, read_object

Report = Callable[[str], None]


class Library:
    """The entries of `modules`, in that order, for one layout of the records, as native code."""

    def __init__(self, name: str, modules: tuple[str, ...], layout: str) -> None:
        self.name, self.modules, self.layout = name, modules, layout
        self._functions: dict[str, Callable[..., int]] = {}
        self._engine: Any = None  # LLVM's, which owns the code

    @functools.cached_property
    def path(self) -> Path:
        """The object file, named by all that went into it."""
        return object_path(self.name, self.modules, self.layout)

    def is_built(self) -> bool:
        """Quick, from the standard library alone."""
        return bool(self._functions) or self.path.is_file()

    def build(self) -> None:
        """Compile the object in a process of its own, if nobody has; KernelError says what went wrong."""
        if not self.is_built():
            self._compile()

    def joined(self) -> bytes:
        """LLVM's bitcode of all entries, each under its symbol, for any target; compiled first if nobody has."""
        path = joined_path(self.path)
        if not path.is_file():
            self._compile()
        return read_joined(path)

    def _compile(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path.parent):
                pass
        except OSError as error:
            raise KernelError(
                f"cannot write to the cache folder {self.path.parent} ({error.strerror}): "
                "set KOGOMA_CACHE to a folder that can be written"
            ) from None
        command = [sys.executable, "-P", "-c", "import sys; from rules.native.build import build; build(*sys.argv[1:])"]
        command += [self.name, self.layout, str(self.path), *self.modules]
        environment = {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_CPU_NAME": "generic",  # the processor only comes in at the end, so the joined module serves any
        }
        done = subprocess.run(
            command,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        if done.returncode != 0 or not self.path.is_file():
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise KernelError(f"compiling {self.name} failed: {last[0]}")

    def load(self) -> None:
        """Make the entries callable, building the object first where there is none."""
        if self._functions:
            return
        self.build()
        try:
            self._functions = self._load_object()
            os.utime(self.path)
        except (OSError, RuntimeError, ValueError) as error:
            raise KernelError(f"cannot load {self.path} ({error}): delete it to have it compiled again") from None

    def _load_object(self) -> dict[str, Callable[..., int]]:
        import llvmlite.binding as llvm

        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        code, symbols = read_object(self.path)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self._engine = engine
        functions: dict[str, Callable[..., int]] = {}
        for name, symbol in symbols.items():
            address = engine.get_function_address(symbol)
            if not address:
                raise RuntimeError(f"{symbol} is missing from {self.path}")
            functions[name] = ctypes.CFUNCTYPE(ctypes.c_int64)(address)
        return functions

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call an entry; numpy arrays go as pointers to their first element. The GIL is released meanwhile."""
        if not self._functions:
            self.load()
        return self._functions[name](*[_pass(argument) for argument in arguments])


def _pass(argument: Any) -> ctypes.c_int64:
    if isinstance(argument, int):
        return ctypes.c_int64(argument)
    return ctypes.c_int64(argument.ctypes.data)
