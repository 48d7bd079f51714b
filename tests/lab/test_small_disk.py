"""Commands on a small disk that becomes full at different moments. A file has its old or its new content, errors are
reported in one line, and with more room the same command continues."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from kogoma import Game, write_game
from support.lab_runs import run
from support.small_tablebase import CHICKS
from support.usi_client import ENGINE, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

PAGE = 4096
OLD = "the old content\n"
DISK = 8 << 20
ROOMS = (0, 1, 16, 512)  # numbers of pages that are left free

ENGINES = "-engine name=one -engine name=two -each nodes=20 -games 40 -srand 3"


class Case(NamedTuple):
    """A command that is run in a folder of the small disk. The files `outputs` exist before the command starts. The
    files `journals` may remain after a failure, because the command continues from them."""

    words: str
    outputs: tuple[str, ...] = ()
    journals: tuple[str, ...] = ()
    again: str = ""  # the command that continues, if it is a different one


CASES = {
    "report": Case("report m.jsonl -o page.html", ("page.html",)),
    "openings": Case("openings shogi -plies 4 -count 75 -nodes 20 -o openings.sfen", ("openings.sfen",)),
    "convert": Case("convert m.jsonl many.csv.jsonl", ("many.csv.jsonl",)),
    "convert to files": Case("convert m.jsonl games.kifu", tuple(f"games-{number:03}.kifu" for number in range(1, 41))),
    "analyse": Case(
        "analyse game.kif --nodes 20 --concurrency 1 -o analysed.kif",
        ("analysed.kif", "analysed.html"),
        ("analysed.kif.1.part",),
    ),
    "export": Case("export codeabbey -o bot.py", ("bot.py",)),
    "book export": Case("book export shipped -o book.sfen", ("book.sfen",)),
    "book": Case(
        "book minishogi --positions 60 --nodes 50 --concurrency 1 --folder book -o book.db",
        ("book.db",),
        ("book", "book/lock", "book/positions.jsonl"),
    ),
    "wasm": Case("wasm onitama -o web", (), ("web",)),
    "mate": Case("mate --make kyoto --plies 1 --count 3 --kif kif", ("kif/0001.kifu",), ("kif/0002.kifu", "kif")),
    "match": Case(
        f"match {ENGINES} -out new.jsonl -out new.sfen",
        ("new.sfen",),
        ("new.jsonl",),
        f"match {ENGINES} -out new.jsonl -out new.sfen -resume",
    ),
    "tune": Case(
        "tune dobutsu --data data --positions 5000 --nodes 10 --epochs 5 --games 20 --match-nodes 10 --concurrency 1"
        " -o weights",
        (),
        ("data",),
    ),
    "solve": Case(
        "--variants chicks.toml solve chicks -o tables",
        ("tables/chicks.tablebase",),
        ("tables/chicks.solving", "tables/chicks.solving.lock"),
    ),
    "tune the search": Case(
        "tune dobutsu --search --data data --games 24 --nodes 10 --match-nodes 10 --concurrency 1", (), ("data",)
    ),
}


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder that contains the journal of a match, a file with a game record and a custom variant."""
    folder = tmp_path_factory.mktemp("given")
    assert run("match", *ENGINES.split(), "-out", "m.jsonl", folder=folder).returncode == 0
    (folder / "chicks.toml").write_text(CHICKS)
    write_game(Game.played("minishogi", ["3e3d", "3a3b", "3d3c", "3b3c", "5d5c"]), folder / "game.kif")
    return folder


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Yield the folder at which a small disk is mounted."""
    if sys.platform != "linux":
        pytest.skip("a small tmpfs can be mounted on Linux only")
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode:
        pytest.skip(f"cannot mount a small tmpfs: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def command(words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        [*ENGINE, *words.split()], cwd=folder, env=environment, capture_output=True, text=True, timeout=1000
    )


def fill(disk: Path, pages: int) -> Path:
    """Fill the disk except for `pages` pages, and return the file that fills it."""
    filler, status = disk / "filler", os.statvfs(disk)
    with open(filler, "wb") as file:
        file.write(bytes(status.f_bavail * status.f_frsize - pages * PAGE))
    return filler


def files_in(folder: Path) -> set[str]:
    """Return the names of all files and folders in a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}


