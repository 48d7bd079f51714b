"""Exported files, written once per session, and the programs that run them."""

from __future__ import annotations

import functools
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kogoma.arena.export.check import interpreter
from kogoma.arena.export.command import compose
from oracles.generals import SET_UP
from support.usi_client import ROOT

FIXED_DEPTH = 2
ARENA_GAMES = ("minishogi", "dice", "onitama")
DATA = Path(__file__).parents[2] / "data"

# A program that searches given positions to given depths with the search of a native exported file. It reads [[sfen,
# dice, depth], ...] from standard input, and writes [[best, score kind, score, nodes], ...].
SEARCHES = """
import json, runpy, sys
inside = runpy.run_path(sys.argv[1], run_name="exported")
from kogoma.arena.export.native_bot import load
from kogoma.arena.export.native_engine import Engine
engine, found = Engine(load(inside), 16), []
for sfen, dice, depth in json.load(sys.stdin):
    engine.new_game()
    result = engine.find(engine.position(sfen), roll=dice or 0, depth_limit=depth)
    found.append([result.best, result.score_kind, result.score, result.nodes])
json.dump(found, sys.stdout)
"""

# BY_DEPTH runs a native exported file, and ADAPTER_BY_DEPTH runs the engine's adapter for CodinGame. Both programs
# search to a fixed depth, not for a fixed time, so that their answers can be compared.
BY_DEPTH = f"""
import runpy, sys
path = sys.argv[1]
del sys.argv[1]
inside = runpy.run_path(path, run_name="exported")
from kogoma.arena.export.native_codingame import Engine, main
Engine.search = lambda self, position, moves, roll, *times: self.find(
    position, moves, roll=roll or 0, depth_limit={FIXED_DEPTH})
main(inside)
"""
ADAPTER_BY_DEPTH = f"""
import sys
import kogoma.arena.codingame.engine as engine
from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.command import play
Limits = engine.Limits
engine.Limits = lambda movetime, **others: Limits(depth={FIXED_DEPTH}, **others)
play(ARENAS[sys.argv[1]])
"""


@functools.cache
def exported(game: str, flavor: str = "native", ascii_only: bool = False) -> Path:
    """Write the exported bot of a game into a new file, and return the file's path."""
    path = Path(tempfile.mkdtemp(prefix="kogoma-export-"), f"{game}.{'js' if flavor == 'wasm' else 'py'}")
    if flavor == "wasm":
        # In another process, because LLVM would afterwards compile native code a little differently in this one.
        words = ["export", game, "--flavor", flavor, "-o", str(path)]
        subprocess.run([sys.executable, "-m", "kogoma", *words], cwd=ROOT, check=True, capture_output=True)
    else:
        path.write_text(compose(game, flavor, ascii_only=ascii_only), encoding="utf-8")
    return path


def first_turn(game: str) -> str:
    """Return the input of the first turn of a game in an arena's format."""
    if game not in ARENA_GAMES:
        return f"{SET_UP}\n"
    records = map(json.loads, (DATA / f"{game}_turns.jsonl").read_text().splitlines())
    return "".join(f"{line}\n" for line in next(record["input"] for record in records if record["first"]))


@functools.cache
def pythons() -> dict[tuple[int, int], str]:
    """Return the Pythons of this machine from 3.7 on, with their versions: this one, those in PATH, and those of
    pyenv. Older ones cannot compile `from __future__ import annotations`."""
    found = {sys.version_info[:2]: sys.executable}
    names = [shutil.which(f"python3.{minor}") for minor in range(7, 20)]
    names += glob.glob(str(Path(os.environ.get("PYENV_ROOT", "~/.pyenv"), "versions/3.*/bin/python").expanduser()))
    for name in filter(None, names):
        asked = subprocess.run([name, "-c", "import sys; print(*sys.version_info[:2])"], capture_output=True, text=True)
        if asked.returncode == 0:  # pyenv also puts programs into PATH that only say that they are not installed
            major, minor = map(int, asked.stdout.split())
            found.setdefault((major, minor), name)
    return {version: name for version, name in found.items() if version >= (3, 7)}


def bare(
    *words: str | Path, text: str = "", program: Sequence[str] = interpreter("python"), **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run Python, or another program, without installed packages, in an empty working directory. HOME names a folder
    that does not exist."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [*program, *map(str, words)],
            cwd=folder,
            input=text,
            capture_output=True,
            text=True,
            timeout=120,
            env={"HOME": "/nonexistent", "PATH": os.environ["PATH"], **environment},
        )


def searches(path: Path, wanted: list[tuple[str, int | None, int]]) -> list[list[Any]]:
    """Run a search with the exported file for each (SFEN, roll, depth) in `wanted`. Return [best move, kind of score,
    score, nodes] for each search."""
    done = bare("-c", SEARCHES, path, text=json.dumps(wanted))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def adapter(game: str, text: str) -> subprocess.CompletedProcess[str]:
    """Run the engine's adapter for CodinGame. It searches to FIXED_DEPTH."""
    return subprocess.run(
        [sys.executable, "-c", ADAPTER_BY_DEPTH, game],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
    )
