"""The version: from the tags of a checkout, and written into archives and packages."""

from __future__ import annotations

import importlib.util
import json
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


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return three wheels, each newer than the one before: of a commit without a tag, of one with a tag, and of the
    commit after it."""
    pytest.importorskip("setuptools", reason="setuptools is not installed: ./engine.sh test --all installs it")
    folder = tmp_path_factory.mktemp("builds")
    clone, wheels = folder / "clone", list[Path]()
    git(ROOT, "clone", "--quiet", str(ROOT), str(clone))
    (clone / "kogoma" / "native" / "prebuilt").mkdir()  # a package with prebuilt libraries does not depend on numba
    build = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
    for number, (tag, start) in enumerate((("", "0.2.0.dev"), ("v9.0.0", "9.0.0"), ("", "9.0.1.dev1+g"))):
        commit(clone)
        if tag:
            git(clone, "tag", tag)
        words = [sys.executable, "-c", build, str(folder / str(number))]
        name = subprocess.run(words, cwd=clone, capture_output=True, text=True, check=True).stdout.splitlines()[-1]
        assert name.startswith(f"kogoma-{version_in(clone)}-") and version_in(clone).startswith(start)
        wheels.append(folder / str(number) / name)
    return wheels


def version_of_wheel(wheel: Path) -> str:
    """Return the version in the name of a wheel."""
    return wheel.name.split("-")[1]


@pytest.mark.long
def test_pip_replaces_an_older_build(builds: list[Path], tmp_path: Path) -> None:
    python = tmp_path / "environment" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "environment")], check=True)
    for wheel in builds:
        words = [str(python), "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--upgrade", str(wheel)]
        subprocess.run(words, check=True)
        words = [str(python), "-c", "import kogoma; print(kogoma.__version__)"]
        installed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()
        assert installed == version_of_wheel(wheel)


@pytest.mark.long
def test_pipx_replaces_an_older_build(builds: list[Path], tmp_path: Path) -> None:
    """Check `pipx upgrade` with a folder of wheels, to which newer ones are added."""
    if shutil.which("pipx") is None:
        absent("pipx")
    found, programs = tmp_path / "wheels", tmp_path / "bin"
    found.mkdir()
    homes = {"PIPX_HOME": str(tmp_path / "pipx"), "PIPX_BIN_DIR": str(programs)}
    options = f"--pip-args=--pre --find-links={found}"
    for wheel, command in zip(builds, ("install", "upgrade", "upgrade"), strict=True):
        shutil.copy(wheel, found)
        words = ["pipx", command, "kogoma", options]
        done = subprocess.run(words, env=os.environ | homes, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert version_of_wheel(wheel) in done.stdout
        python = (programs / "usi-engine").resolve().with_name("python")
        words = [str(python), "-c", "import kogoma; print(kogoma.__version__)"]
        installed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout.strip()
        assert installed == version_of_wheel(wheel)


@pytest.mark.long
def test_a_tag_gives_the_version_everywhere(builds: list[Path], tmp_path: Path) -> None:
    """Check what a clone with a tag shows: to GUIs, in texts, in the journal of a match and in an exported bot.
    tests/lab/test_release.py checks the page."""
    clone, version = builds[-1].parent.with_name("clone"), version_of_wheel(builds[-1])

    def shown(*words: str, given: str = "") -> str:
        """Run a command in the clone and return its output."""
        command = [sys.executable, "-m", "kogoma", *words]
        return subprocess.run(command, cwd=clone, input=given, capture_output=True, text=True, check=True).stdout

    assert shown("--version") == f"Kogoma {version}\n"
    assert f"id name Kogoma {version}\n" in shown(given="usi\nquit\n")
    assert f"{version} " in next(line for line in shown("info").splitlines() if line.startswith("Kogoma"))
    journal, bot = tmp_path / "match.jsonl", tmp_path / "bot.py"
    engines = ["-engine", "name=a", "-engine", "name=b", "-each", "cmd=kogoma", "nodes=10"]
    shown("match", "-variant", "onitama", "-games", "1", "-out", str(journal), *engines)
    assert json.loads(journal.read_text("utf-8").splitlines()[0])["version"] == version
    shown("export", "onitama", "--flavor", "python", "-o", str(bot))
    assert f"Kogoma {version}" in bot.read_text("utf-8")
