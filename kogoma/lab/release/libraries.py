"""Build the prebuilt libraries of a platform (`native.prebuilt`) from the joined modules of all libraries."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kogoma.lab.match.runner import result_of
from kogoma.lab.match.workers import open_workers
from kogoma.native.cache.folders import Tell
from kogoma.native.library import Library
from kogoma.native.platforms import Platform
from kogoma.native.prebuilt import FORMAT, INDEX, prebuilt_sources
from kogoma.native.shared_object import optimised, prebuilt_library
from kogoma.rules.library import PURPOSES
from kogoma.search.library import build_groups, libraries_by_layout
from kogoma.version import __version__


def compiled_libraries(tell: Tell, layouts: Sequence[str] = tuple(PURPOSES)) -> list[tuple[Library, bytes]]:
    """Return all libraries of some layouts, each with its joined module, which is compiled if the cache folder does
    not have it. What was compiled before has no influence on it (`native.llvm_text.named_by_content`). Raises
    KernelError."""
    groups = [libraries_by_layout()[layout] for layout in layouts]
    build_groups(groups, tell)
    return [(library, library.joined(tell)) for group in groups for library in group]


def write_libraries(
    target: Platform,
    libraries: list[tuple[Library, bytes]],
    folder: Path,
    known: dict[tuple[str, str], bytes] | None = None,
) -> None:
    """Build the prebuilt libraries of the platform `target` from pairs of a library and its joined module. Write them
    and their index into an empty folder. Optimised modules are taken from `known`, by the names of library and
    processor, and added to it, because platforms with the same processors share them. Raises KernelError, OSError, and
    WorkError if a worker process is killed."""
    known = {} if known is None else known
    index: dict[str, Any] = {}
    with open_workers(None, None) as workers:
        missing = {
            (library.full_name, cpu): workers.call(optimised, joined, target, cpu)
            for library, joined in libraries
            for cpu in target.processors
            if (library.full_name, cpu) not in known
        }
        known |= {key: result_of(job) for key, job in missing.items()}
        jobs = [
            (library, cpu, workers.call(prebuilt_library, known[library.full_name, cpu], target, cpu))
            for library, _ in libraries
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
