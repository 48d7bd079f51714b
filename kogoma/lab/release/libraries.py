"""Build the prebuilt libraries of a platform (`native.prebuilt`) from the joined modules of all libraries."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kogoma.lab.match.runner import result_of
from kogoma.lab.match.workers import open_workers
from kogoma.native.cache.folders import Tell
from kogoma.native.library import Library
from kogoma.native.platforms import Platform
from kogoma.native.prebuilt import FORMAT, INDEX, prebuilt_sources
from kogoma.native.shared_object import prebuilt_library
from kogoma.rules.library import PURPOSES
from kogoma.search.library import build_groups, libraries_by_layout
from kogoma.version import __version__


def compiled_libraries(tell: Tell, layouts: Sequence[str] = tuple(PURPOSES)) -> list[tuple[Library, bytes]]:
    """Return all libraries of some layouts, each with its joined module. The libraries are always compiled anew, those
    of a layout by one compiler and in a fixed order, because numba numbers its functions, so that their code depends on
    what was compiled before. Raises KernelError."""
    groups = [libraries_by_layout()[layout] for layout in layouts]
    with tempfile.TemporaryDirectory() as cache:
        os.environ["KOGOMA_CACHE"] = cache
        build_groups(groups, tell)
        return [(library, library.joined(tell)) for group in groups for library in group]


def write_libraries(target: Platform, libraries: list[tuple[Library, bytes]], folder: Path) -> None:
    """Build the prebuilt libraries of the platform `target` from pairs of a library and its joined module. Write them
    and their index into an empty folder. Raises KernelError, OSError, and WorkError if a worker process is killed."""
    index: dict[str, Any] = {}
    with open_workers(None, None) as workers:
        jobs = [
            (library, cpu, workers.call(prebuilt_library, joined, target, cpu))
            for library, joined in libraries
            for cpu in target.processors
        ]
        for library, cpu, job in jobs:
            code, entries = result_of(job)
            name = library.full_name
            file = f"{name}.{cpu}{target.suffix}"
            (folder / file).write_bytes(code)
            described = {"sources": prebuilt_sources(library.modules), "entries": entries, "files": dict[str, str]()}
            index.setdefault(name, described)["files"][file] = hashlib.sha256(code).hexdigest()
    text = json.dumps({"format": FORMAT, "version": __version__, "platform": target.name, "libraries": index}, indent=1)
    (folder / INDEX).write_text(f"{text}\n", encoding="utf-8")
