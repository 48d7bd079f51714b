"""Start the process that compiles native libraries (`native.build`), and communicate with it.

It ends together with the thread that has started it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque

from kogoma.native.address_space import COMPILER_LEAST, COMPILER_MOST, limit
from kogoma.native.object_file import KernelError

# numba imports scipy if it is installed. It takes 100 MB and is not needed here.
PROGRAM = """
import sys
from kogoma.native.processes import end_with_parent
end_with_parent(int(sys.argv[1]))
sys.modules["scipy"] = None
from kogoma.native.build import serve
serve(sys.argv[2], sys.argv[3:] == ["background"])
"""
AGAIN = "start again"
PATIENCE = 5.0  # seconds for the process to end
SHORT = "probably out of memory: compiling needs about 600 MB; close other programs, then start again"
LIMITED = "probably out of memory: compiling needs about 600 MB, but only {} MB are allowed (ulimit -v)"


class Compiler:
    """Compiles the libraries of one layout, one after another. Not thread-safe; call `close` after use. The process is
    started for the first library. Later ones take half the time, because most of their kernels are already compiled."""

    def __init__(self, layout: str, background: bool = False) -> None:
        """Prepare a compiling process, which is started at the first use. If `background` is true, it has a low
        priority."""
        self._words = [layout, "background"] if background else [layout]
        self._process: subprocess.Popen[bytes] | None = None
        self._is_killed = False
        self._last_error: deque[bytes] = deque(maxlen=1)  # last line of the process's standard error

    def close(self) -> None:
        """End the compiling process and wait for its end."""
        if self._process is not None and self._process.stdin is not None:
            with contextlib.suppress(OSError):  # it has already ended
                self._process.stdin.close()  # the end of its input ends the process
            try:
                self._process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def kill(self) -> None:
        """Kill the compiling process, so that `compiled`, which runs on another thread, raises KernelError. No new
        process is started."""
        self._is_killed = True
        if self._process is not None:
            self._process.kill()

    def compiled(self, name: str, modules: tuple[str, ...]) -> tuple[bytes, bytes]:
        """Return the contents of two files for the entry points of these modules: the object file, and the joined
        module (LLVM bitcode). `name` is used in messages. Raises KernelError if the compilation fails."""
        if self._process is None and not self._is_killed:
            self._process = self._start(name)
        if self._is_killed:
            self.kill()  # also a process that was started meanwhile
            raise KernelError(f"compiling {name} was interrupted")
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(f"{' '.join(modules)}\n".encode())
            process.stdin.flush()
            content, joined = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError):
            raise KernelError(self._failure(name, process.wait())) from None
        return content, joined

    def _start(self, name: str) -> subprocess.Popen[bytes]:
        if _is_below(COMPILER_LEAST):
            raise KernelError(f"compiling {name} failed: {_limited()}")
        environment = {
            "PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path),  # "" is the current folder
            "PYTHONHASHSEED": "0",  # the code depends on the order of numba's sets
            "NUMBA_DISABLE_JIT": "0",
            "NUMBA_CPU_NAME": "generic",  # the joined module must serve every processor
            "OPENBLAS_NUM_THREADS": "1",  # each thread reserves 40 MB
        }
        try:
            process = subprocess.Popen(
                [sys.executable, "-P", "-c", PROGRAM, str(os.getpid()), *self._words],
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise KernelError(f"compiling {name} failed: {sys.executable}: {error.strerror}") from None
        # Read standard error continuously: a full pipe would block the process.
        self._reader = threading.Thread(target=self._last_error.extend, args=(process.stderr,), daemon=True)
        self._reader.start()
        return process

    def _failure(self, name: str, status: int) -> str:
        if status < 0:
            killed_by = signal.Signals(-status).name
            if _is_below(COMPILER_MOST):
                advice = _limited()
            else:
                advice = SHORT if killed_by == "SIGKILL" else AGAIN
            return f"compiling {name} was ended by {killed_by}: {advice}"
        self._reader.join()
        last = b"".join(self._last_error).decode(errors="replace").strip() or "no message"
        return f"compiling {name} failed: {f'{_limited()}: {last}' if _is_below(COMPILER_MOST) else last}"


def _is_below(size: int) -> bool:
    """Return whether the address space of a process is limited to less than `size` bytes."""
    most = limit()
    return most is not None and most < size


def _limited() -> str:
    """Return the advice for a user who has limited the address space of processes."""
    return LIMITED.format((limit() or 0) >> 20)
