"""The files that hold native code: where they lie, what their names say, and what is in them.

A file's name is a hash of the sources that it was made from (the modules of its entries and, by their imports, all
modules of the project that these stand on), of numba's version, and of the processor.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import platform
import re
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable
from pathlib import Path

import platformdirs

KEEP = 24  # files in the cache folder; the ones used longest ago go first
PACKAGES = ("rules", "eval", "search")  # what kernels are made of
SYMBOLS = b"\nkogoma:"  # behind the code, and followed by the entries' symbols with a colon between them
_IMPORT = re.compile(r"^[ ]*from ([\w.]+) import (\([^)]*\)|.*)|^[ ]*import ([\w., ]+)", re.MULTILINE)


class KernelError(RuntimeError):
    """The native library can't be built or kept; the message says what to do."""


def cache_folder() -> Path:
    """Where native objects are kept: KOGOMA_CACHE, or `kogoma` in the user's cache folder."""
    if own := os.environ.get("KOGOMA_CACHE"):
        return Path(own)
    return Path(platformdirs.user_cache_dir("kogoma", appauthor=False))


def object_path(name: str, modules: Iterable[str], layout: str) -> Path:
    """The file of a library with the entries of these modules."""
    digest = hashlib.sha256(_machine().encode())
    for module in sources(("rules.native.build", *modules)):
        digest.update(_text(module).encode())
    return cache_folder() / f"{name}-{layout}-{digest.hexdigest()[:20]}.o"


def sources(modules: Iterable[str]) -> list[str]:
    """These modules and all that they import of the project, directly or not, by name."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        if module not in found:
            found.add(module)
            waiting += _imported(module)
    return sorted(found)


@functools.cache
def _imported(module: str) -> list[str]:
    """Modules of the project that a module imports. What is imported for types alone counts, too: that is simple, and
    costs a build more at worst."""
    found = []
    for package, names, modules in _IMPORT.findall(_text(module)):
        parts = [f"{package}.{name.split()[0]}" for name in names.strip("()").split(",") if name.split()]
        for name in (package, *parts, *(name.split()[0] for name in modules.split(",") if name.split())):
            if name.split(".")[0] in PACKAGES and _find(name) is not None:
                found.append(name)
    return found


@functools.cache
def _text(module: str) -> str:
    path = _find(module)
    if path is None:
        raise KernelError(f"the source of {module} is missing: is the checkout complete?")
    return path.read_text(encoding="utf-8")


@functools.cache
def _find(module: str) -> Path | None:
    """The file of a module or package, None if there is none."""
    relative = module.replace(".", "/")
    for folder in (str(Path(__file__).resolve().parents[2]), *sys.path):
        for path in (Path(folder, f"{relative}.py"), Path(folder, relative, "__init__.py")):
            if path.is_file():
                return path
    return None


@functools.cache
def _machine() -> str:
    """What an object depends on besides its sources: numba, Python's platform and the processor."""
    try:
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        lines = {line for line in cpu.splitlines() if line.startswith(("model name", "flags", "Features"))}
        processor = "\n".join(sorted(lines))
    except OSError:
        processor = platform.processor()
    numba = importlib.util.find_spec("numba")  # found, not imported
    if numba is None or numba.origin is None:
        raise KernelError("numba is not installed: run ./engine.sh once, or pip install numba")
    # The folder beside it is named by the version; importlib.metadata would take as long as all the rest.
    versions = sorted(path.name for path in Path(numba.origin).parents[1].glob("numba-*.dist-info"))
    return "\n".join((*versions, sys.platform, platform.machine(), processor))


def write_object(path: Path, code: bytes, symbols: Iterable[str]) -> None:
    """Keep an object with the symbols of its entries, complete or not at all, and the files used last with it."""
    _write(path, code + SYMBOLS + ":".join(symbols).encode())
    _prune(path.parent)


def read_object(path: Path) -> tuple[bytes, dict[str, str]]:
    """(the object, entry -> symbol); ValueError if the file holds none."""
    data = path.read_bytes()
    names = data[data.rindex(SYMBOLS) + len(SYMBOLS) :].decode().split(":")
    return data, {name.removeprefix("kogoma_"): name for name in names}


def joined_path(path: Path) -> Path:
    """Where the joined module is kept that the object at `path` was made from."""
    return path.with_suffix(".bc.z")


def write_joined(path: Path, bitcode: bytes) -> None:
    """Keep a joined module, complete or not at all."""
    _write(path, zlib.compress(bitcode))


def read_joined(path: Path) -> bytes:
    """The bitcode of a joined module; ValueError if the file holds none."""
    try:
        return zlib.decompress(path.read_bytes())
    except zlib.error as error:
        raise ValueError(str(error)) from None


def _write(path: Path, data: bytes) -> None:
    descriptor, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    os.replace(temporary, path)


def _prune(folder: Path) -> None:
    """Keep the objects used last."""
    objects = sorted(folder.glob("*.o"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in objects[KEEP:]:
        if time.time() - path.stat().st_mtime > 3600:
            path.unlink(missing_ok=True)
            joined_path(path).unlink(missing_ok=True)
