"""Exported files, written once per session, and the programs that run them."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from kogoma.arena.export.command import compose
from support.usi_client import ROOT

FIXED_DEPTH = 2

# A program that searches given positions to given depths with the search of an exported file. It reads [[sfen, dice,
# depth], ...] from standard input, and writes [[best, score kind, score, nodes], ...].
SEARCHES = """
import json, runpy, sys
inside = runpy.run_path(sys.argv[1], run_name="exported")
inside = inside.get("program", inside)
new_position = inside.get("new_position") or inside.get("position_Position") or inside["Position"]
variant, Limits = inside["DEFAULT"], inside["Limits"]
found = []
for sfen, dice, depth in json.load(sys.stdin):
    searcher = inside["Searcher"](16, variant=variant)
    result = searcher.search(new_position(variant, sfen), Limits(depth=depth, dice=dice))
    found.append([result.best, result.score_kind, result.score, result.nodes])
json.dump(found, sys.stdout)
"""

# BY_DEPTH runs an exported file, and ADAPTER_BY_DEPTH runs the engine's adapter for CodinGame. Both programs search to
# a fixed depth, not for a fixed time, so that their answers can be compared.
BY_DEPTH = f"""
import runpy, sys
path = sys.argv[1]
del sys.argv[1]
inside = runpy.run_path(path, run_name="exported")
inside = inside.get("program", inside)["main"].__globals__
Limits = inside["Limits"]
inside["Limits"] = lambda movetime=0, depth=0, **others: Limits(depth={FIXED_DEPTH}, **others)
inside["main"]()
"""
ADAPTER_BY_DEPTH = f"""
import sys
import kogoma.arena.codingame.bot as bot
from kogoma.arena.codingame.command import ARENAS, play
Limits = bot.Limits
bot.Limits = lambda movetime=0, depth=0, **others: Limits(depth={FIXED_DEPTH}, **others)
play(ARENAS[sys.argv[1]])
"""


@functools.cache
def exported(game: str, flavor: str = "native", ascii_only: bool = False) -> Path:
    """Write the exported bot of a game into a new file, and return the file's path."""
    path = Path(tempfile.mkdtemp(prefix="kogoma-export-"), f"{game}.py")
    path.write_text(compose(game, flavor, ascii_only=ascii_only), encoding="utf-8")
    return path


def bare(*words: str | Path, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python without installed packages, in an empty working directory. HOME names a folder that does not exist."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [sys.executable, "-I", "-S", *map(str, words)],
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
