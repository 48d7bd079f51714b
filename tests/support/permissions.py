"""Folders that nobody can write to, not even root."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from support.peers import absent, find_program


def bound_by_permissions() -> list[str]:
    """The words before a command that keep it to the permissions of files, which root's programs otherwise ignore."""
    if os.geteuid() != 0:
        return []
    if (setpriv := find_program("setpriv")) is None:
        absent("setpriv")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


@contextlib.contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Meanwhile, commands after `bound_by_permissions()` can write to none of these folders, and to no folder in
    them."""
    inside = [path for folder in folders for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()]
    for path in (*folders, *inside):
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in (*folders, *inside):
            path.chmod(0o755)
