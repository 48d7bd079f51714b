"""The files THIRD-PARTY-LICENSES.txt and sbom.cdx.json, which list the software of others in a file of a release: the
first with the licences, for people, and the second in the format CycloneDX, for programs.

All facts come from the packages' own metadata and licence files at the time when the release is built.
"""

from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from email import message_from_bytes
from pathlib import PurePosixPath
from typing import NamedTuple

from kogoma.native.object_file import KernelError

LISTING, SBOM = "THIRD-PARTY-LICENSES.txt", "sbom.cdx.json"
WIDTH = 80
METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
TEXTS = re.compile(r"(LICEN[CS]E|COPYING|NOTICE|AUTHORS)(?!.*\.pyc?$)", re.IGNORECASE)  # names of licence files
CLASSIFIER = "License :: OSI Approved :: "
OWN = (
    "Kogoma itself is under the MIT License. Its native libraries and WebAssembly\n"
    "modules are compiled from Kogoma's own sources; they contain no code of the\n"
    "compilers numba, LLVM and Zig, nor of their runtime libraries.\n"
)

PACKAGE = "pkg:pypi/"  # the prefix of a package URL (purl) of PyPI


class Part(NamedTuple):
    """Software of others: its name, version, the name of its licence, and the texts of its licence files by path."""

    name: str
    version: str
    licence: str
    texts: Mapping[str, str]
    kind: str = PACKAGE  # the prefix of its package URL


def package(files: Mapping[str, bytes]) -> Part:
    """Return the description of a Python package, of which `files` has the contents by path, as in its wheel. Raises
    KernelError if the package has no metadata or no licence file."""
    found = next((content for path, content in files.items() if METADATA.fullmatch(path)), None)
    if found is None:
        raise KernelError("a package of the release has no METADATA")
    metadata = message_from_bytes(found)
    kinds = [
        kind.removeprefix(CLASSIFIER) for kind in metadata.get_all("Classifier", []) if kind.startswith(CLASSIFIER)
    ]
    licence = metadata["License-Expression"] or " AND ".join(kinds) or (metadata["License"] or "").partition("\n")[0]
    texts = {path: decoded(files[path]) for path in sorted(files) if TEXTS.match(PurePosixPath(path).name)}
    if not texts:
        raise KernelError(f"the package {metadata['Name']} has no licence file")
    return Part(metadata["Name"], metadata["Version"], licence, texts)


def decoded(content: bytes) -> str:
    """Return the text of a licence file, with `\\n` as line ends."""
    return "\n".join(content.decode("utf-8-sig", errors="replace").splitlines())


def listing(file: str, parts: Sequence[Part]) -> str:
    """Return the content of THIRD-PARTY-LICENSES.txt for a file of the release that contains `parts`. A text that
    several parts have is printed once."""
    title = f"Third-party software in {file}"
    lines = [title, "=" * len(title), "", OWN]
    if not parts:
        return "\n".join([*lines, "This file contains no software of others.", ""])
    ordered = sorted(parts, key=lambda part: part.name.lower())
    column = max(len(f"{part.name} {part.version}") for part in ordered) + 3
    lines += ["This file also contains the following software, under the licences named:", ""]
    lines += [f"  {f'{part.name} {part.version}':<{column}}{part.licence}" for part in ordered]
    sources: dict[str, list[str]] = {}  # names of the parts and their files, by text
    for part in ordered:
        for path, text in part.texts.items():
            sources.setdefault(text, []).append(f"{part.name} {part.version}: {path}")
    for text, named in sources.items():
        lines += ["", "", "-" * WIDTH, *named, "-" * WIDTH, "", text.strip("\n")]
    return "\n".join([*lines, ""])


def sbom(file: str, version: str, committed: int, parts: Sequence[Part]) -> bytes:
    """Return the content of sbom.cdx.json for a file of the release that contains Kogoma and `parts`. `version` is
    Kogoma's version, and `committed` the time of its commit, in seconds since 1970."""

    def component(part: Part) -> dict[str, object]:
        url = f"{part.kind}{part.name.lower()}@{part.version}"
        described = {"bom-ref": url, "name": part.name, "version": part.version, "purl": url}
        return {"type": "library", **described, "licenses": [{"license": {"name": part.licence}}]}

    own = {
        **component(Part("kogoma", version, "", {})),
        "type": "application",
        "licenses": [{"license": {"id": "MIT"}}],
    }
    others = [component(part) for part in sorted(parts, key=lambda part: part.name.lower())]
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_OID, f"{file} {committed}").urn,
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(committed)), "component": own},
        "components": others,
        "dependencies": [{"ref": own["bom-ref"], "dependsOn": [other["bom-ref"] for other in others]}],
    }
    return f"{json.dumps(content, indent=1)}\n".encode()
