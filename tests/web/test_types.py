"""The JavaScript has no type errors. Its types are written in comments."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from support.peers import absent


def test_the_type_checker_finds_no_errors() -> None:
    compiler = shutil.which("tsc")
    if compiler is None:
        absent("tsc")
    done = subprocess.run([compiler, "-p", str(Path(__file__).parent)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout
