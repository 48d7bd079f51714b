"""The process that compiles: it ends with the one that started it, and what ended it otherwise is told."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys

from rules.native.object_file import KernelError

PROGRAM = "import sys; from rules.native.build import build; build(*sys.argv[1:])"
AGAIN = "start again"
KILLED = "probably for want of memory, of which compiling takes some 600 MB; close other programs, then start again"


def compiled(name: str, layout: str, modules: tuple[str, ...]) -> tuple[bytes, bytes]:
    """(content of the object's file, content of the joined module's) of the entries of these modules; KernelError, in
    one line, if they can't be compiled. `name` is for messages."""
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "NUMBA_DISABLE_JIT": "0",
        "NUMBA_CPU_NAME": "generic",  # the processor only comes in at the end, so the joined module serves any
    }
    parent_lives, end = os.pipe()  # whose end the system closes, too, when this process is killed
    try:
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", PROGRAM, layout, *modules],
            env={**os.environ, **environment},
            stdin=parent_lives,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        os.close(end)
        raise KernelError(f"compiling {name} failed: {sys.executable}: {error.strerror}") from None
    finally:
        os.close(parent_lives)
    try:
        output, errors = process.communicate()
    finally:
        os.close(end)
        process.wait()
    if process.returncode < 0:
        killed_by = signal.Signals(-process.returncode).name
        raise KernelError(f"compiling {name} was ended by {killed_by}: {KILLED if killed_by == 'SIGKILL' else AGAIN}")
    if process.returncode:
        last = errors.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise KernelError(f"compiling {name} failed: {last[0]}")
    content, joined = pickle.loads(output)
    return content, joined
