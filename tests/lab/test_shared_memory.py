"""Error messages of commands with worker processes if shared memory cannot be written, as in some containers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.usi_client import ROOT

# Python imports this module when it starts. The module refuses semaphores as if /dev/shm could not be written.
REFUSING = """
import _multiprocessing, errno

class SemLock(_multiprocessing.SemLock):
    def __new__(cls, *arguments):
        raise PermissionError(errno.EACCES, "Permission denied")

_multiprocessing.SemLock = SemLock
"""
COMMANDS = {
    "analyse": "analyse game.sfen --nodes 10",
    "book": "book minishogi --hours 0.001 --concurrency 1",
    "tune": "tune dobutsu --positions 1000 --nodes 10 --concurrency 1",
}


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.skipif(sys.platform != "linux", reason="/dev/shm exists on Linux only")
def test_the_folder_is_named(name: str, tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(REFUSING)
    (tmp_path / "game.sfen").write_text("startpos moves 7g7f\n")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    command = [sys.executable, "-m", "kogoma", *COMMANDS[name].split()]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"{name}: worker processes need to write to /dev/shm: Permission denied\n"
