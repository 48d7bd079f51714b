"""A native library: entry points compiled for one layout.

It is a prebuilt library if there is one for this platform and these sources (`native.prebuilt`). Otherwise it is
compiled once and then loaded from the cache, which needs llvmlite, not numba.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import sys
import threading
import zlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from kogoma.native import prebuilt
from kogoma.native.address_space import LIBRARY, LLVM, require
from kogoma.native.cache.folders import Tell, alone, read, write_cached
from kogoma.native.object_file import KernelError, code_and_symbols, joined_name, object_name

if TYPE_CHECKING:
    from kogoma.native.compiler import Compiler


def tell(text: str) -> None:
    """Print a message on standard error, unless that is closed. This is the default `report` of a library."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            print(f"kogoma: {text}", file=sys.stderr, flush=True)


class Library:
    """The entry points of `modules`, compiled for one layout of the structs. Call one with `library(name,
    *arguments)`."""

    def __init__(self, name: str, modules: tuple[str, ...], layout: str, purpose: str) -> None:
        """Prepare the library of the entry points in `modules`, for structs of one layout. `purpose` describes the
        layout in messages."""
        self.name, self.modules, self.layout, self._purpose = name, modules, layout, purpose
        self._contents: dict[str, bytes] = {}  # by file name
        self._functions: dict[str, int] = {}  # addresses by name
        self._typed: dict[tuple[str, int], Callable[..., int]] = {}  # by name and number of arguments
        self._owner: Any = None  # of the code: LLVM's execution engine, or a shared library
        self._loading = threading.Lock()

    @functools.cached_property
    def file_name(self) -> str:
        """The name of the object file. This name contains a hash of the sources."""
        return object_name(self.name, self.modules, self.layout)

    @property
    def full_name(self) -> str:
        """The name of the library among the prebuilt ones."""
        return f"{self.name}-{self.layout}"

    @functools.cached_property
    def _prebuilt(self) -> prebuilt.Prebuilt | None:
        return prebuilt.find(self.full_name, self.modules)

    @property
    def is_prebuilt(self) -> bool:
        """Whether the library is prebuilt, so that it has only to be loaded. Raises KernelError if the library is
        neither prebuilt nor can be compiled."""
        return self._prebuilt is not None

    def is_built(self, report: Tell = tell) -> bool:
        """Return whether the library is prebuilt or its object file is in the cache. This is fast and needs only the
        standard library. Raises KernelError if the library is neither prebuilt nor can be compiled."""
        return bool(self._functions or self._prebuilt) or self._find(self.file_name, report) is not None

    def build(self, report: Tell = tell, compiler: Compiler | None = None) -> None:
        """Compile the object file if it is needed and missing, with `compiler` or a new Compiler. Raises KernelError if
        that fails."""
        if not self.is_built(report):
            self._make(self.file_name, report, compiler)

    def joined(self, report: Tell = tell) -> bytes:
        """Return the LLVM bitcode of all entry points, for any target. Compiles it if it is not cached."""
        name = joined_name(self.file_name)
        content = self._find(name, report)
        return zlib.decompress(self._make(name, report) if content is None else content)

    def _find(self, name: str, report: Tell) -> bytes | None:
        """Return the content of the cached file `name`, or None if the cache does not have it. Keep the content in
        memory."""
        if name not in self._contents:
            content = read(name, report)
            if content is None:
                return None
            self._contents[name] = content
        return self._contents[name]

    def _make(self, name: str, report: Tell, compiler: Compiler | None = None) -> bytes:
        """Return the content of the missing file `name`, after compiling it or after waiting for another process that
        compiles it."""
        with alone(self.file_name, report) as folder:
            content = self._find(name, report)
            if content is None:
                report(f"compiling {self.name} for {self._purpose}, once: this takes up to a minute")
                from kogoma.native.compiler import Compiler

                with contextlib.ExitStack() as stack:
                    compiler = compiler or stack.enter_context(contextlib.closing(Compiler(self.layout)))
                    made = compiler.compiled(self.name, self.modules)
                self._contents = {self.file_name: made[0], joined_name(self.file_name): made[1]}
                report(f"compiled {self.name}")
                write_cached(folder, self._contents, report)
                content = self._contents[name]
        return content

    def load(self, report: Tell = tell) -> None:
        """Make the entry points callable; compile them first if necessary. Thread-safe. Raises KernelError, and
        OSError or MemoryError if llvmlite cannot be loaded."""
        with self._loading:
            if self._functions:
                return
            if self._prebuilt:
                self._owner, self._functions = self._prebuilt.load()
                return
            self.build(report)
            require(LIBRARY if "llvmlite.binding" in sys.modules else LLVM)
            import llvmlite.binding as llvm

            llvm.initialize_native_target()
            llvm.initialize_native_asmprinter()
            try:
                self._functions = self._load_object(*code_and_symbols(self._contents[self.file_name]))
            except (OSError, RuntimeError, ValueError) as error:
                raise KernelError(f"cannot load {self.file_name} ({error}): empty the cache folder") from None

    def _load_object(self, code: bytes, symbols: dict[str, str]) -> dict[str, int]:
        import llvmlite.binding as llvm

        machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
        engine.add_object_file(llvm.ObjectFileRef.from_data(code))
        engine.finalize_object()
        self._owner = engine
        functions: dict[str, int] = {}
        for name, symbol in symbols.items():
            address = engine.get_function_address(symbol)
            if not address:
                raise RuntimeError(f"{symbol} is missing")
            functions[name] = address
        return functions

    def function(self, name: str, integers: int) -> Callable[..., int]:
        """Return an entry point as a ctypes function of `integers` int64 arguments (values, or addresses of structs).
        Calling it is faster than `library(name, ...)`."""
        self.load()
        function: Callable[..., int] = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * integers)(
            self._functions[name]
        )
        return function

    def struct_addresses(self, *structs: Any) -> tuple[Any, ...]:
        """Return the addresses of structs. Entry points accept these addresses instead of arrays. The caller must keep
        the structs alive."""
        return tuple(int(struct.ctypes.data) for struct in structs)

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call the entry point `name` with integers and numpy arrays, and return its result. The GIL is released during
        the call."""
        function = self._typed.get((name, len(arguments)))
        if function is None:
            function = self._typed[name, len(arguments)] = self.function(name, len(arguments))
        return function(*[given if isinstance(given, int) else given.ctypes.data for given in arguments])
