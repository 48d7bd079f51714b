"""Ending an engine with all processes that it has started.

On Linux, a process belongs to an engine if it is in the engine's process group, if one of its ancestors belongs to the
engine, or if its environment contains the engine's mark. A mark is an environment variable with a unique name. Programs
pass it on to those that they start, also to daemons, which have a session and a parent of their own. This finds all but
processes that were started with another environment (`env -i`) and whose parent had ended when the engine was told to
end, and those of other accounts.
On other Unix systems, only the process group is ended; on Windows, the process and its descendants.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Iterable
from typing import NamedTuple

from kogoma.native.processes import kill_group

MAX_ROUNDS = 20  # of looking for new processes and killing them: an engine may start others meanwhile


def new_mark() -> str:
    """Return a name for an environment variable that no other process has. Several engines may mark a process, for
    example if an engine plays matches of its own, so the name of the variable is the mark and not its value."""
    return f"KOGOMA_ENGINE_{secrets.token_hex(8)}"


class Running(NamedTuple):
    """A running process: its id, and its start in clock ticks since the system's start, because ids are used again."""

    pid: int
    start: int


def kill_tree(process: subprocess.Popen[bytes], mark: str, known: Iterable[Running] = ()) -> None:
    """Kill a process, which is the leader of its process group, and the processes that it has started. `mark` is the
    name of an environment variable with which it was started. `known` has processes that belonged to it earlier."""
    if sys.platform == "win32":
        kill_group(process.pid)
        return
    # Before anything is killed, because a process is no longer found by its parent when the parent has ended.
    found, killed = processes_of(process, mark, known), set[Running]()
    kill_group(process.pid)
    for _ in range(MAX_ROUNDS):
        for one in found - killed:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(one.pid, signal.SIGKILL)
        killed |= found
        found = processes_of(process, mark)
        if found <= killed:
            break


def processes_of(process: subprocess.Popen[bytes], mark: str, known: Iterable[Running] = ()) -> set[Running]:
    """Return a process, those that it has started, and those of `known`, as far as they run and /proc shows them."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:  # not Linux
        return set()
    running, children = dict[int, Running](), dict[int, list[int]]()
    todo = list[int]()
    if process.poll() is None:  # otherwise, the id may be that of another process
        todo.append(process.pid)
    for number in numbers:
        try:
            with open(f"/proc/{number}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()  # the program's name ends with the bracket
            if fields[0] in b"ZX":
                continue
            running[number] = Running(number, int(fields[19]))
            children.setdefault(int(fields[1]), []).append(number)
            with open(f"/proc/{number}/environ", "rb") as file:
                if f"{mark}=".encode() in file.read():
                    todo.append(number)
        except (OSError, ValueError):  # it has ended, or belongs to another account
            continue
    todo += [one.pid for one in known if running.get(one.pid) == one]
    found = set[Running]()
    while todo:
        number = todo.pop()
        if number in running and running[number] not in found:
            found.add(running[number])
            todo += children.get(number, [])
    return found
