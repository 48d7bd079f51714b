"""Matches as users start them, `python -m kogoma match ...`, and what they leave behind."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from support.usi_client import ROOT, until

TIMES = ("time_ms", "latency_ms", "seconds")  # all of a record that differs from run to run


def start(folder: Path, *words: str, command: str = "match") -> subprocess.Popen[str]:
    """Begin a match, or another command, in a folder; what it says, on either stream, comes together."""
    line = [sys.executable, "-m", "kogoma", command, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(folder: Path, *words: str, code: int | tuple[int, ...] = 0, command: str = "match") -> str:
    """Play a match, or run another command, to its end, with that exit code or one of these; what it says."""
    process = start(folder, *words, command=command)
    out, _ = process.communicate(timeout=600)
    assert process.returncode in (code if isinstance(code, tuple) else (code,)), out
    return out


def kill_when(process: subprocess.Popen[str], ready: Callable[[], object], delay: float = 0.0) -> None:
    """Kill a command (kill -9) so many seconds after it is so far, and wait until its workers have gone, too: what it
    says comes from them as well."""
    until(ready, 300, process)
    time.sleep(delay)
    assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the lab in a folder, standard error apart."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kogoma", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def read_games(path: Path) -> list[dict[str, Any]]:
    """The games of a records file, in the order of their numbers."""
    head, *found = [json.loads(line) for line in path.read_text().splitlines()]
    assert head["kogoma_match"] == 1
    return sorted((entry for entry in found if "game" in entry), key=lambda record: int(record["game"]))


def lines(path: Path) -> int:
    """How many lines there are, whole ones."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def lasting(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What must be the same however often a match is run."""
    return [{name: value for name, value in record.items() if name not in TIMES} for record in records]
