"""Folders that no program can write to, not even one of root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from support.peers import absent, find_program


def bound_by_permissions() -> list[str]:
    """Return the start of a command that makes the rest of it obey file permissions, which programs of root otherwise
    ignore."""
    if os.geteuid() != 0:
        return []
    if (setpriv := find_program("setpriv")) is None:
        absent("setpriv")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


@contextlib.contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Within this context, commands after `bound_by_permissions()` cannot write to these folders and the folders in
    them."""
    inside = [path for folder in folders for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()]
    for path in (*folders, *inside):
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in (*folders, *inside):
            path.chmod(0o755)
