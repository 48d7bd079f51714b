"""The files in the cache folders: their names and their format.

The name of an object file contains a hash of the sources (the modules of the entry points and all project modules that
they import), of the versions of numba and llvmlite, and of the processor. The joined LLVM module is kept in a second
file. A file starts with a header: magic, content length, and a SHA-256 of name and content. So a damaged or renamed
file is never executed.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import platform
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = "kogoma"  # the project's package
HEADER = struct.Struct("<8sQ32s")  # magic, length of the content, SHA-256 of name and content
MAGIC = b"kogoma 1"
# Endings of the names; WebAssembly modules and archives are those of `web.games_folder`.
OBJECT, JOINED, MODULE, ARCHIVE = ".o", ".bc.z", ".wasm", ".zip"
BAD, LOCK, TEMPORARY = ".bad", ".lock", ".tmp"  # further endings: a damaged file, a lock, an unfinished file
DIGITS = 20  # hexadecimal digits of the hash in a name
BOUNDS_CHECKS = os.environ.get("NUMBA_BOUNDSCHECK") == "1"  # numba's variable: kernels check the indices of arrays
# The names that Kogoma gives to files in cache folders. A file with another name is the user's. The module `tempfile`
# chooses the eight letters before TEMPORARY.
OWN_NAME = re.compile(r"kogoma-[a-z0-9_-]+-[0-9a-f]{20}(\.o|\.bc\.z|\.wasm|\.zip)(\.bad|\.lock|\.[a-z0-9_]{8}\.tmp)?")
# An import statement, with parentheses, comments inside them, and continuation lines.
_IMPORT = re.compile(r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:\((?:[^)#]|#.*)*\)|\\\n|[^\n(\\])*)", re.MULTILINE)


class KernelError(RuntimeError):
    """A native library cannot be built or loaded; the message says what to do."""


def file_name(what: str, digest: str, ending: str) -> str:
    """Return the name of a file in the cache folders. `what` says what it contains, `digest` is a hash of all inputs
    from which it is made (hexadecimal)."""
    return f"{PROJECT}-{what}-{digest[:DIGITS]}{ending}"


def object_name(name: str, modules: Iterable[str], layout: str) -> str:
    """Return the name of the object file of a library with the entry points of these modules."""
    digest = hashlib.sha256(f"{_machine()}\n{sources_digest(('kogoma.native.build', *modules))}".encode())
    return file_name(f"{name}-{layout}", digest.hexdigest(), OBJECT)


def sources_digest(modules: Iterable[str]) -> str:
    """Return a hash of the sources of these modules and of all project modules that they import, directly or
    indirectly."""
    digest = hashlib.sha256()
    for module in sources(modules):
        digest.update(source_text(module).encode())
    return digest.hexdigest()


def joined_name(name: str) -> str:
    """Return the name of the file with the joined module (LLVM bitcode) that belongs to the object file `name`."""
    return name.removesuffix(OBJECT) + JOINED


def sources(modules: Iterable[str]) -> list[str]:
    """Return the names of these modules and of all project modules that they import, directly or indirectly."""
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
    """Return the project modules that a module imports, including those imported for type checking only."""
    named: list[str] = []
    for statement in _imports(source_text(module)):
        if isinstance(statement, ast.Import):
            named += [alias.name for alias in statement.names]
            continue
        package = statement.module or ""
        if statement.level:  # a relative import: each dot is one package level
            parts = module.split(".") + ["__init__"] * _is_package(module)
            package = ".".join([*parts[: -statement.level], *filter(None, [package])])
        named.append(package)
        if _is_package(package):
            named += [f"{package}.{alias.name}" for alias in statement.names]
    return [name for name in named if name.split(".")[0] == PROJECT and _find(name) is not None]


def _imports(text: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the import statements of a source text. Parsing only these keeps the start fast."""
    for match in _IMPORT.finditer(text):
        try:
            statements = ast.parse(match[1]).body
        except SyntaxError:
            continue  # a line of prose that begins like an import
        yield from (one for one in statements if isinstance(one, ast.Import | ast.ImportFrom))


def _is_package(module: str) -> bool:
    path = _find(module) if module.split(".")[0] == PROJECT else None
    return path is not None and path.name == "__init__.py"


@functools.cache
def source_text(module: str) -> str:
    """Return the source of a module. Raises KernelError if the file is missing."""
    path = _find(module)
    if path is None:
        raise KernelError(f"the source of {module} is missing: is the checkout complete?")
    return path.read_text(encoding="utf-8")


@functools.cache
def _find(module: str) -> Path | None:
    """Return the source file of a module or package, or None if there is none."""
    relative = module.replace(".", "/")
    for folder in (str(Path(__file__).resolve().parents[2]), *sys.path):
        for path in (Path(folder, f"{relative}.py"), Path(folder, relative, "__init__.py")):
            if path.is_file():
                return path
    return None


@functools.cache
def _machine() -> str:
    """Return a text that describes what native code depends on: compiler versions, platform and processor."""
    try:
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        lines = {line for line in cpu.splitlines() if line.startswith(("model name", "flags", "Features"))}
        processor = "\n".join(sorted(lines))
    except OSError:
        processor = platform.processor()
    checked = ("bounds checks",) if BOUNDS_CHECKS else ()
    versions = _version("numba"), _version("llvmlite")
    return "\n".join((*versions, sys.platform, platform.machine(), processor, *checked))


def _version(package: str) -> str:
    """Return the content of a package's `_version.py`. This is much faster than importing the package."""
    spec = importlib.util.find_spec(package)  # found, not imported
    if spec is None or spec.origin is None:
        raise KernelError(f"{package} is not installed: run ./engine.sh once, or pip install numba")
    return Path(spec.origin).with_name("_version.py").read_text(encoding="utf-8")


def seal(name: str, content: bytes) -> bytes:
    """Return the bytes of the file `name`: header and content."""
    return HEADER.pack(MAGIC, len(content), _digest(name, content)) + content


def unseal(name: str, data: bytes) -> bytes:
    """Return the content of the file `name`. Raises ValueError if the file is damaged."""
    if len(data) < HEADER.size:
        raise ValueError(f"it has only {len(data)} bytes")
    magic, length, digest = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise ValueError("its header is not Kogoma's")
    if len(data) != HEADER.size + length:
        raise ValueError(f"it has {len(data)} bytes instead of {HEADER.size + length}")
    content = data[HEADER.size :]
    if digest != _digest(name, content):
        raise ValueError("its checksum is wrong")
    return content


def _digest(name: str, content: bytes) -> bytes:
    digest = hashlib.sha256(f"{name}\n".encode())
    digest.update(content)
    return digest.digest()


def object_content(code: bytes, symbols: Iterable[str]) -> bytes:
    """Return the content of an object file: the symbols of the entry points, and the code."""
    return ":".join(symbols).encode() + b"\n" + code


def code_and_symbols(content: bytes) -> tuple[bytes, dict[str, str]]:
    """Return the code in an object file's content, and a dict from the name of each entry point to its symbol."""
    names, _, code = content.partition(b"\n")
    return code, {name.removeprefix("kogoma_"): name for name in names.decode().split(":")}
