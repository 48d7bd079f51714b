"""Runs of `python -m kogoma match` and other commands of the lab, and their files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kogoma.version import __version__
from support.usi_client import ROOT, until

TIMES = ("time_ms", "latency_ms", "seconds")  # the fields of a record that differ between runs


def start(folder: Path, *words: str, command: str = "match") -> subprocess.Popen[str]:
    """Start a match, or another command, in a folder. Standard output and standard error are joined."""
    line = [sys.executable, "-m", "kogoma", command, *words]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        line, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def finish(folder: Path, *words: str, code: int | tuple[int, ...] = 0, command: str = "match") -> str:
    """Run a match, or another command, to its end, and return its output. Assert that the exit code equals `code` or,
    if `code` is a tuple, is one of its values."""
    process = start(folder, *words, command=command)
    out, _ = process.communicate(timeout=600)
    assert process.returncode in (code if isinstance(code, tuple) else (code,)), out
    return out


def kill_when(process: subprocess.Popen[str], ready: Callable[[], object], delay: float = 0.0) -> None:
    """Kill a command with SIGKILL, `delay` seconds after `ready()` has become true. Then read the command's output to
    its end. The command's workers write to the same output, so its end shows that the workers have ended, too."""
    until(ready, 300, process)
    time.sleep(delay)
    assert process.poll() is None, process.communicate()
    process.kill()
    process.communicate()


def run(*words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder. Standard output and standard error are kept apart."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "kogoma", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def read_games(path: Path) -> list[dict[str, Any]]:
    """Return the games of a match journal in the order of their numbers."""
    head, *found = [json.loads(line) for line in path.read_text().splitlines()]
    assert head["kogoma_match"] == 1 and head["version"] == __version__
    return sorted((entry for entry in found if "game" in entry), key=lambda record: int(record["game"]))


def lines(path: Path) -> int:
    """Return the number of complete lines in a file, or 0 if there is no file."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def lasting(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return game records without the fields that differ between runs."""
    return [{name: value for name, value in record.items() if name not in TIMES} for record in records]
