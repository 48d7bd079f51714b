"""The files that hold native code: what their names say, and what is in them.

An object's name is a hash of the sources that it was made from (the modules of its entries and, by their imports, all
modules of the project that these stand on), of numba's and llvmlite's versions, and of the processor. A file begins
with the length of its content and a digest of its name and its content, so that nothing runs but what was built for
that name. Beside the object lies the joined module that it was made from.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import platform
import re
import struct
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

PROJECT = "kogoma"  # the package in which all modules of the project are
HEADER = struct.Struct("<8sQ32s")  # magic, bytes of the content, SHA-256 of name and content
MAGIC = b"kogoma 1"
OBJECT, JOINED = ".o", ".bc.z"
# The beginning of a line to the end of an import: with its parentheses, the comments in them, and continued lines.
_IMPORT = re.compile(r"^[ \t]*((?:from[ \t]+[\w.]+[ \t]+)?import\b(?:\((?:[^)#]|#.*)*\)|\\\n|[^\n(\\])*)", re.MULTILINE)


class KernelError(RuntimeError):
    """The native library can't be built or loaded; the message says what to do."""


def object_name(name: str, modules: Iterable[str], layout: str) -> str:
    """What the file of a library with the entries of these modules is called."""
    digest = hashlib.sha256(_machine().encode())
    for module in sources(("kogoma.native.build", *modules)):
        digest.update(source_text(module).encode())
    return f"{name}-{layout}-{digest.hexdigest()[:20]}{OBJECT}"


def joined_name(name: str) -> str:
    """What the file of the joined module is called that the object of that name was made from."""
    return name.removesuffix(OBJECT) + JOINED


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
    named: list[str] = []
    for statement in _imports(source_text(module)):
        if isinstance(statement, ast.Import):
            named += [alias.name for alias in statement.names]
            continue
        package = statement.module or ""
        if statement.level:  # dots for a folder, counted from the module's own
            parts = module.split(".") + ["__init__"] * _is_package(module)
            package = ".".join([*parts[: -statement.level], *filter(None, [package])])
        named.append(package)
        if _is_package(package):
            named += [f"{package}.{alias.name}" for alias in statement.names]
    return [name for name in named if name.split(".")[0] == PROJECT and _find(name) is not None]


def _imports(text: str) -> Iterator[ast.Import | ast.ImportFrom]:
    """The import statements of a source text. To parse nothing else is quicker by far, and every start waits for it."""
    for match in _IMPORT.finditer(text):
        try:
            statements = ast.parse(match[1]).body
        except SyntaxError:
            continue  # a line of prose
        yield from (one for one in statements if isinstance(one, ast.Import | ast.ImportFrom))


def _is_package(module: str) -> bool:
    path = _find(module) if module.split(".")[0] == PROJECT else None
    return path is not None and path.name == "__init__.py"


@functools.cache
def source_text(module: str) -> str:
    """What the file of a module says. KernelError if there is none."""
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
    """What an object depends on besides its sources: the compiler, Python's platform and the processor."""
    try:
        cpu = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
        lines = {line for line in cpu.splitlines() if line.startswith(("model name", "flags", "Features"))}
        processor = "\n".join(sorted(lines))
    except OSError:
        processor = platform.processor()
    return "\n".join((_version("numba"), _version("llvmlite"), sys.platform, platform.machine(), processor))


def _version(package: str) -> str:
    """The file in which a package keeps its version. To import it would take longer than all the rest."""
    spec = importlib.util.find_spec(package)  # found, not imported
    if spec is None or spec.origin is None:
        raise KernelError(f"{package} is not installed: run ./engine.sh once, or pip install numba")
    return Path(spec.origin).with_name("_version.py").read_text(encoding="utf-8")


def seal(name: str, content: bytes) -> bytes:
    """The bytes of a file of that name."""
    return HEADER.pack(MAGIC, len(content), _digest(name, content)) + content


def unseal(name: str, data: bytes) -> bytes:
    """The content of a file of that name; ValueError says what is wrong with it."""
    if len(data) < HEADER.size:
        raise ValueError(f"it has {len(data)} bytes")
    magic, length, digest = HEADER.unpack_from(data)
    if magic != MAGIC:
        raise ValueError("it is no file of this engine")
    if len(data) != HEADER.size + length:
        raise ValueError(f"it has {len(data)} of {HEADER.size + length} bytes")
    content = data[HEADER.size :]
    if digest != _digest(name, content):
        raise ValueError("it is not what was written")
    return content


def _digest(name: str, content: bytes) -> bytes:
    digest = hashlib.sha256(f"{name}\n".encode())
    digest.update(content)
    return digest.digest()


def object_content(code: bytes, symbols: Iterable[str]) -> bytes:
    """What a file holds of an object: the symbols of its entries, and the code."""
    return ":".join(symbols).encode() + b"\n" + code


def code_and_symbols(content: bytes) -> tuple[bytes, dict[str, str]]:
    """(the object, entry -> symbol) of a file's content."""
    names, _, code = content.partition(b"\n")
    return code, {name.removeprefix("kogoma_"): name for name in names.decode().split(":")}
