"""The version: from the tags of a checkout, and written into archives and packages."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.version import FIRST, version_of
from support.peers import absent
from support.usi_client import ROOT

# Version control without the settings of this machine.
GIT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip


def git(folder: Path, *words: str) -> str:
    """Run git in a folder and return its output."""
    done = subprocess.run(["git", *words], cwd=folder, env=GIT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def version_in(folder: Path) -> str:
    """Return the version of the package in a folder."""
    command = [sys.executable, "-S", "-c", "from kogoma.version import __version__; print(__version__)"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a git repository with one commit: the module of the version in a package."""
    if shutil.which("git") is None:
        absent("git", "sudo apt install git")
    folder = tmp_path / "checkout"
    (folder / "kogoma").mkdir(parents=True)
    (folder / "kogoma" / "__init__.py").write_text("")
    shutil.copy(ROOT / "kogoma" / "version.py", folder / "kogoma")
    for name in (".gitattributes", ".git_archival.txt"):
        shutil.copy(ROOT / name, folder)
    git(folder, "init", "--quiet")
    commit(folder)
    return folder


def commit(folder: Path) -> None:
    """Commit everything in a repository. The commit need not contain a change."""
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a commit")


def test_a_tag_gives_the_version(checkout: Path) -> None:
    assert version_in(checkout) == f"{FIRST}.dev1+g{git(checkout, 'rev-parse', '--short=9', 'HEAD')}"
    git(checkout, "tag", "v0.3.0")
    git(checkout, "tag", "another-tag")
    assert version_in(checkout) == "0.3.0"
    commit(checkout)
    commit(checkout)
    assert version_in(checkout) == f"0.3.1.dev2+g{git(checkout, 'rev-parse', '--short=9', 'HEAD')}"


@pytest.mark.parametrize("tag", ["v0.3.0", "v1.0", "v2.10.9", "v0.3.0rc1", "v0.3.0.post1"])
def test_versions_are_those_of_setuptools_scm(checkout: Path, tag: str) -> None:
    if importlib.util.find_spec("setuptools_scm") is None:
        absent("setuptools-scm")
    import setuptools_scm

    git(checkout, "tag", tag)
    for _ in range(3):
        assert version_in(checkout) == setuptools_scm.get_version(checkout)
        commit(checkout)


def test_an_archive_of_a_tagged_commit_contains_the_version(checkout: Path, tmp_path: Path) -> None:
    git(checkout, "archive", "--output", str(tmp_path / "untagged.tar"), "HEAD")
    git(checkout, "tag", "v0.4.0")
    git(checkout, "archive", "--output", str(tmp_path / "tagged.tar"), "HEAD")
    for name, version in (("untagged", f"{FIRST}.dev0"), ("tagged", "0.4.0")):
        shutil.unpack_archive(tmp_path / f"{name}.tar", tmp_path / name)
        assert version_in(tmp_path / name) == version


def test_a_folder_without_git_has_the_version_in_its_file(checkout: Path) -> None:
    shutil.rmtree(checkout / ".git")
    assert version_in(checkout) == f"{FIRST}.dev0"
    (checkout / "kogoma" / "version.txt").write_text("0.5.0\n")
    assert version_in(checkout) == "0.5.0"


def test_other_descriptions_are_not_versions() -> None:
    assert [version_of(text) for text in ("", "main", "nightly-3-g1234567", "3b0c1f2", "$Format:x$")] == [None] * 5


@pytest.mark.long
def test_a_newer_build_replaces_an_older_one(tmp_path: Path) -> None:
    """Check it with pip for wheels of a commit without a tag, of a tag, and of the commit after the tag."""
    pytest.importorskip("setuptools", reason="setuptools is not installed: ./engine.sh test --all installs it")
    clone, python = tmp_path / "clone", tmp_path / "environment" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "environment")], check=True)
    git(ROOT, "clone", "--quiet", str(ROOT), str(clone))
    build = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    for number, tag in enumerate(("", "v9.0.0", "")):
        commit(clone)
        if tag:
            git(clone, "tag", tag)
        folder = tmp_path / str(number)
        words = [sys.executable, "-c", build, str(folder)]
        name = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        words = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--upgrade"]
        subprocess.run([*words, str(folder / name)], check=True)
        words = [str(python), "-c", "import kogoma; print(kogoma.__version__)"]
        installed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()
        assert installed == version_in(clone) and name.startswith(f"kogoma-{installed}-")
        assert installed.startswith(("0.2.0.dev", "9.0.0", "9.0.1.dev1+g")[number])
