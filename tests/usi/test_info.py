"""The command `info` prints what is needed for a bug report, even if parts of Kogoma are broken.

tests/usi/test_prebuilt.py tests it with prebuilt libraries.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from kogoma.native.cache.folders import survey
from kogoma.native.library import Library
from kogoma.native.platforms import this_platform
from kogoma.search.library import all_libraries, build_all
from kogoma.version import FIRST, __version__
from support.info_report import CHECKS, sections, states
from support.peers import absent, find_program
from support.permissions import bound_by_permissions, read_only
from support.usi_client import ROOT

pytestmark = pytest.mark.slow

NOT_NEEDED = "dice-128"  # no variant has this library


def info(*words: str, prefix: Sequence[str] = (), **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `info` with the given environment variables. No other variables whose names start with KOGOMA_ are passed on.

    KOGOMA_COMPILE and KOGOMA_LANG have default values, which the caller can override.
    """
    others = {name: value for name, value in os.environ.items() if not name.startswith("KOGOMA_")}
    env = {**others, "KOGOMA_COMPILE": "1", "KOGOMA_LANG": "en", **variables}
    command = [*prefix, sys.executable, "-m", "kogoma", "info", *words]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=300)


@pytest.fixture(scope="module")
def libraries() -> list[Library]:
    """Compile the libraries of all variants, and return them."""
    found = [library for library in all_libraries() if library.full_name != NOT_NEEDED]
    build_all([library for library in found if not library.is_built()], print)
    return found


@pytest.fixture
def cache(libraries: list[Library], tmp_path: Path) -> Path:
    """Return a cache folder with the files of all variants' libraries."""
    folder = tmp_path / "objects"
    folder.mkdir(0o755)
    for library in libraries:
        paths = [one.path / library.file_name for one in survey()]
        shutil.copy(next(path for path in paths if path.exists()), folder)
    return folder


def test_everything_works(cache: Path) -> None:
    done = info(KOGOMA_CACHE=str(cache), KOGOMA_PROGRAM="./engine.sh")
    assert (done.returncode, done.stderr) == (0, ""), done
    found = sections(done.stdout)
    assert found["Kogoma"][0].split()[0] == __version__
    assert found["Python"][0].endswith(f" {sys.version.split()[0]}, {this_platform()}")
    assert [line.split()[0] for line in found["Packages"]] == ["numpy", "numba", "llvmlite"]
    variables = {"CACHE": str(cache), "COMPILE": "1", "LANG": "en", "PROGRAM": "./engine.sh"}
    assert found["Variables"] == [f"KOGOMA_{name}={value}" for name, value in variables.items()]
    assert set(states(done.stdout).items()) >= {("search-64", "compiled"), ("mate-128", "compiled")}
    assert {name for name, state in states(done.stdout).items() if state not in ("compiled", "-")} == {NOT_NEEDED}
    assert found["Libraries"][4:] == ["not prebuilt: KOGOMA_COMPILE is set"]
    sizes = [path.stat().st_size for path in cache.iterdir()]
    assert found["Cache"] == [f"{cache}: {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB, writable"]
    *checks, verdict = found["Self-test"]
    for line, (name, number) in zip(checks, CHECKS.items(), strict=True):
        assert re.fullmatch(rf"{name}: {number}, correct(, \d+\.\d million nodes/s)?", line)
    assert re.fullmatch(r"passed after \d+\.\d s", verdict)


