"""If all accounts can write to a folder, commands do not write through links that another account has made there."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kogoma import Game, write_game
from kogoma.output_file import replacing, write_file
from support.lab_runs import run
from support.usi_client import ENGINE, ROOT

pytestmark = pytest.mark.slow

OTHER = 65534  # the account `nobody`
OLD = "the user's own file\n"
ENGINES = "-engine name=one -engine name=two -each nodes=20 -games 2"
posix = pytest.mark.skipif(sys.platform == "win32", reason="links and modes as POSIX has them")


class Case(NamedTuple):
    """A command, and the paths at which another account makes links. The paths are relative to the folder in which the
    command runs."""

    words: str
    links: tuple[str, ...]


REFUSED = {
    "convert": Case("convert game.kif out.kifu", ("out.kifu",)),
    "convert to several files": Case("convert m.jsonl games.kifu", ("games-002.kifu",)),
    "report": Case("report m.jsonl", ("m.html",)),
    "export": Case("export codeabbey -o bot.py", ("bot.py",)),
    "mate": Case("mate --make minishogi --plies 1 --count 1 --kif kif", ("kif/0001.kifu",)),
    "match": Case(f"match {ENGINES} -out new.jsonl", ("new.jsonl",)),
    "match with a log": Case(f"match {ENGINES} -log log.txt", ("log.txt",)),
    "analyse": Case("analyse game.kif --nodes 20 --concurrency 1 -o a.kif", ("a.kif.1.part",)),
    "analyse to a page": Case("analyse game.kif --nodes 20 --concurrency 1 -o a.kif", ("a.html",)),
    "book": Case("book minishogi --positions 9 --nodes 20 --concurrency 1 --folder book -o b.db", ("book/lock",)),
    "book with a journal": Case(
        "book minishogi --positions 9 --nodes 20 --concurrency 1 --folder book -o b.db", ("book/positions.jsonl",)
    ),
    "tune": Case("tune dobutsu --data data --positions 100 --nodes 10 --concurrency 1 -o weights", ("data/lock",)),
    "wasm": Case("wasm onitama -o web", ("web/games/index.json",)),
    "wasm with a folder": Case("wasm onitama -o web", ("web/kernels",)),
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that contains the journal of a match and a file with a game record."""
    folder = tmp_path_factory.mktemp("given")
    assert run("match", *ENGINES.split(), "-out", "m.jsonl", folder=folder).returncode == 0
    write_game(Game.played("minishogi", ["3e3d", "3a3b", "3d3c", "3b3c", "5d5c"]), folder / "game.kif")
    return folder


@pytest.fixture
def shared(given: Path) -> Iterator[Path]:
    """Yield a copy of the folder `given`. All accounts can write to the copy."""
    if sys.platform == "win32" or os.geteuid() != 0:
        pytest.skip("only root can act as another account")
    with tempfile.TemporaryDirectory() as name:  # other accounts may not enter pytest's folder
        Path(name).chmod(0o755)
        folder = shutil.copytree(given, Path(name) / "shared")
        folder.chmod(0o777)
        yield folder


def as_other(*words: str | Path) -> None:
    """Run a program as another account."""
    subprocess.run(list(map(str, words)), check=True, user=OTHER, group=OTHER, extra_groups=[])


def command(case: Case, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the command of `case` in a folder, and return the finished process."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    words = [*ENGINE, *case.words.split()]
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("name", REFUSED)
def test_a_link_of_another_user_is_refused(name: str, shared: Path, tmp_path: Path) -> None:
    case, own = REFUSED[name], tmp_path / "own"
    if case.words.startswith("wasm") and case.links == ("web/kernels",):
        own.mkdir()
    else:
        own.write_text(OLD)
    for link in case.links:
        for parent in reversed(Path(link).parents[:-1]):
            as_other("mkdir", "-m", "777", shared / parent)
        as_other("ln", "-s", own, shared / link)
    done = command(case, shared)
    told = done.stdout + done.stderr
    assert list(own.iterdir()) == [] if own.is_dir() else own.read_text() == OLD, told
    assert done.returncode in (1, 2) and "it is a link of another user" in done.stderr.splitlines()[-1], told
    assert "Traceback" not in told and "unfinished" not in told


def test_no_unfinished_file_has_a_name_that_others_can_predict(shared: Path, tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text(OLD)
    names = [f".out.kifu.$${ending}" for ending in (".unfinished", ".tmp", "")]
    plant = "; ".join(f'ln -s {own} "{name}" && chown -h {OTHER} "{name}"' for name in names)
    words = shlex.join([*ENGINE, "convert", "game.kif", "out.kifu"])
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    subprocess.run(["sh", "-c", f"{plant}; exec {words}"], cwd=shared, env=environment, check=True)
    assert own.read_text() == OLD
    assert (shared / "out.kifu").is_file() and not (shared / "out.kifu").is_symlink()


@posix
def test_own_links_are_followed(tmp_path: Path) -> None:
    """Check that commands write through the user's own links. Here, a link leads to a second link, and the second link
    leads to a file that does not exist at first."""
    own, first, second = tmp_path / "own", tmp_path / "first", tmp_path / "folder" / "second"
    second.parent.mkdir()
    first.symlink_to("folder/second")
    second.symlink_to("../own")
    write_file(first, "one")
    write_file(first, "two")
    assert own.read_text() == "two" and first.is_symlink() and second.is_symlink()
    log = tmp_path / "log"
    log.symlink_to(own)
    done = run("match", *ENGINES.split(), "-log", str(log), folder=tmp_path)
    assert (
        done.returncode == 0 and log.is_symlink() and own.read_text().startswith("two") and "usiok" in own.read_text()
    )


@posix
def test_a_log_may_be_standard_error(tmp_path: Path) -> None:
    done = run("match", *ENGINES.split(), "-log", "/dev/stderr", folder=tmp_path)
    assert done.returncode == 0 and "usiok" in done.stderr


@posix
@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
@pytest.mark.parametrize("old", [None, 0o600, 0o640, 0o664])
def test_the_permissions(mask: int, old: int | None, tmp_path: Path) -> None:
    """Check that a file gets the permissions of the file that it replaces. If it replaces no file, it gets the
    permissions that the umask allows.

    The temporary file, to which the new content is written first, must have the same permissions.
    """
    path = tmp_path / "file"
    if old is not None:
        path.write_text(OLD)
        path.chmod(old)
    before = os.umask(mask)
    try:
        with replacing(path) as file:
            [unfinished] = [found for found in tmp_path.iterdir() if found != path]
            modes = [unfinished.stat().st_mode & 0o777]
            file.write(b"new")
    finally:
        os.umask(before)
    modes.append(path.stat().st_mode & 0o777)
    assert modes == [0o666 & ~mask if old is None else old] * 2 and path.read_text() == "new"
