"""The file BUILDINFO.json of a release: of which commit, with which tools and on which system the release was built.

It is not listed in SHA256SUMS, because the same files can be built on different systems.
"""

from __future__ import annotations

import json
import platform
import zlib
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from kogoma.lab.release.wheels import Sources
from kogoma.version import __version__

NAME = "BUILDINFO.json"
TOOLS = "numba", "llvmlite", "numpy", "ziglang", "setuptools"


def build_info(sources: Sources, libraries: Mapping[str, Mapping[str, str]]) -> bytes:
    """Return the content of BUILDINFO.json. `libraries` has the SHA-256 of each library file, by platform and name."""
    tools = {"python": platform.python_version(), "zlib": zlib.ZLIB_RUNTIME_VERSION}
    content = {
        "version": __version__,
        "commit": sources.commit,
        "time": sources.time,
        "platform": platform.platform(),
        "tools": {**tools, **{name: version(name) for name in TOOLS}},
        "libraries": libraries,
    }
    return f"{json.dumps(content, indent=1)}\n".encode()


def differences(folder: Path, built: Path) -> list[str]:
    """Return a line for each difference between the files BUILDINFO.json of two releases, apart from their libraries.
    Without a file in `folder`, nothing is known. Raises OSError and ValueError if a file cannot be read."""
    if not (folder / NAME).exists():
        return []
    theirs, ours = (json.loads((path / NAME).read_text(encoding="utf-8")) for path in (folder, built))
    names = [(name, theirs.get(name), ours[name]) for name in ("commit", "version", "platform")]
    names += [(name, theirs.get("tools", {}).get(name), ours["tools"][name]) for name in ours["tools"]]
    return [f"{name}: {before} in {folder}, {now} here" for name, before, now in names if before != now]
