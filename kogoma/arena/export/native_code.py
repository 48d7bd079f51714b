"""The native code of an exported file: its shared object, and the structs that its entry points work on."""

from __future__ import annotations

import ctypes
import lzma
import os
import platform
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from kogoma.arena.export.unpacking import unpack
from kogoma.native.processor import shortcoming

TYPES: Mapping[str, Any] = {
    "u8": ctypes.c_uint64,
    "i8": ctypes.c_int64,
    "u4": ctypes.c_uint32,
    "i4": ctypes.c_int32,
    "u2": ctypes.c_uint16,
    "i2": ctypes.c_int16,
    "u1": ctypes.c_uint8,
}

StructLayout = tuple[int, Mapping[str, tuple[int, str, int]], Mapping[str, Sequence[int]]]
"""The size of a struct in bytes, (offset, type, length) of the fields that Python code uses, by name, and the values of
fields that are not 0 at the start."""


class NativeError(Exception):
    """The native code cannot run here; the message says why."""


class Struct:
    """A struct. Each of its fields is an attribute, an array, even if it has only one element."""

    def __init__(self, layout: StructLayout) -> None:
        self._layout = layout
        size, fields, _ = layout
        self._memory = (ctypes.c_char * size)()
        self.address = ctypes.addressof(self._memory)
        for name, (offset, kind, length) in fields.items():
            setattr(self, name, (TYPES[kind] * length).from_buffer(self._memory, offset))
        self.clear()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)  # this method tells mypy that there are more attributes

    def clear(self) -> None:
        """Write the values of the start. This also makes the system provide the memory, so that no search waits for
        it."""
        ctypes.memset(self.address, 0, len(self._memory))
        for name, values in self._layout[2].items():
            getattr(self, name)[:] = values

    def copy(self) -> Struct:
        """Return a copy."""
        twin = Struct(self._layout)
        ctypes.memmove(twin.address, self.address, len(self._memory))
        return twin


class NativeCode:
    """The entry points of a shared object, for Linux on x86-64."""

    def __init__(self, packed: str, cpu: str, network: str) -> None:
        """Load the packed shared object, which was made for the processor `cpu`, and copy the rows of the packed
        network ("" if there is none) into it. Raises NativeError if it cannot run here."""
        if sys.platform != "linux" or platform.machine() not in ("x86_64", "AMD64") or sys.maxsize < 1 << 32:
            raise NativeError(f"the native code is for Linux on x86-64, not {sys.platform} on {platform.machine()}")
        try:
            self._object = _load(lzma.decompress(unpack(packed)))
            if missing := self._object.kogoma_processor():
                raise NativeError(f"the native code is for {cpu}, and this processor {shortcoming(missing)}")
            if network:
                self._object.kogoma_room.restype = ctypes.c_void_p
                rows = unpack_network(lzma.decompress(unpack(network)))
                ctypes.memmove(self._object.kogoma_room(), rows, len(rows))
        except (OSError, ValueError, lzma.LZMAError) as error:
            raise NativeError(f"the native code cannot be loaded: {error}") from None
        self._functions: dict[str, Callable[..., int]] = {}

    def __call__(self, name: str, *arguments: int) -> int:
        """Call the entry point `name` with integers and addresses, and return its result. Other threads run during the
        call."""
        function = self._functions.get(name)
        if function is None:
            function = self._functions[name] = getattr(self._object, f"kogoma_{name}")
            function.argtypes, function.restype = [ctypes.c_int64] * len(arguments), ctypes.c_int64
        return function(*arguments)


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


def unpack_network(data: bytes) -> bytes:
    """Return the rows of the network as little-endian int16: the reverse of `eval.network_file.split_bytes`."""
    half = len(data) // 2
    low = data[:half]
    sign = low.translate(bytes(128) + b"\xff" * 128)
    high = int.from_bytes(data[half:], "little") ^ int.from_bytes(sign, "little")
    both = bytearray(2 * half)
    both[::2], both[1::2] = low, high.to_bytes(half, "little")
    return bytes(both)
