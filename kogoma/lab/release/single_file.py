"""Build the single file for Linux: a zip file that Python executes. It has the files of a wheel and of platformdirs."""

from __future__ import annotations

import hashlib
import io
import re
import time
import zipfile
from importlib.metadata import files
from pathlib import Path

from kogoma.lab.release.reproducible import zipped
from kogoma.lab.release.start_single_file import DIGEST
from kogoma.lab.release.third_party import LISTING, SBOM, listing, package, sbom
from kogoma.version import __version__

PLATFORM = "linux-x86_64"
NAME = f"kogoma-{__version__}-{PLATFORM}.pyz"
KEPT = re.compile(r".*\.(py|typed)|.*/(METADATA|LICENSE.*)")  # files of platformdirs
FIRST_LINE = b"#!/usr/bin/env python3\n"


def single_file(wheel: bytes, committed: int) -> tuple[str, bytes]:
    """Return the name and the content of the single file for Linux, made from the content of a wheel. `committed` is
    the time, in seconds since 1970, that the entries of the zip file get."""
    with zipfile.ZipFile(io.BytesIO(wheel)) as archive:
        contents = {name: archive.read(name) for name in archive.namelist() if not name.endswith("/")}
    added = {path.as_posix(): path.read_binary() for path in files("platformdirs") or () if path.suffix != ".pyc"}
    contents |= {path: content for path, content in added.items() if KEPT.fullmatch(path)}
    parts = [package(added)]
    contents[LISTING] = listing(NAME, parts).encode()
    contents[SBOM] = sbom(NAME, __version__, committed, parts)
    contents["__main__.py"] = Path(__file__).with_name("start_single_file.py").read_bytes()
    digest = hashlib.sha256()
    for name, content in sorted(contents.items()):
        digest.update(f"{name} {len(content)}\n".encode() + content)
    contents[DIGEST] = digest.hexdigest()[:16].encode()
    return NAME, zipped(dict(sorted(contents.items())), time.gmtime(committed)[:6], before=FIRST_LINE)