def contents(folder: Path, names: tuple[str, ...]) -> list[bytes]:
    """Return the contents of those files in `names` that must be the same in every run. Files that contain times or
    dates are left out. Opening books are left out too, because they grow with every run."""
    return [(folder / name).read_bytes() for name in names if name.endswith((".sfen", ".py", ".kif", ".kifu"))]


@pytest.mark.parametrize("name", CASES)
def test_a_disk_that_runs_full(name: str, given: Path, disk: Path, tmp_path: Path) -> None:
    """Check that a command on a full disk fails with a message and keeps the old files. With more room, the command
    continues from its journals."""
    case = CASES[name]
    whole = shutil.copytree(given, tmp_path / "whole")  # a run with enough room
    reference = command(case.words, whole)
    assert reference.returncode in (0, 3), reference.stdout + reference.stderr
    folder = shutil.copytree(given, disk / "folder")
    for output in case.outputs:
        (folder / output).parent.mkdir(exist_ok=True)
        (folder / output).write_text(OLD)
    before = files_in(folder)
    for pages in ROOMS:
        filler = fill(disk, pages)
        started = case.again and (folder / case.journals[0]).exists()
        done = command(case.again if started else case.words, folder)
        told = f"{pages} pages: {done.stdout}{done.stderr}"
        if done.returncode == reference.returncode:
            break
        check_failure(name.split()[0], done, told)
        journals = () if done.returncode == 2 else case.journals  # a command that cannot start leaves no files
        left = {path for path in files_in(folder) - before if not path.startswith(journals)}
        assert not left, told
        for output in case.outputs:
            assert is_whole(folder / output, whole / output), told
        check_journals(folder, told)
        check_hashes(folder, told)
        filler.unlink()
    else:
        pytest.fail("the command failed even with the most room")
    assert pages, "the command succeeded on the full disk"
    assert contents(folder, case.outputs) == contents(whole, case.outputs), told


def is_whole(path: Path, new: Path) -> bool:
    """Return whether a file has either its old or its new content. HTML pages contain dates and times, so only the end
    of a page is checked."""
    text = path.read_bytes()
    return text in (OLD.encode(), new.read_bytes()) or (path.suffix == ".html" and text.rstrip().endswith(b"</html>"))


def check_failure(name: str, done: subprocess.CompletedProcess[str], told: str) -> None:
    """Check the exit code of a failed command, and that the last line on standard error gives the reason. If a match
    has begun, the line also says how to resume it."""
    assert done.returncode in ((1, 2) if name == "match" else (1,)), told
    errors = [line for line in done.stderr.splitlines() if line.startswith(f"{name}: ")]
    assert errors[-1:] == done.stderr.splitlines()[-1:], told
    reason, _, again = errors[-1].partition("; to go on: usi-engine ")
    assert reason.endswith("No space left on device"), told
    assert again == "match --resume new.jsonl -out new.sfen" * (name == "match" and done.returncode == 1), told
    for word in ("Errno", "Traceback", "unfinished", "Error"):
        assert word not in done.stderr + done.stdout, told


def check_hashes(folder: Path, told: str) -> None:
    """Check that each file whose name contains a hash has this hash. Also check that the failed command has not written
    the web page's index of games."""
    for path in [*folder.glob("web/*/*.wasm"), *folder.glob("web/*/*.gz")]:
        assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(path.name.split(".")[1]), told
    assert not (folder / "web/games/index.json").exists(), told


def check_journals(folder: Path, told: str) -> None:
    """Check that each line of each journal is complete and valid JSON. Lines with the old content are skipped."""
    for path in [*folder.rglob("*.jsonl"), *folder.rglob("*.part")]:
        data = path.read_bytes()
        assert not data or data.endswith(b"\n"), told
        for line in data.splitlines():
            if line.strip() != OLD.strip().encode():
                json.loads(line)
