"""If a network's file is missing, cut off or of another variant, the engine says so in one line. The engine then works
only with the handcrafted evaluation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support.usi_client import ROOT, UsiClient

NAMES = ("minishogi.json", "minishogi.network.xz")


def cut(file: Path) -> None:
    """Cut off the end of a file."""
    file.write_bytes(file.read_bytes()[:3000])


def exchange(file: Path) -> None:
    """Make the weights of Kyoto Shogi refer to the network of minishogi."""
    (file.parent / "kyoto.json").write_text('{"network": "minishogi.network.xz"}', "utf-8")


BROKEN: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "missing": (Path.unlink, "minishogi", "cannot read the network"),
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
        assert "WeightsError" in lines[-1] and reason in lines[-1]
        assert client.process.wait(10) == 1
    with UsiClient(env=chosen, variant=variant) as client:
        client.send("usi", f"setoption name USI_Variant value {variant}")
        client.send("setoption name Evaluation value handcrafted", "isready")
        client.read_until("readyok")
        client.send("position startpos", "go nodes 1000")
        assert client.read_until("bestmove")[-1].split()[1] in new_position(VARIANTS[variant]).legal_moves()
        client.send("setoption name Evaluation value network")
        told = client.read_until("info string error")[-1]
        assert reason in told and told.endswith("; Evaluation stays handcrafted")
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "bench", "3", variant],
        cwd=ROOT, env={**os.environ, **chosen}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert reason in done.stderr and len(done.stderr.splitlines()) == 1
