"""Exported files: made once a session, and asked for more than an arena asks."""

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

# Searches of given positions to given depths, with what is inside an exported file: [[sfen, dice, depth], ...] comes on
# standard input, [[best, score kind, score, nodes], ...] goes out.
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

# The file as an arena runs it, but searching to a depth instead of for a time, so that its answers can be compared.
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
import functools, sys
import kogoma.arena.codingame.bot as bot
from kogoma.arena.codingame.command import ARENAS, play
Limits = bot.Limits
bot.Limits = lambda movetime=0, depth=0, **others: Limits(depth={FIXED_DEPTH}, **others)
bot.Searcher = functools.partial(bot.Searcher, network=sys.argv[2] == "network")
play(ARENAS[sys.argv[1]])
"""


@functools.cache
def exported(game: str, flavor: str = "native", ascii_only: bool = False) -> Path:
    """The file that `export` writes."""
    path = Path(tempfile.mkdtemp(prefix="kogoma-export-"), f"{game}.py")
    path.write_text(compose(game, flavor, ascii_only=ascii_only), encoding="utf-8")
    return path


def bare(*words: str | Path, text: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python without anything installed, in an empty folder and with a home that cannot be written."""
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
    """Best move, kind of score, score and nodes for (sfen, roll, depth) each, by the file."""
    done = bare("-c", SEARCHES, path, text=json.dumps(wanted))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, list)
    return found


def adapter(game: str, text: str, flavor: str) -> subprocess.CompletedProcess[str]:
    """The adapter's answers and complaints, searching as `BY_DEPTH` does and evaluating as files of that flavor do."""
    return subprocess.run(
        [sys.executable, "-c", ADAPTER_BY_DEPTH, game, "handcrafted" if flavor == "python" else "network"],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        timeout=120,
    )
