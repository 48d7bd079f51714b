"""The platforms for which prebuilt libraries exist."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class Platform(NamedTuple):
    """An operating system with a family of processors."""

    name: str
    triple: str  # LLVM's name of the target
    processors: tuple[str, ...]  # LLVM's names of the processors for which the code is compiled, fastest first
    suffix: str  # of a shared library's file name
    tag: str  # the platform in the file name of its wheel


X86 = "x86-64-v3", "x86-64"
ARM = ("generic",)
ALL = (
    Platform("linux-x86_64", "x86_64-unknown-linux-gnu", X86, ".so", "manylinux_2_17_x86_64"),
    Platform("linux-arm64", "aarch64-unknown-linux-gnu", ARM, ".so", "manylinux_2_17_aarch64"),
    Platform("windows-x86_64", "x86_64-pc-windows-gnu", X86, ".dll", "win_amd64"),
    Platform("macos-arm64", "arm64-apple-macosx11.0.0", ARM, ".dylib", "macosx_11_0_arm64"),
    Platform("macos-x86_64", "x86_64-apple-macosx11.0.0", X86, ".dylib", "macosx_11_0_x86_64"),
)
PLATFORMS = {platform.name: platform for platform in ALL}

_SYSTEMS = {"linux": "linux", "darwin": "macos", "win32": "windows"}  # from `sys.platform`
_PROCESSORS = {"x86_64": "x86_64", "amd64": "x86_64", "arm64": "arm64", "aarch64": "arm64"}


def this_platform() -> str:
    """Return the name of the platform for which this Python was built, even if it is not one of PLATFORMS."""
    if sys.platform == "win32":  # Python's own processor: on ARM, a Python for x86-64 can be running
        machine = sys.version.rpartition("(")[2].strip(")]").lower()
    else:
        machine = os.uname().machine.lower()
    system, processor = _SYSTEMS.get(sys.platform, sys.platform), _PROCESSORS.get(machine, machine)
    return f"{system}-{processor}" if sys.maxsize > 1 << 32 else f"{system}-{processor} with a 32-bit Python"
