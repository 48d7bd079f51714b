"""The scripts of docs/python.md, run and type-checked with a wheel that is installed in its own environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from kogoma import Game, write_game
from support.usi_client import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.long]

BUILD = "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))"
MOST_LINES = {"bot.py": 30, "mistakes.py": 30, "tournament.py": 40}
BLUNDER = ["3e3d", "3a3b", "3d3c", "3b3c", "5d5c"]  # the silver is lost by the third move


def scripts() -> dict[str, str]:
    """Return the scripts in docs/python.md as a dictionary from file name to text."""
    page = (ROOT / "docs" / "python.md").read_text("utf-8")
    return {name: text for text, name in re.findall(r"```python\n(# (\w+\.py)\n.*?)```", page, re.DOTALL)}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python interpreter of a new environment in which the wheel is installed. All other packages come from
    the environment that runs the tests."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.split("\0")[:-1]:
        if name.startswith("kogoma/") or "/" not in name:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    built = subprocess.run([sys.executable, "-c", BUILD, str(folder)], cwd=source, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    venv.create(folder / "env", with_pip=False)
    interpreter = folder / "env" / "bin" / "python"
    packages = next((folder / "env" / "lib").glob("python*")) / "site-packages"
    (packages / "others.pth").write_text("".join(f"{path}\n" for path in sys.path if path.startswith(sys.prefix)))
    wheel = folder / built.stdout.split()[-1]
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "-q", "--target", str(packages)]
    subprocess.run([*command, str(wheel)], check=True)
    return interpreter


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that contains the scripts of docs/python.md and a game record."""
    for name, text in scripts().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    write_game(Game.played("minishogi", BLUNDER), tmp_path / "game.kif")
    write_game(Game.played("minishogi", ["G*1b"], start="4k/3P1/4P/5/K4 b 2G 1"), tmp_path / "mate.kif")
    return tmp_path


def run(python: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the Python interpreter `python` with the arguments `words`, without access to the checkout."""
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    command = [str(python), *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def test_scripts_are_short_and_work(python: Path, folder: Path) -> None:
    assert set(scripts()) == set(MOST_LINES)
    assert all(len(text.splitlines()) <= MOST_LINES[name] for name, text in scripts().items())
    found = run(python, folder, "-c", "import kogoma; print(kogoma.__file__)").stdout
    assert found.startswith(str(python.parents[1]))
    played = run(python, folder, "bot.py")
    assert played.returncode == 0, played.stderr
    *moves, end = played.stdout.splitlines()
    assert len(moves) > 5 and end.startswith("Outcome(winner=1, reason=")
    listed = run(python, folder, "mistakes.py", "game.kif")
    assert listed.returncode == 0, listed.stderr
    assert re.search(r"^3 ３三銀成?: loses \d+%, better was ", listed.stdout, re.MULTILINE)
    listed = run(python, folder, "mistakes.py", "mate.kif")
    assert (listed.returncode, listed.stdout) == (0, ""), "a mating move is no mistake"
    tournament = run(python, folder, "tournament.py")
    assert tournament.returncode == 0, tournament.stderr
    levels = re.findall(r"^level (\d): (\d(?:\.\d)?) of 4$", tournament.stdout, re.MULTILINE)
    assert [level for level, _ in levels] == ["2", "5", "7"] and sum(float(points) for _, points in levels) == 6


def test_examples_work_with_the_installed_wheel(python: Path, folder: Path) -> None:
    (folder / "python.md").write_text((ROOT / "docs" / "python.md").read_text("utf-8"), encoding="utf-8")
    done = run(python, folder, "-X", "utf8", "-m", "doctest", "python.md")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_scripts_pass_mypy_strict(python: Path, folder: Path) -> None:
    pytest.importorskip("mypy")
    done = run(Path(sys.executable), folder, "-m", "mypy", "--strict", "--python-executable", str(python), *scripts())
    assert done.returncode == 0, done.stdout
