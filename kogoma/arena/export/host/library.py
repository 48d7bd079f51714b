"""In an exported file: the replacement of `rules.library`, with the entry points of the file's shared object."""

from __future__ import annotations

import ctypes
import functools
import lzma
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from kogoma.arena.export.host.data import CPU, NETWORK, OBJECT
from kogoma.arena.export.host.network import unpack_network
from kogoma.arena.export.unpacking import unpack
from kogoma.native.processor import shortcoming


class NativeError(Exception):
    """The native code cannot run here; the message says why."""


class Constant:
    """Stands, in calls of entry points, for a struct whose values are constants in the native code. The names of the
    entry points with these values begin with `prefix`."""

    def __init__(self, prefix: str = "") -> None:
        self.prefix = prefix


RULES, SEARCH_RULES, WEIGHTS = Constant(), Constant("search_"), Constant()


class Library:
    """The entry points of all native libraries."""

    def __init__(self) -> None:
        self._functions: dict[str, Callable[..., int]] = {}

    def struct_addresses(self, *structs: Any) -> tuple[Any, ...]:
        """Return `structs` unchanged, because calls accept structs instead of addresses."""
        return structs

    def __call__(self, name: str, *arguments: Any) -> int:
        """Call the entry point `name` and return its result. The GIL is released during the call."""
        passed: list[ctypes._SimpleCData[Any]] = []
        prefix = ""
        for argument in arguments:
            if isinstance(argument, Constant):
                prefix = prefix or argument.prefix
            elif isinstance(argument, int):
                passed.append(ctypes.c_int64(argument))
            else:
                passed.append(ctypes.c_void_p(ctypes.addressof(argument)))
        function = self._functions.get(prefix + name)
        if function is None:
            code = native_code()
            symbol = f"kogoma_{prefix}{name}"
            function = getattr(code, symbol if hasattr(code, symbol) else f"kogoma_{name}")
            function.restype = ctypes.c_int64
            self._functions[prefix + name] = function
        return function(*passed)


@functools.cache
def new_library(name: str, layout: str, *modules: str) -> Library:
    """Return the only library of an exported file, with all entry points; the arguments are ignored."""
    return Library()


@functools.cache
def rules_library(layout: str) -> Library:
    """Return the only library of an exported file, which contains the entry points of the rules too."""
    return Library()


@functools.cache
def native_code() -> ctypes.CDLL:
    """Load the shared object and copy the network into its memory. Return the loaded shared object. Raises
    NativeError if it cannot be loaded."""
    if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64") or sys.maxsize < 1 << 32:
        raise NativeError(f"the native code is for Linux on x86-64, not {sys.platform} on {platform.machine()}")
    try:
        code = _load(lzma.decompress(unpack(OBJECT)))
        if missing := code.kogoma_processor():
            raise NativeError(f"the native code is for {CPU}, and this processor {shortcoming(missing)}")
        if NETWORK:
            code.kogoma_room.restype = ctypes.c_void_p
            rows = unpack_network(lzma.decompress(unpack(NETWORK)))
            ctypes.memmove(code.kogoma_room(), rows, len(rows))
        return code
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise NativeError(f"the native code cannot be loaded: {error}") from None


def _load(code: bytes) -> ctypes.CDLL:
    try:
        descriptor = os.memfd_create("kogoma")
        with os.fdopen(descriptor, "wb") as file:
            file.write(code)
            file.flush()
            return ctypes.CDLL(f"/proc/self/fd/{descriptor}")
    except OSError:  # an old Linux kernel, or one that forbids executing such files
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(code)
            file.flush()
            return ctypes.CDLL(file.name)
