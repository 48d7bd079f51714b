"""Processes that this process starts, and how they end together with it."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

PR_SET_PDEATHSIG = 1  # Linux: the signal that a process gets when its parent ends (man 2 prctl)

INTERRUPTIONS = (signal.SIGINT, signal.SIGTERM)

_running: set[int] = set()  # programs that `run` has started


def own_group() -> dict[str, Any]:
    """Return the arguments with which Popen starts a process in a new process group."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill_group(pid: int) -> None:
    """Kill the process `pid` and the processes that it has started (its process group)."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(pid)]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def run(words: Sequence[str], given: bytes = b"", **options: Any) -> subprocess.CompletedProcess[bytes]:
    """Run a program with `given` as its standard input until it ends, and return its exit code and output. `options`
    are arguments of Popen. If this is interrupted, also by a signal (see `terminable`), the program and the processes
    that it has started are killed. Raises OSError if the program cannot be started."""
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, **options, **own_group()) as process:
        _running.add(process.pid)
        try:
            output, errors = process.communicate(given)
        except BaseException:
            kill_group(process.pid)
            raise
        finally:
            _running.discard(process.pid)
    return subprocess.CompletedProcess(words, process.returncode, output, errors)


def kill_running() -> None:
    """Kill all programs that `run` has started, with the processes that these have started."""
    for pid in list(_running):
        kill_group(pid)


def end_with_parent(parent: int) -> None:
    """On Linux, have the system kill this process as soon as the thread that has started it ends. `parent` is the
    process of this thread. Threads of this process could not do it while a library holds Python's lock."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it has ended already
            os._exit(1)


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """Within this context, let SIGINT and SIGTERM raise KeyboardInterrupt, so that temporary files are deleted, and
    processes that this process has started are ended. Without this, SIGTERM ends this process at once, and SIGINT is
    ignored in background jobs of a shell."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, signal.default_int_handler) for number in INTERRUPTIONS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Within this context, SIGINT and SIGTERM wait until its end. In processes that are started within it, they wait
    until these call `signals_arrive`, except on Windows."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    # Blocking alone would not do: threads of libraries have begun before, and take signals for the process.
    before = {number: signal.signal(number, lambda found, _: arrived.append(found)) for number in INTERRUPTIONS}
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_BLOCK, INTERRUPTIONS)
    try:
        yield
    finally:
        signals_arrive()
        for number, handler in before.items():
            signal.signal(number, handler)
    if arrived:
        signal.raise_signal(arrived[0])


def signals_arrive() -> None:
    """Let SIGINT and SIGTERM arrive in a process that was started within `signals_wait`."""
    if sys.platform != "win32":
        signal.pthread_sigmask(signal.SIG_UNBLOCK, INTERRUPTIONS)
