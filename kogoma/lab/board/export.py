"""The static site as a folder: all of it, or nothing."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from kogoma.rules.variants import VARIANTS
from kogoma.web.site import LIST, write_site


class ExportError(Exception):
    """The folder can't be had; one line."""


def export(folder: Path, tell: Callable[[str], None]) -> tuple[int, int]:
    """Write the site for any static host; returns how many files and bytes. A folder that is there must be empty or an
    earlier export, which is replaced. ExportError, KernelError, OSError."""
    folder = folder.absolute()
    if folder.exists() and not _may_be_replaced(folder):
        raise ExportError(f"{folder} holds other things: name an empty or a new folder")
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        new, old = beside / "new", beside / "old"
        new.mkdir()
        write_site(new, VARIANTS.values(), tell)
        sizes = [path.stat().st_size for path in new.rglob("*") if path.is_file()]
        if folder.exists():
            os.replace(folder, old)
        os.replace(new, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return len(sizes), sum(sizes)


def _may_be_replaced(folder: Path) -> bool:
    """Whether it is an empty folder, or holds what its list of files tells and nothing else."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}
    if not there:
        return True
    try:
        listed = json.loads((folder / LIST).read_text(encoding="utf-8"))["files"]
        return there <= {*listed, LIST, "service_worker.js"}
    except (OSError, ValueError, KeyError, TypeError):
        return False
