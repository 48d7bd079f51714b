"""Commands that write to a full disk: the old file is unchanged, and a one-line message names the reason."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma import Game, write_game
from kogoma.output_file import replacing, write_file
from support.lab_runs import run
from support.usi_client import ENGINE, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

# Runs a command that can write only a few bytes to a file.
NO_ROOM = """
import os, resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (99, 99))
os.execv(sys.argv[1], sys.argv[1:])
"""
OLD = "the old content\n"
COMMANDS = {
    "report": ("report m.jsonl -o OUT", "page.html"),
    "openings": ("openings minishogi -plies 4 -count 20 -nodes 20 -o OUT", "openings.sfen"),
    "convert": ("convert game.kif OUT", "other.kifu"),
    "analyse": ("analyse game.kif --nodes 20 -o OUT", "analysed.kif"),
    "export": ("export codeabbey -o OUT", "bot.py"),
    "book": ("book export book.db -o OUT", "book.sfen"),
    "mate": ("mate --make minishogi --plies 1 --count 1 --kif kif", "kif/0001.kifu"),
}
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs the limits of POSIX")


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the journal of a match, a game record and a book."""
    folder = tmp_path_factory.mktemp("given")
    engines = "-engine name=one -engine name=two -each nodes=20 -games 2 -out m.jsonl".split()
    assert run("match", *engines, folder=folder).returncode == 0
    write_game(Game.played("minishogi", ["3e3d", "3a3b", "3d3c", "3b3c", "5d5c"]), folder / "game.kif")
    assert (
        run("book", "minishogi", "--positions", "20", "--nodes", "50", "-o", "book.db", folder=folder).returncode == 0
    )
    return folder


@posix
@pytest.mark.parametrize("name", COMMANDS)
def test_the_old_file_stays_whole(name: str, given: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(given, tmp_path / "folder")
    words, output = COMMANDS[name]
    path = folder / output
    path.parent.mkdir(exist_ok=True)
    path.write_text(OLD)
    before = sorted(folder.rglob("*"))
    command = [sys.executable, "-c", NO_ROOM, *ENGINE, *words.replace("OUT", output).split()]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=_environment(), timeout=120)
    assert done.returncode == 1, done.stdout + done.stderr
    last = done.stderr.splitlines()[-1]
    assert "File too large" in last or "No space left on device" in last, done.stderr
    assert "Errno" not in done.stderr and "unfinished" not in done.stderr, done.stderr
    left = [found for found in sorted(folder.rglob("*")) if found.suffix != ".part"]  # .part: unfinished results
    assert path.read_text() == OLD and left == before


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("mate", "convert")])
def test_a_folder_is_called_a_folder(name: str, given: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(given, tmp_path / "folder")
    words, output = COMMANDS[name]
    (folder / output).mkdir()
    done = subprocess.run(
        [*ENGINE, *words.replace("OUT", output).split()], cwd=folder, capture_output=True, text=True, env=_environment()
    )
    assert done.returncode == 1 and done.stderr.splitlines()[-1].endswith(f"{output}: it is a folder"), done.stderr
    assert list((folder / output).iterdir()) == []


def test_an_interrupted_writer_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a" / "file"
    path.parent.mkdir()
    path.write_text(OLD)
    path.chmod(0o640)
    for failure in (KeyboardInterrupt, ValueError):
        with pytest.raises(failure), replacing(path) as file:
            file.write(b"half")
            raise failure
        assert path.read_text() == OLD and list(path.parent.iterdir()) == [path]
    link = tmp_path / "link"
    link.symlink_to(path)
    write_file(link, "new\n")
    assert link.is_symlink() and path.read_text() == "new\n" and path.stat().st_mode & 0o777 == 0o640
    write_file(Path("/dev/null"), "gone")


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}
