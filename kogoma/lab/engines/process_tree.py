"""Ending an engine with all processes that it has started.

On Linux, a process belongs to an engine if it is in the engine's process group, if one of its ancestors belongs to the
engine, or if its environment contains the engine's mark. A mark is an environment variable with a unique name. Programs
pass it on to those that they start, also to daemons, which have a session and a parent of their own. This finds all but
processes that were started with another environment (`env -i`) and whose parent has ended, and those of other accounts.
On other Unix systems, only the process group is ended; on Windows, the process and its descendants.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys

from kogoma.native.processes import kill_group

MAX_ROUNDS = 20  # of looking for new processes and killing them: an engine may start others meanwhile


def new_mark() -> str:
    """Return a name for an environment variable that no other process has. Several engines may mark a process, for
    example if an engine plays matches of its own, so the name of the variable is the mark and not its value."""
    return f"KOGOMA_ENGINE_{secrets.token_hex(8)}"


def kill_tree(process: subprocess.Popen[bytes], mark: str) -> None:
    """Kill a process, which is the leader of its process group, and the processes that it has started. `mark` is the
    name of an environment variable with which it was started."""
    if sys.platform == "win32":
        kill_group(process.pid)
        return
    # Before anything is killed, because a process is no longer found by its parent when the parent has ended.
    found, killed = _processes_of(process, mark), set[int]()
    kill_group(process.pid)
    for _ in range(MAX_ROUNDS):
        for number in found - killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(number, signal.SIGKILL)
        killed |= found
        found = _processes_of(process, mark)
        if found <= killed:
            break


def _processes_of(process: subprocess.Popen[bytes], mark: str) -> set[int]:
    """Return the ids of a process and of those that it has started, as far as they run and /proc shows them."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:  # not Linux
        return set()
    found, todo = set[int](), list[int]()
    children: dict[int, list[int]] = {}
    if process.poll() is None:  # otherwise, the id may be that of another process
        todo.append(process.pid)
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]  # the program's name ends with the bracket
            if state in b"ZX":
                continue
            children.setdefault(int(parent), []).append(number)
            with open(f"/proc/{number}/environ", "rb") as file:
                if f"{mark}=".encode() in file.read():
                    todo.append(number)
        except (OSError, ValueError):  # it has ended, or belongs to another account
            continue
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += children.get(number, [])
    return found
