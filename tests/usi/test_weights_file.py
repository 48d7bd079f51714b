"""A table of the evaluation that is missing, cut or another game's: one line says so, and nothing is searched with."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.usi_client import ROOT, UsiClient

NAMES = ("minishogi.json", "minishogi.relations.xz")


def cut(table: Path) -> None:
    """Leave its beginning."""
    table.write_bytes(table.read_bytes()[:3000])


def exchange(table: Path) -> None:
    """Another game's table under its name."""
    (table.parent / "kyoto.json").write_text('{"relations": "minishogi.relations.xz"}', "utf-8")


BROKEN: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "missing": (Path.unlink, "minishogi", "cannot read the relation table"),
    "cut": (cut, "minishogi", "is damaged"),
    "foreign": (exchange, "kyoto", "another variant"),
}


@pytest.mark.parametrize("how", BROKEN)
def test_the_engine_and_the_bench_say_what_is_wrong(how: str, tmp_path: Path) -> None:
    breaks, variant, reason = BROKEN[how]
    for name in NAMES:
        shutil.copy(ROOT / "kogoma" / "eval" / "weights" / name, tmp_path)
    breaks(tmp_path / NAMES[1])
    chosen = {"KOGOMA_WEIGHTS": str(tmp_path)}
    with UsiClient(env=chosen, variant=variant) as client:
        client.send("usi", f"setoption name USI_Variant value {variant}", "isready")
        lines = client.read_until("info string error")
        assert "TableError" in lines[-1] and reason in lines[-1]
        assert client.process.wait(10) == 1
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "bench", "3", variant],
        cwd=ROOT, env={**os.environ, **chosen}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert reason in done.stderr and len(done.stderr.splitlines()) == 1
