"""Run programs and write zip files so that a release has the same bytes wherever it is built."""

from __future__ import annotations

import io
import os
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kogoma.native.object_file import KernelError
from kogoma.native.processes import run

UMASK = 0o022
Time = tuple[int, int, int, int, int, int]  # year, month, day, hour, minute, second


def run_program(words: Sequence[str], folder: Path, failed: str, text: str = "", **variables: str) -> bytes:
    """Run a command in a folder, with `text` as its standard input and `variables` in its environment, and return its
    output. If the command fails, raises KernelError with the text `failed` and the last line that the command wrote."""
    environment = {**os.environ, "PYTHONHASHSEED": "0", **variables}
    done = run(words, text.encode(), cwd=folder, env=environment, umask=UMASK)
    if done.returncode:
        last = (done.stdout + done.stderr).decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise KernelError(f"{failed}: {last[0]}")
    return done.stdout


def zipped(
    files: Mapping[str, bytes], time: Time, compression: int = zipfile.ZIP_DEFLATED, before: bytes = b""
) -> bytes:
    """Return the content of a zip file with these files. Its bytes depend only on the arguments and the order of the
    files. `time` is the time of every file, and the bytes `before` come before the first one."""
    packed = io.BytesIO(before)
    packed.seek(0, io.SEEK_END)
    with zipfile.ZipFile(packed, "a", compression, compresslevel=9) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, time)
            entry.compress_type, entry.create_system, entry.external_attr = compression, 3, 0o100644 << 16
            archive.writestr(entry, content)
    return packed.getvalue()
