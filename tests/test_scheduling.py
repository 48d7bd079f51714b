"""Tests with clocks run while no other does, whatever is asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support.usi_client import ROOT

CONFTEST = f"""
import os, sys, time
sys.path[:0] = [{str(ROOT / "tests")!r}]

def pytest_xdist_make_scheduler(config, log):
    from support.scheduling import ClocksAlone
    scheduler = ClocksAlone(config, log)
    scheduler.has_clocks = lambda file: "clock" in file
    return scheduler

def pytest_runtest_protocol(item, nextitem):
    began = time.monotonic()
    item.config.hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    from _pytest.runner import runtestprotocol
    runtestprotocol(item, nextitem=nextitem)
    item.config.hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    with open(os.environ["TIMES"], "a") as file:
        file.write(f"{{item.path.name}} {{began}} {{time.monotonic()}}\\n")
    return True
"""
TEST = "import time, pytest\n@pytest.mark.parametrize('n', range({count}))\ndef test(n): time.sleep({seconds})\n"
FILES = {
    "ordinary_a": (6, 0.05),
    "ordinary_b": (1, 0.6),
    "ordinary_c": (3, 0.02),
    "clock_a": (3, 0.1),
    "clock_b": (1, 0.2),
}


@pytest.mark.parametrize("only", ["", "clock", "ordinary_b or clock", "ordinary"])
def test_clocks_run_alone(only: str, tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    for name, (count, seconds) in FILES.items():
        (tmp_path / f"test_{name}.py").write_text(TEST.format(count=count, seconds=seconds))
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "-p", "no:cacheprovider", "-k", only]
    environment = {"TIMES": str(tmp_path / "times"), "PATH": ""}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    runs = [line.split() for line in (tmp_path / "times").read_text().splitlines()]
    wanted = [name for name in FILES if not only or any(part in name for part in only.split(" or "))]
    assert len(runs) == sum(FILES[name][0] for name in wanted)
    spans = [(name, float(began), float(ended)) for name, began, ended in runs]
    for name, began, ended in spans:
        if "clock" in name:
            others = [other for other in spans if other != (name, began, ended)]
            assert all(end <= began or start >= ended for _, start, end in others)
