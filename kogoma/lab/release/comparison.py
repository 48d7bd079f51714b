"""Compare two builds of a release: which files differ, and which members of the archives among them."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

SUMS = "SHA256SUMS"
ZIP = re.compile(r".*\.(whl|zip|pyz)")


def listed(folder: Path) -> list[str]:
    """Return the names of the files that SHA256SUMS in a folder lists. Raises OSError if it cannot be read."""
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    return [Path(line.partition("  ")[2]).name for line in lines]


def compare(folder: Path, built: Path) -> list[str]:
    """Return a line for each difference between the release in `folder` and a new build of it: a file that one of them
    lacks, a file with other bytes, and below it the members of an archive that differ. Raises OSError if a file cannot
    be read."""
    lines = []
    for name in sorted({*listed(folder), *listed(built), SUMS}):
        if not (built / name).exists():
            lines.append(f"{name}: not in a new build")
        elif not (folder / name).exists():
            lines.append(f"{name}: missing")
        else:
            before, now = (folder / name).read_bytes(), (built / name).read_bytes()
            if before != now:
                lines += [f"{name}: other bytes", *_members(name, before, now)]
    return lines


def _members(path: str, before: bytes, now: bytes) -> Iterator[str]:
    """Yield a line for each difference between two archives, with the path of the member. Yield nothing for files that
    are no archives."""
    if not ZIP.fullmatch(path) and not path.endswith(".tar.gz"):
        return
    old, new = _read(path, before), _read(path, now)
    if old is None or new is None:
        yield f"  {path}: cannot be opened as an archive"
        return
    if list(old) == list(new) and old == new:
        yield f"  {path}: the members are the same, but not their headers, or their compression"
    elif old.keys() == new.keys() and list(old) != list(new):
        yield f"  {path}: the members are in another order"
    for name in sorted(old.keys() | new.keys()):
        inner = f"{path}/{name}"
        if name not in new:
            yield f"  {inner}: not in a new build"
        elif name not in old:
            yield f"  {inner}: missing"
        elif (content := old[name]) is None:
            yield f"  {inner}: damaged"
        elif content != (other := new[name]):
            yield f"  {inner}: other bytes"
            yield from _members(inner, content, other or b"")


def _read(path: str, content: bytes) -> dict[str, bytes | None] | None:
    """Return the members of an archive by name, with None for one that is damaged. Return None if the archive cannot be
    opened. The modules that read archives raise exceptions of many types if an archive is damaged."""
    found = dict[str, bytes | None]()
    try:
        if ZIP.fullmatch(path):
            with zipfile.ZipFile(io.BytesIO(content)) as archive:
                for name in archive.namelist():
                    try:
                        found[name] = archive.read(name)
                    except Exception:
                        found[name] = None
        else:
            with tarfile.open(fileobj=io.BytesIO(content)) as packed:
                for member in packed:
                    file = packed.extractfile(member)
                    found[member.name] = file.read() if file is not None else b""
    except Exception:
        return None
    return found
