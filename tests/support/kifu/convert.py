"""The command `convert` in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.usi_client import ROOT

ENGINE = [sys.executable, "-m", "kogoma", "convert"]


def convert(*words: str | Path, stdin: bytes = b"") -> tuple[int, bytes, str]:
    """Run `convert` and return its exit code, its output and its messages."""
    done = subprocess.run([*ENGINE, *map(str, words)], cwd=ROOT, input=stdin, capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode().replace("\r", "")
