"""A match survives kills of its engines and its runner at random moments."""

from __future__ import annotations

import subprocess
import sys

import pytest

from support.usi_client import ROOT

pytestmark = pytest.mark.slow


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc of Linux")
def test_every_game_is_recorded_once_and_nothing_is_left_over() -> None:
    command = [sys.executable, "-m", "benchmarks.soak_lab", "--games", "60", "--pause", "0.7", "--warm"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0 and "nothing lost, nothing left over" in done.stdout, done.stdout + done.stderr
