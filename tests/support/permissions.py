"""Folders that no program can write to, not even a program that root runs, and commands that run as another account."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from support.peers import absent, find_program
from support.usi_client import ROOT

NOBODY, SOMEBODY = 65534, 65533  # numbers of accounts without rights


def bound_by_permissions() -> list[str]:
    """Return the words to put before a command so that the command obeys file permissions even if root runs it."""
    if os.geteuid() != 0:
        return []
    if (setpriv := find_program("setpriv")) is None:
        absent("setpriv")
    return [setpriv, "--bounding-set=-dac_override,-dac_read_search"]


@contextlib.contextmanager
def read_only(*folders: Path) -> Iterator[None]:
    """Within the context, make these folders and all folders inside them read-only. Root can write to the folders
    nevertheless, except with commands that begin with the words of `bound_by_permissions()`."""
    inside = [path for folder in folders for path in folder.rglob("*") if path.is_dir() and not path.is_symlink()]
    for path in (*folders, *inside):
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in (*folders, *inside):
            path.chmod(0o755)


@functools.cache
def as_account(number: int) -> list[str]:
    """Return the words to put before a command so that the command runs as this account, without root's rights. If the
    account may not read the folder of Python, the command keeps the right to read all files. Skip the test if no other
    account can run Python."""
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip("only root can run commands as other accounts")
    if (setpriv := find_program("setpriv")) is None:
        absent("setpriv")
    account = [setpriv, f"--reuid={number}", f"--regid={number}", "--clear-groups"]
    reading = [*account, "--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]
    for prefix in (account, reading):
        if subprocess.run([*prefix, sys.executable, "-c", "import numpy"], cwd=ROOT, stderr=-3).returncode == 0:
            return prefix
    pytest.skip("no other account can run this Python")


@contextlib.contextmanager
def public_folder() -> Iterator[Path]:
    """Yield a new folder that all accounts can enter. Only root can enter pytest's temporary folders."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


class Above(NamedTuple):
    """A folder above a cache folder. `owner` and `mode` are the owner and the permissions of the folder. `why` is the
    reason why the cache is not used, or "" if the cache is used. `height` is the number of folders between this folder
    and the cache folder."""

    height: int
    owner: int
    mode: int
    why: str


ABOVE = {
    "of another user": Above(0, NOBODY, 0o755, "{} belongs to another user"),
    "of another user, higher": Above(2, NOBODY, 0o755, "{} belongs to another user"),
    "of another user, sticky": Above(0, NOBODY, 0o1777, "{} belongs to another user"),
    "of a group": Above(0, SOMEBODY, 0o775, "others may write to {}"),
    "of a group, higher": Above(1, 0, 0o775, "others may write to {}"),
    "of all": Above(1, SOMEBODY, 0o777, "others may write to {}"),
    "of all, sticky": Above(0, 0, 0o1777, ""),
    "of root": Above(1, 0, 0o755, ""),
}


def below(place: Path, above: Above) -> tuple[Path, Path]:
    """Make three nested folders in `place`. One of them gets the owner and the permissions in `above`, and SOMEBODY
    owns the other two. Return the folder that `above` describes, and the innermost folder."""
    lowest = place / "high" / "middle" / "low"
    lowest.mkdir(parents=True)
    for folder in (lowest, *lowest.parents[:2]):
        os.chown(folder, SOMEBODY, SOMEBODY)
        folder.chmod(0o755)
    other = [lowest, *lowest.parents][above.height]
    os.chown(other, above.owner, above.owner)
    other.chmod(above.mode)
    return other, lowest
