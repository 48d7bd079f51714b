"""Prebuilt libraries: shared libraries for this platform, loaded by ctypes without numba and llvmlite.

They are in the folder `prebuilt` of an installed wheel, or in `dist/libraries/PLATFORM` of a checkout in which they
were built (docs/release.md). The folder's index contains, for each library, its name, the hash of its sources, and its
files for different processors. A library is used only if this hash is that of the installed sources.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kogoma.native.object_file import KernelError, sources_digest
from kogoma.native.platforms import this_platform
from kogoma.native.processor import NAME, shortcoming

FORMAT = 1
INDEX = "index.json"
BUILDER = "kogoma.native.shared_object"  # builds the libraries, so its sources are part of the hash
IGNORE = "KOGOMA_COMPILE"  # environment variable: if it is set, prebuilt libraries are not used
AGAIN = "unpack or install Kogoma again"
# Descriptions of ERROR_ACCESS_DENIED and ERROR_SHARING_VIOLATION. Windows describes errors in the user's language, but
# the engine's output is ASCII.
WINDOWS_ERRORS = {5: "access is denied", 32: "another program is using it"}


@dataclass(frozen=True)
class Prebuilt:
    """A prebuilt library in `folder` with the entry points `entries`. `files` maps the names of its files, one for each
    processor, to their SHA-256; the file with the fastest code comes first."""

    folder: Path
    entries: tuple[str, ...]
    files: Mapping[str, str]

    def load(self) -> tuple[ctypes.CDLL, dict[str, int]]:
        """Load the first of `files` that this processor can execute. Return the loaded library, and a dict from the
        names of the entry points to their addresses. Raises KernelError if a file cannot be loaded or is damaged, or if
        the processor can execute none of the files."""
        missing = 0
        for name in self.files:
            library, missing = self.check(name)
            if not missing:
                addresses = {entry: ctypes.cast(library[f"kogoma_{entry}"], ctypes.c_void_p) for entry in self.entries}
                return library, {entry: int(address.value or 0) for entry, address in addresses.items()}
        raise KernelError(f"this processor {shortcoming(missing)}")

    def check(self, name: str) -> tuple[ctypes.CDLL, int]:
        """Load one of `files`, and return the loaded library and 0 if this processor can execute it, otherwise a number
        for `shortcoming`. Raises KernelError if the file cannot be loaded or is damaged."""
        library = _loaded(self.folder / name, self.files[name])
        return library, int(library[NAME]())


def prebuilt_sources(modules: Iterable[str]) -> str:
    """Return the hash of all sources from which a prebuilt library with the entry points of `modules` is built."""
    return sources_digest((BUILDER, *modules))


def find(name: str, modules: Iterable[str]) -> Prebuilt | None:
    """Return the prebuilt library `name` (of the form NAME-LAYOUT), which has the entry points of `modules`. Return
    None if the library has to be compiled. Raises KernelError if numba is not installed in this case, or if the index
    of the prebuilt libraries is damaged."""
    found = look_up(name, modules)
    if isinstance(found, Prebuilt):
        return found
    if can_compile() or os.environ.get(IGNORE):
        return None
    raise KernelError(f"{found}, and numba, which could compile the engine, is not installed: {_advice(_folder())}")


def look_up(name: str, modules: Iterable[str]) -> Prebuilt | str:
    """Return the prebuilt library `name` with the entry points of `modules`, or the reason why there is none or why it
    is not used. Raises KernelError if the index of the prebuilt libraries is damaged."""
    if os.environ.get(IGNORE):
        return f"{IGNORE} is set"
    folder = _folder()
    if folder is None:
        return f"there are no prebuilt libraries for {this_platform()}"
    index = _index(folder)
    if index["platform"] != this_platform():
        return f"the libraries in {folder} are for {index['platform']}, but this is {this_platform()}"
    found = index["libraries"].get(name)
    if found is None:
        return f"there is no prebuilt library {name}"
    if found["sources"] != prebuilt_sources(modules):
        return f"the sources differ from those of the prebuilt library {name}"
    return Prebuilt(folder, tuple(found["entries"]), found["files"])


def are_here() -> bool:
    """Return whether prebuilt libraries are installed, and the environment variable KOGOMA_COMPILE does not disable
    them."""
    return _folder() is not None and not os.environ.get(IGNORE)


def can_compile() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


def _advice(folder: Path | None) -> str:
    """Return what a user should do who has neither a usable prebuilt library nor numba."""
    if (Path(__file__).parents[2] / "engine.sh").exists():
        return "run ./engine.sh once, or pip install numba"
    return f"install Kogoma for {this_platform()}, or pip install kogoma[compile]"


@functools.cache
def _folder() -> Path | None:
    """Return the folder with the prebuilt libraries, or None if there is none."""
    root = Path(__file__).resolve().parents[2]
    for folder in (Path(__file__).with_name("prebuilt"), root / "dist" / "libraries" / this_platform()):
        if folder.is_dir():
            return folder
    return None


@functools.cache
def _index(folder: Path) -> dict[str, Any]:
    """Return the content of the index of prebuilt libraries in a folder. Raises KernelError if it is missing or
    damaged, or cannot be read."""
    path = folder / INDEX
    try:
        index = json.loads(_content(path))
        if index["format"] == FORMAT:
            return {"platform": index["platform"], "libraries": index["libraries"]}
    except (ValueError, KeyError, TypeError):
        pass
    raise KernelError(f"{path} is damaged: {AGAIN}")


def _content(path: Path) -> bytes:
    """Return the content of a file. Raises KernelError if the file is missing or cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise KernelError(f"{path} is missing: {AGAIN}") from None
    except OSError as error:
        raise KernelError(f"{path} cannot be read: {_reason(path, error)}") from None


def _reason(path: Path, error: OSError) -> str:
    """Return why a file cannot be read. `error` is what `open` raised; on Windows, it is "Permission denied" for most
    errors of the system."""
    if sys.platform == "win32":
        code = _windows_error(path)
        return f"{WINDOWS_ERRORS.get(code, error.strerror)} (Windows error {code})"
    return str(error.strerror)


if sys.platform == "win32":

    def _windows_error(path: Path) -> int:
        """Open a file for reading, and return the error's number, or 0 if the file can be opened."""
        kernel = ctypes.WinDLL("kernel32", use_last_error=True)
        kernel.CreateFileW.restype = ctypes.c_void_p
        # GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE and OPEN_EXISTING, as Python opens files
        handle = kernel.CreateFileW(str(path), 0x80000000, 3, None, 3, 0, None)
        if handle == ctypes.c_void_p(-1).value:
            return ctypes.get_last_error()
        kernel.CloseHandle(ctypes.c_void_p(handle))
        return 0


def _loaded(path: Path, digest: str) -> ctypes.CDLL:
    """Load the shared library `path`. Raises KernelError if the file is missing, its SHA-256 is not `digest`, or it
    cannot be loaded."""
    if hashlib.sha256(_content(path)).hexdigest() != digest:
        raise KernelError(f"{path} is damaged (checksum mismatch): {AGAIN}")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise KernelError(f"{path} cannot be loaded: {error}") from None
