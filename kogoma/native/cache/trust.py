"""Decide which folders and files are trusted: those that only this user and root can change.

The single file (docs/release.md) uses this module before Kogoma is unpacked, so it imports the standard library only.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def make_folder(folder: Path, mode: int) -> None:
    """Create a folder and the missing folders above it, all with the permissions `mode`. If only the last folder had
    them, the user's umask could let others write to those above it. Raises OSError."""
    try:
        folder.mkdir(mode)
    except FileNotFoundError:
        make_folder(folder.parent, mode)
        folder.mkdir(mode, exist_ok=True)
    except OSError:
        if not folder.is_dir():
            raise


def judged(folder: Path) -> tuple[Path, str]:
    """Return the path of a folder without links, and why another user could change or replace files in it, or "" if
    nobody can. A missing folder is judged by the folders above it. Raises OSError or RuntimeError if the folder cannot
    be examined. On Windows, everything is trusted.

    The folder and all folders above it must belong to this user or root, and others must not be able to write to them,
    as OpenSSH demands for its files (`safe_path` in misc.c). But others may write to a folder above it whose sticky bit
    is set, such as /tmp, because there they cannot rename what belongs to this user or root.
    """
    if not hasattr(os, "geteuid"):
        return folder, ""
    folder = folder.resolve()
    for place in (folder, *folder.parents):
        try:
            status = place.stat()
        except FileNotFoundError:
            continue
        if place == folder:
            why = distrust(status)
        else:
            why = distrust(status, str(place), bool(status.st_mode & stat.S_ISVTX))
        if why:
            return folder, why
    return folder, ""


def distrust(status: os.stat_result, what: str = "it", others_write: bool = False) -> str:
    """Return why a folder or file is not trusted, or "" if it is: it must belong to this user or root, and others must
    not be able to write to it unless `others_write` is true. `what` names it in the text. On Windows, everything is
    trusted."""
    if not hasattr(os, "geteuid"):
        return ""
    if status.st_uid not in (0, os.geteuid()):
        return f"{what} belongs to another user"
    return f"others may write to {what}" if status.st_mode & OTHERS_WRITE and not others_write else ""
