"""Prebuilt libraries: shared libraries for this platform, loaded by ctypes without numba and llvmlite.

They are in the folder `prebuilt` of an installed wheel, or in `dist/libraries/PLATFORM` of a checkout that has built
them (docs/release.md). The index of the folder names each library, the hash of its sources and the files for different
processors. A library whose sources differ from those of the index is not used.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from kogoma.native.object_file import KernelError, sources_digest
from kogoma.native.platforms import this_platform
from kogoma.native.processor import NAME, missing_feature

FORMAT = 1
INDEX = "index.json"
BUILDER = "kogoma.native.shared_object"  # makes the libraries: its sources count, too
IGNORE = "KOGOMA_COMPILE"  # environment variable: if it is set, prebuilt libraries are not used
AGAIN = "unpack or install Kogoma again"


@dataclass(frozen=True)
class Prebuilt:
    """A prebuilt library. `files` maps the names of its files, the fastest first, to their SHA-256."""

    folder: Path
    entries: tuple[str, ...]
    files: Mapping[str, str]

    def load(self) -> tuple[ctypes.CDLL, dict[str, int]]:
        """Load the first file that this processor can execute. Returns it with the addresses of the entry points by
        name. Raises KernelError, which says what is wrong with the file or the processor."""
        missing = 0
        for name, digest in self.files.items():
            library = _loaded(self.folder / name, digest)
            missing = int(library[NAME]())
            if not missing:
                addresses = {entry: ctypes.cast(library[f"kogoma_{entry}"], ctypes.c_void_p) for entry in self.entries}
                return library, {entry: int(address.value or 0) for entry, address in addresses.items()}
        raise KernelError(f"this processor is too old: it has no {missing_feature(missing)}")


def prebuilt_sources(modules: Iterable[str]) -> str:
    """Return the hash of everything that a prebuilt library with the entry points of these modules is made from."""
    return sources_digest((BUILDER, *modules))


def find(name: str, modules: Iterable[str]) -> Prebuilt | None:
    """Return the prebuilt library `NAME-LAYOUT` with the entry points of these modules, or None if it has to be
    compiled. Raises KernelError if it has to be compiled and numba is not installed, or if the index is damaged."""
    if os.environ.get(IGNORE):
        return None
    folder, why = _folder(), f"there are no prebuilt libraries for {this_platform()}"
    if folder is not None:
        index = _index(folder)
        found = index["libraries"].get(name)
        if index["platform"] != this_platform():
            why = f"the libraries in {folder} are for {index['platform']}, but this is {this_platform()}"
        elif found is None:
            why = f"there is no prebuilt library {name}"
        elif found["sources"] != prebuilt_sources(modules):
            why = f"the sources differ from those of the prebuilt library {name}"
        else:
            return Prebuilt(folder, tuple(found["entries"]), found["files"])
    if can_compile():
        return None
    raise KernelError(f"{why}, and numba, which could compile it, is not installed: {_advice(folder)}")


def are_here() -> bool:
    """Return whether prebuilt libraries are installed and are not to be ignored."""
    return _folder() is not None and not os.environ.get(IGNORE)


def can_compile() -> bool:
    """Return whether numba is installed."""
    return find_spec("numba") is not None


def _advice(folder: Path | None) -> str:
    if (Path(__file__).parents[2] / "engine.sh").exists():
        return "run ./engine.sh once, or pip install numba"
    return f"install Kogoma for {this_platform()}, or pip install kogoma[compile]"


@functools.cache
def _folder() -> Path | None:
    """Return the folder with prebuilt libraries, or None."""
    root = Path(__file__).resolve().parents[2]
    for folder in (Path(__file__).with_name("prebuilt"), root / "dist" / "libraries" / this_platform()):
        if folder.is_dir():
            return folder
    return None


@functools.cache
def _index(folder: Path) -> dict[str, Any]:
    """Return the content of the folder's index. Raises KernelError if it is missing or damaged."""
    path = folder / INDEX
    try:
        index = json.loads(path.read_text(encoding="utf-8"))
        if index["format"] == FORMAT:
            return {"platform": index["platform"], "libraries": index["libraries"]}
    except FileNotFoundError:
        raise KernelError(f"{path} is missing: {AGAIN}") from None
    except OSError as error:
        raise KernelError(f"{path} cannot be read ({error.strerror}): {AGAIN}") from None
    except (ValueError, KeyError, TypeError):
        pass
    raise KernelError(f"{path} is damaged: {AGAIN}")


def _loaded(path: Path, digest: str) -> ctypes.CDLL:
    """Return a shared library whose content has this SHA-256. Raises KernelError."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        raise KernelError(f"{path} is missing: {AGAIN}") from None
    except OSError as error:
        raise KernelError(f"{path} cannot be read ({error.strerror}): {AGAIN}") from None
    if hashlib.sha256(content).hexdigest() != digest:
        raise KernelError(f"{path} is damaged (checksum mismatch): {AGAIN}")
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise KernelError(f"{path} cannot be loaded: {error}") from None