def test_a_checkouts_commit(tmp_path: Path) -> None:
    """Check that `info` prints the checkout's Git commit, with a + if files have changed, and that `info` works without
    Git."""
    found = sections(info(KOGOMA_CACHE=str(tmp_path)).stdout)["Kogoma"]
    home = os.path.expanduser("~")
    assert found[1] == "checkout: " + (f"~{str(ROOT).removeprefix(home)}" if ROOT.is_relative_to(home) else str(ROOT))
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("this is not a git repository, or git is not installed")
    git = ["git", "-C", str(ROOT)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout
    changes = subprocess.run([*git, "status", "--porcelain", "-uno"], capture_output=True, text=True, check=True).stdout
    _, commit = found[0].split()
    assert head.startswith(commit.rstrip("+")) and commit.endswith("+") == bool(changes)
    done = info(KOGOMA_CACHE=str(tmp_path), PATH="/nonexistent")
    assert done.returncode == 0 and sections(done.stdout)["Kogoma"][0] == f"{FIRST}.dev0"


def test_the_home_folder_is_not_printed(tmp_path: Path) -> None:
    home, beside = tmp_path / "hana", tmp_path / "hana-2"
    folders = f"{home / 'cache'}{os.pathsep}{beside}"
    done = info(HOME=str(home), KOGOMA_CACHE=folders)
    found = sections(done.stdout)
    assert done.returncode == 0 and found["Variables"][0] == f"KOGOMA_CACHE=~/cache{os.pathsep}{beside}"
    assert [line.split(": ")[0] for line in found["Cache"]] == ["~/cache", str(beside)]
    done = info(HOME=str(ROOT.parent), KOGOMA_CACHE=str(beside))
    assert str(ROOT) not in done.stdout and sections(done.stdout)["Kogoma"][1] == f"checkout: ~/{ROOT.name}"


def test_nothing_is_compiled_yet(tmp_path: Path) -> None:
    done = info(KOGOMA_CACHE=str(tmp_path / "cache"))
    assert (done.returncode, done.stderr) == (0, "")
    assert set(states(done.stdout).values()) == {"not yet", "-"}
    verdict = "skipped; `info --compile` compiles the engine first"
    assert sections(done.stdout)["Self-test"] == [*[f"{name}: not compiled yet" for name in CHECKS], verdict]
    assert list((tmp_path / "cache").iterdir()) == []


@pytest.mark.long
def test_what_is_missing_is_compiled_on_demand(cache: Path) -> None:
    for name in ("eval-64", "rules-128"):
        next(cache.glob(f"kogoma-{name}-*")).unlink()
    done = info(KOGOMA_CACHE=str(cache))
    missing = {name for name, state in states(done.stdout).items() if state == "not yet"}
    assert done.returncode == 0 and missing == {"eval-64", "rules-128", NOT_NEEDED}
    first, second, third, bench, verdict = sections(done.stdout)["Self-test"]
    assert first.endswith(", correct") and third.endswith(", correct") and verdict.startswith("passed after")
    assert second.endswith(": not compiled yet") and bench.endswith(": not compiled yet")
    done = info("--compile", KOGOMA_CACHE=str(cache))
    assert done.returncode == 0
    assert re.fullmatch(r"kogoma: compiling eval for .*\nkogoma: compiled eval\n", done.stderr)
    assert {name for name, state in states(done.stdout).items() if state == "not yet"} == missing - {"eval-64"}
    assert ", correct, " in sections(done.stdout)["Self-test"][3]


def test_cache_folders_that_are_refused_or_only_read(cache: Path, tmp_path: Path) -> None:
    """Check that `info` reports refused cache folders, read-only cache folders, and a damaged file.

    `info` must not change the refused folder.
    """
    refused, private = tmp_path / "refused", tmp_path / "home" / "kogoma"
    shutil.copytree(cache, refused)
    refused.chmod(0o777)
    (damaged,) = cache.glob("kogoma-rules-64-*")
    damaged.write_bytes(b"kogoma")
    (tmp_path / "file").touch()
    impossible = tmp_path / "file" / "cache"
    folders = os.pathsep.join(map(str, (refused, cache, impossible)))
    before = {path: path.stat() for path in (refused, *refused.iterdir())}
    with read_only(cache):
        done = info(prefix=bound_by_permissions(), KOGOMA_CACHE=folders, XDG_CACHE_HOME=str(private.parent))
    lines = sections(done.stdout)["Cache"]
    assert lines[0] == f"{refused} is not used: others may write to it"
    assert re.fullmatch(rf"{cache}: {len(list(cache.iterdir()))} files, \d+\.\d MB, read-only", lines[1])
    assert lines[2:4] == [f"{impossible}: does not exist", f"{private}: 0 files, 0.0 MB, writable"]
    assert f"{damaged} is damaged (it has only 6 bytes): it is not used" in lines[4:]
    assert f"KOGOMA_CACHE names no folder that can be written: {private} is used instead" in lines[4:]
    assert states(done.stdout)["rules-64"] == "not yet" and states(done.stdout)["rules-128"] == "compiled"
    assert done.returncode == 0 and {path: path.stat() for path in before} == before


def test_no_folder_can_be_written() -> None:
    done = info(HOME="/nonexistent", XDG_CACHE_HOME="/dev/null/cache")
    assert done.returncode == 0 and sections(done.stdout)["Cache"] == ["/dev/null/cache/kogoma: does not exist"]


def test_other_weights_are_not_compared(cache: Path, tmp_path: Path) -> None:
    """Check that the self-test does not compare the node count of the bench if KOGOMA_WEIGHTS is set, and that the
    self-test fails if KOGOMA_WEIGHTS names a missing folder."""
    done = info(KOGOMA_CACHE=str(cache), KOGOMA_WEIGHTS=str(cache))
    assert done.returncode == 0
    assert re.match(r"bench: \d+, not compared because of KOGOMA_WEIGHTS, ", sections(done.stdout)["Self-test"][3])
    done = info(KOGOMA_CACHE=str(cache), KOGOMA_WEIGHTS=str(tmp_path / "missing"))
    assert done.returncode == 1 and sections(done.stdout)["Self-test"][4] == "failed"
    assert "KOGOMA_WEIGHTS must name a folder" in sections(done.stdout)["Self-test"][3]


def test_paths_that_the_terminal_cannot_show(tmp_path: Path) -> None:
    done = info(KOGOMA_CACHE=str(tmp_path / "将棋"), PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and sections(done.stdout)["Variables"][0].endswith(r"/\u5c06\u68cb")


def test_in_japanese(cache: Path) -> None:
    """Check that `info` prints Japanese text, except for names and paths."""
    done = info(KOGOMA_CACHE=str(cache), KOGOMA_LANG="ja")
    assert done.returncode == 0 and "\n自己診断      perft 5 minishogi: 533203、正常\n" in done.stdout
    assert not re.search(r"\b(not|is|are|compiled|correct|passed|yes|cores|files)\b", done.stdout)


@pytest.mark.skipif(this_platform() != "linux-x86_64", reason="qemu-x86_64 runs programs for Linux")
def test_an_old_processor(tmp_path: Path) -> None:
    """Check that `info` names the feature that an old processor lacks.

    No prebuilt library is used here, so LLVM compiles the code that asks the processor for its features.
    """
    if (qemu := find_program("qemu-x86_64")) is None:
        absent("qemu-x86_64")
    done = info(prefix=[qemu, "-cpu", "SandyBridge"], KOGOMA_CACHE=str(tmp_path))
    feature = "x86-64-v3: this processor has no AVX2, or a virtual machine hides it"
    assert done.returncode == 0 and sections(done.stdout)["Processor"][-1] == feature
