"""Find linkers for WebAssembly modules and ELF shared objects: the system's, or those of the PyPI package ziglang."""

from __future__ import annotations

import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kogoma.native.object_file import KernelError


def wasm_linker() -> list[str]:
    """Return the command of a linker for WebAssembly. If there is none, raises KernelError, which says how to install
    one."""
    if path := shutil.which("wasm-ld"):
        return [path]
    return [*_ziglang("WebAssembly", "lld"), "wasm-ld"]


def elf_linker() -> list[str]:
    """Return the command of a linker for shared objects for Linux on x86-64. If there is none, raises KernelError,
    which says how to install one."""
    if sys.platform == "linux" and platform.machine() == "x86_64" and (path := shutil.which("cc")):
        return [path, "-shared", "-nostdlib", "-Wl,--build-id=none"]
    if path := shutil.which("ld.lld"):
        return [path, "-shared", "--build-id=none"]
    return [*_ziglang("Linux's shared objects", "gcc"), "cc", "-target", "x86_64-linux-gnu", "-shared", "-nostdlib"]


def _ziglang(target: str, package: str) -> list[str]:
    """Return the command of the installed ziglang package. Raises KernelError if it is not installed."""
    if find_spec("ziglang") is None:
        raise KernelError(
            f"there is no linker for {target}: type {shlex.quote(sys.executable)} -m pip install ziglang"
            f" (or, on Debian and Ubuntu, sudo apt install {package})"
        )
    return [sys.executable, "-m", "ziglang"]


def link(command: list[str], modules: Iterable[Any], machine: Any, output: str) -> bytes:
    """Compile LLVM modules for a target machine, link them, and return the content of the file `output`. If the linker
    fails, raises KernelError with the last line that it prints."""
    with tempfile.TemporaryDirectory() as name:
        folder, objects = Path(name), list[str]()
        for number, module in enumerate(modules):
            objects.append(f"part{number}.o")
            (folder / objects[-1]).write_bytes(machine.emit_object(module))
        words = [*command, *objects, "-o", output]
        done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            last = done.stdout.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
            raise KernelError(f"linking {output} failed: {last[0]}")
        return (folder / output).read_bytes()
