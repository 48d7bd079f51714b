"""A process's pipes, on systems where they can be waited for and on Windows, where each needs a thread."""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

CHUNK = 1 << 16  # bytes read at once
POLL_SECONDS = 0.25  # after which a reader is told that nothing came
WAITING_CHUNKS = 16  # of a thread, before it stops reading

WAITABLE = sys.platform != "win32"


def read(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    """What comes from any of these descriptors, b"" at a pipe's end, and None after POLL_SECONDS without anything.
    Ends when `pipes` is empty: the caller takes out what has ended, and what it wants no more of."""
    return _selected(pipes) if WAITABLE else _from_threads(pipes)


def _selected(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while pipes:
            ready = selector.select(POLL_SECONDS)
            if not ready:
                yield None
            for key, _ in ready:
                yield key.fd, os.read(key.fd, CHUNK)
                if key.fd not in pipes:
                    selector.unregister(key.fd)


def _from_threads(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    chunks: queue.Queue[tuple[int, bytes]] = queue.Queue(WAITING_CHUNKS)

    def pump(pipe: int) -> None:
        data = b"-"
        while data and pipe in pipes:
            try:
                data = os.read(pipe, CHUNK)
            except OSError:
                data = b""
            while pipe in pipes:
                with contextlib.suppress(queue.Full):
                    chunks.put((pipe, data), timeout=POLL_SECONDS)
                    break

    threads = [threading.Thread(target=pump, args=(pipe,), daemon=True) for pipe in sorted(pipes)]
    for thread in threads:
        thread.start()
    while pipes:
        try:
            yield chunks.get(timeout=POLL_SECONDS)
        except queue.Empty:
            yield None
    for thread in threads:
        thread.join()


def unblock(pipe: int) -> None:
    """Prepare a descriptor for `write`."""
    if WAITABLE:
        os.set_blocking(pipe, False)


def write(pipe: int, data: bytes, timeout: float) -> None:
    """Write all of it; TimeoutError if the pipe is full for `timeout` seconds, OSError if nobody can read it."""
    if not WAITABLE:
        _write_on_a_thread(pipe, data, timeout)
        return
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(pipe, left) :]
        except BlockingIOError:
            with selectors.DefaultSelector() as selector:
                selector.register(pipe, selectors.EVENT_WRITE)
                if not selector.select(timeout):
                    raise TimeoutError from None


def _write_on_a_thread(pipe: int, data: bytes, timeout: float) -> None:
    failures: list[OSError] = []
    own = os.dup(pipe)  # `pipe` may be closed, and its number given to another one, while the thread still writes

    def put() -> None:
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(own, left) :]
        except OSError as error:
            failures.append(error)
        finally:
            os.close(own)

    thread = threading.Thread(target=put, daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise TimeoutError
    if failures:
        raise failures[0]


def own_group() -> dict[str, Any]:
    """What Popen needs for a process that is the first of a group of its own."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def kill_group(pid: int) -> None:
    """End the process and all that it has started, at once."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(pid)]
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        return
    import signal

    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
