"""Object files for tests that damage them, and the processes that compile them."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from kogoma.eval.explain import eval_library
from kogoma.native.cache.folders import read
from kogoma.native.library import Library
from kogoma.native.object_file import seal
from kogoma.rules.library import rules_library
from kogoma.search.library import mate_library, search_library, tablebase_library

LAYOUT = "onitama"  # the layout that is compiled fastest


def libraries() -> tuple[Library, ...]:
    """Return the libraries for playing Onitama, of the endings and of the mate solver. The engine compiles the last two
    in the background."""
    played = rules_library(LAYOUT), eval_library(LAYOUT), search_library(LAYOUT)
    return *played, tablebase_library(LAYOUT), mate_library(LAYOUT)


def built(folder: Path) -> Path:
    """Write the object files of `libraries()` into a new folder, and return the folder. Libraries that are in no cache
    are compiled first."""
    folder.mkdir(mode=0o755, parents=True)
    for library in libraries():
        library.build()
        content = read(library.file_name, print)
        assert content is not None
        (folder / library.file_name).write_bytes(seal(library.file_name, content))
    return folder


def evaluation(folder: Path) -> Path:
    """Return the path of the evaluation library's object file. This library is compiled faster than the others."""
    return folder / eval_library(LAYOUT).file_name


def compilers(cache: Path) -> list[int]:
    """Return the ids of the processes that compile for this cache folder (Linux only)."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if b"kogoma.native.build" in (process / "cmdline").read_bytes():
                if f"KOGOMA_CACHE={cache}\0".encode() in (process / "environ").read_bytes():
                    found.append(int(process.name))
    return found


def flip_a_bit(path: Path, where: float = 0.5) -> None:
    """Change one bit of a file. `where` is the place of the bit, from 0 for the start of the file to 1 for its end."""
    data = bytearray(path.read_bytes())
    data[int(len(data) * where)] ^= 16
    path.write_bytes(data)


def names(folder: Path) -> set[str]:
    """Return the names of the files in a folder."""
    return set(os.listdir(folder))
