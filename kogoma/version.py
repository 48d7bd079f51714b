"""The version. It comes from git, in the form that setuptools-scm gives it:

- at the tag `v0.2.0`: 0.2.0
- 5 commits later: 0.2.1.dev5+gHASH, with the last part of the tag's version increased by 1

Packages and the archives of the sources contain it as the file `version.txt`. A checkout asks git. An archive that git
makes has the description of the commit in `.git_archival.txt` (see .gitattributes).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    __version__: str

FIRST = "0.2.0"  # the version that the first tag will have
FILE = "version.txt"
TAGS = "v[0-9]*"  # the tags of versions, as a pattern of git
GIT_SECONDS = 5
ARCHIVED = ".git_archival.txt"
_DESCRIPTION = re.compile(r"v(?P<tag>[0-9].*?)(?:-(?P<commits>[0-9]+)-(?P<hash>g[0-9a-f]+))?")


def version_of(description: str) -> str | None:
    """Return the version for the output of `git describe --tags`, or None if it describes no tag of a version."""
    found = _DESCRIPTION.fullmatch(description)
    if found is None:
        return None
    tag, commits = found["tag"], found["commits"]
    if commits is None:
        return tag
    following = re.sub(r"[0-9]+$", lambda last: str(int(last[0]) + 1), tag)
    return f"{following}.dev{commits}+{found['hash']}"


def find_version(folder: str) -> str:
    """Return the version of the package in a folder. If nothing tells it, return the development version 0 of
    FIRST."""
    if written := _read(os.path.join(folder, FILE)):
        return written
    checkout = os.path.dirname(folder)
    if os.path.exists(os.path.join(checkout, ".git")):
        described = _git(checkout, "describe", "--tags", "--always", "--abbrev=9", "--match", TAGS)
        if version := version_of(described):
            return version
        if described and (commits := _git(checkout, "rev-list", "--count", "HEAD")):  # no tag: only the hash is told
            return f"{FIRST}.dev{commits}+g{described}"
    _, _, description = _read(os.path.join(checkout, ARCHIVED)).partition("describe-name: ")
    return version_of(description) or f"{FIRST}.dev0"


def _read(path: str) -> str:
    """Return the text of a file without surrounding blanks, or "" if it cannot be read."""
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def _git(folder: str, *words: str) -> str:
    """Return the output of a git command in a folder, or "" if it fails."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-C", folder, *words]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=GIT_SECONDS)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    version = globals()[name] = find_version(os.path.dirname(os.path.abspath(__file__)))
    return version
