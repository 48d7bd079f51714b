"""Link WebAssembly modules and shared objects, with linkers of the system or of the PyPI package ziglang.

Prebuilt libraries are always linked with ziglang, so that they do not depend on the machine on which they are built.
"""

from __future__ import annotations

import functools
import platform
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kogoma.environment import provide
from kogoma.native.object_file import KernelError
from kogoma.native.platforms import Platform
from kogoma.native.processes import run

WINDOWS_C_LIBRARY = "msvcrt.lib"  # the import library of Windows' C library


def wasm_linker() -> list[str]:
    """Return the command, as words, that starts a linker for WebAssembly. Raises KernelError if none is installed."""
    if path := shutil.which("wasm-ld"):
        return [path]
    return [*_ziglang("WebAssembly", "lld"), "wasm-ld"]


def elf_linker() -> list[str]:
    """Return the command, as words, that starts a linker of shared objects for Linux on x86-64. Raises KernelError if
    none is installed."""
    if sys.platform == "linux" and platform.machine() == "x86_64" and (path := shutil.which("cc")):
        return [path, "-shared", "-nostdlib", "-Wl,--build-id=none"]
    if path := shutil.which("ld.lld"):
        return [path, "-shared", "--build-id=none"]
    return [*_ziglang("Linux's shared objects", "gcc"), "ld.lld", "-shared", "--build-id=none"]


def release_linker(target: Platform, exported: Sequence[str], output: str) -> tuple[list[str], dict[str, bytes]]:
    """Return the command that links a prebuilt library for a platform and writes it as the file `output`. Also return
    the contents, by name, of the files that the command reads in addition to object files. `exported` are the symbols
    that the library exports. Raises KernelError if ziglang is not installed."""
    zig = _ziglang(f"the libraries of {target.name}")
    system, _, processor = target.name.partition("-")
    if system == "linux":  # the process provides the functions of the C library, in any version
        return [*zig, "ld.lld", "-shared", "--build-id=none", "-s", "-o", output], {}
    if system == "macos":  # this linker signs its output
        system = f"{processor.replace('arm64', 'aarch64')}-macos.11.0"
        named = ["-target", system, f"-Wl,-install_name,@rpath/{output}"]
        return [*zig, "cc", "-shared", "-s", *named, "-o", output], {}
    options = ["/dll", "/noentry", "/nodefaultlib", "/Brepro", "/def:exports.def", f"/out:{output}"]
    files = {"exports.def": _names(output, exported), WINDOWS_C_LIBRARY: _windows_c_library(*zig)}
    return [*zig, "lld-link", *options, WINDOWS_C_LIBRARY], files


@functools.cache
def _windows_c_library(*zig: str) -> bytes:
    """Return the content of an import library for Windows' own C library, `msvcrt.dll`. Linking with it is fast,
    unlike linking with zig's import library."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "names.def").write_bytes(_names("msvcrt.dll", ("memcpy", "memmove", "memset")))
        command = [*zig, "dlltool", "-m", "i386:x86-64", "-d", "names.def", "-l", WINDOWS_C_LIBRARY]
        return _run(command, folder, WINDOWS_C_LIBRARY)


def _names(library: str, symbols: Sequence[str]) -> bytes:
    """Return the content of a module definition file, which lists the symbols that the Windows library `library`
    exports."""
    return "\n".join([f"LIBRARY {library}", "EXPORTS", *(f"    {name}" for name in symbols), ""]).encode()


def _ziglang(target: str, package: str = "") -> list[str]:
    """Return the command, as words, that runs ziglang. Raises KernelError if ziglang is not installed; the message says
    that there is no linker for `target`, and how to install ziglang or the Debian package `package`."""
    provide("export")
    if find_spec("ziglang") is None:
        raise KernelError(
            f"there is no linker for {target}: type {shlex.quote(sys.executable)} -m pip install ziglang"
            + (f" (or, on Debian and Ubuntu, sudo apt install {package})" if package else "")
        )
    return [sys.executable, "-m", "ziglang"]


def link(
    command: list[str],
    modules: Iterable[Any],
    machine: Any,
    output: str,
    files: Mapping[str, bytes] = MappingProxyType({}),
) -> bytes:
    """Compile LLVM modules for a target machine, link them with `command`, which writes the file `output`, and return
    the content of this file. `files` are the contents, by name, of other files that the command reads. Raises
    KernelError with the last line that the linker prints if linking fails."""
    with tempfile.TemporaryDirectory() as name:
        folder, objects = Path(name), list[str]()
        for number, module in enumerate(modules):
            objects.append(f"part{number}.o")
            (folder / objects[-1]).write_bytes(machine.emit_object(module))
        for file, content in files.items():
            (folder / file).write_bytes(content)
        return _run([*command, *objects], folder, output)


def _run(command: list[str], folder: Path, output: str) -> bytes:
    """Run a command in a folder and return the content of the file `output` that it writes there. Raises KernelError if
    the command fails."""
    done = run(command, cwd=folder)
    if done.returncode != 0:
        last = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise KernelError(f"linking {output} failed: {last[0]}")
    return (folder / output).read_bytes()
