"""The kernels index no array out of bounds. They are compiled with numba's bounds checks for this test."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from support.usi_client import ROOT

SIZE = (
    "--variants",
    "8",
    "--largest",
    "8",
    "--nodes",
    "1500",
    "--only",
    "minishogi",
    "66shogi",
    "dice",
    "generals",
    "kyoto",
)


@pytest.mark.long
def test_kernels_index_no_array_out_of_bounds() -> None:
    """Check that the benchmark for bounds checks notices a wrong index that is made on purpose, and no other one. It
    searches some variants, plays random variants, and solves the mate suite."""
    command = [sys.executable, "-m", "benchmarks.bounds", *SIZE]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "tests")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "no wrong index", done.stdout + done.stderr
