"""A signal that ends a command ends its processes, too. Unless it is SIGKILL, temporary files are deleted."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from support.scope import mostly_long
from support.usi_client import ENGINE, ROOT, default_interrupt, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="processes and signals as Linux has them"),
]

MARK = "KOGOMA_TEST_MARK"  # an environment variable that all processes of a command inherit
COMPILER, WORKER, LINKER = "kogoma.native.build", "multiprocessing.spawn", "ziglang"
KILL, TERMINATE, INTERRUPT = signal.SIGKILL, signal.SIGTERM, signal.SIGINT
SIGNALS = [TERMINATE, INTERRUPT, KILL]


class Case(NamedTuple):
    """A command, its input, and whether the command catches signals in order to delete its temporary files."""

    words: str
    given: str = ""
    catches: bool = False


CASES = {
    "engine": Case("", "setoption name USI_Variant value onitama\nisready\n"),
    "mate solver": Case("", "setoption name USI_Variant value onitama\nisready\ngo mate infinite\n"),
    "warmup": Case("warmup"),
    "perft": Case("perft 3 onitama"),
    "codingame": Case("codingame onitama"),
    "mate": Case("mate --make onitama --plies 1 --count 1 --kif kif"),
    "export": Case("export onitama -o bot.py", catches=True),
    "wasm": Case("wasm onitama -o web", catches=True),
    "site": Case("board --export site", catches=True),
    "tune": Case("tune onitama --data data --positions 5000 --nodes 10 --concurrency 1 -o weights", catches=True),
}

# This program builds prebuilt libraries as a release does.
LIBRARIES = """
import sys
from pathlib import Path
from kogoma.lab.release.command import temporary_folder
from kogoma.lab.release.libraries import write_libraries
from kogoma.native.platforms import PLATFORMS
from kogoma.native.processes import terminable
from kogoma.rules.library import rules_library

if __name__ == "__main__":
    library = rules_library("onitama")
    joined = library.joined()
    try:
        with terminable(), temporary_folder():
            write_libraries(PLATFORMS["windows-x86_64"], [(library, joined)] * 20, Path(sys.argv[1]))
    except KeyboardInterrupt:
        sys.exit(130)
"""


# This program runs a program that starts another one, as a linker does.
PROGRAM = """
import sys
from kogoma.native.processes import run, terminable

with terminable():
    try:
        run(["sh", "-c", "sleep 300 & exec sleep 300"])
    except KeyboardInterrupt:
        sys.exit(130)
"""


# This program gets a signal while it starts its first worker process. It waits as the commands do, with `result_of`: if
# another thread receives the signal, a wait without a limit goes on.
STARTING = """
import multiprocessing.util, os, sys, time
from kogoma.lab.match.runner import result_of
from kogoma.lab.match.workers import open_workers
from kogoma.native.processes import terminable

start = multiprocessing.util.spawnv_passfds

def start_and_send(*arguments):
    process = start(*arguments)
    os.kill(os.getpid(), int(sys.argv[1]))
    return process

if __name__ == "__main__":
    try:
        with terminable(), open_workers(None, 2) as workers:
            multiprocessing.util.spawnv_passfds = start_and_send
            result_of(workers.call(time.sleep, 300))
    except KeyboardInterrupt:
        sys.exit(130)
"""

# A program that sends SIGINT to itself at each of the first lines that run while it waits for a job on a thread. It
# does not end if an interruption leaves a lock taken that the thread needs.
WAITING = """
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

from kogoma.lab.match import runner

runner.LONGEST_WAIT = 0.001


def interrupt(number):
    seen = 0

    def trace(frame, event, argument):
        nonlocal seen
        seen += 1
        if seen == number:
            signal.raise_signal(signal.SIGINT)
        return trace

    ready = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        job = threads.submit(ready.wait)
        try:
            sys.settrace(trace)
            runner.result_of(job)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(None)
            ready.set()


for number in range(1, 400):
    interrupt(number)
print("ended")
"""


class Running:
    """A command that was started, with all its processes."""

    def __init__(self, command: list[str], folder: Path, given: str = "", **environment: str) -> None:
        self.temporary = folder / "temporary"
        self.temporary.mkdir()
        self._mark = f"{MARK}={uuid.uuid4()}"
        name, value = self._mark.split("=")
        environment = {"PYTHONPATH": str(ROOT), name: value, "TMPDIR": str(self.temporary), **environment}
        with default_interrupt():
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env={**os.environ, **environment},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        assert self.process.stdin is not None
        self.process.stdin.write(given.encode())
        self.process.stdin.flush()

    def processes(self, kind: str = "") -> list[int]:
        """Return the ids of the command's running processes that have `kind` in their command lines."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self._mark.encode() in (process / "environ").read_bytes().split(b"\0"):
                    if kind.encode() in (process / "cmdline").read_bytes():
                        found.append(int(process.name))
        return found

    def wait_for(self, kind: str) -> None:
        """Wait until the command has a process with `kind` in its command line."""
        until(lambda: self.processes(kind) or self.process.poll() is not None)
        assert self.process.poll() is None, self.output()

    def output(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.read().decode()

    def end(self, number: int) -> None:
        """Send a signal to the command, but not to its other processes, and wait until all of them have ended."""
        self.process.send_signal(number)
        self.process.wait(20)
        until(lambda: not self.processes(), 20)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, KILL)
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            assert stream is not None
            stream.close()


@contextlib.contextmanager
def running(command: list[str], folder: Path, given: str = "", **environment: str) -> Iterator[Running]:
    """Start a command, and yield it. At the end, kill the command and its processes."""
    started = Running(command, folder, given, **environment)
    try:
        yield started
    finally:
        started.close()


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("name", mostly_long(CASES, "engine", "warmup", "export"))
def test_compilers_end_with_their_command(name: str, number: signal.Signals, tmp_path: Path) -> None:
    case = CASES[name]
    with running([*ENGINE, *case.words.split()], tmp_path, case.given, KOGOMA_CACHE=str(tmp_path / "cache")) as command:
        command.wait_for(COMPILER)
        time.sleep(0.5)  # the compiler has begun its work by then
        command.end(number)
        if number != KILL:
            caught = case.catches or number == INTERRUPT
            expected = {130, 4} if caught else {-number}
            assert command.process.returncode in expected, command.output()
            assert list(command.temporary.iterdir()) == []
            assert not [path.name for path in tmp_path.iterdir() if path.name.startswith(".")]
            assert not [path.name for path in (tmp_path / "cache").iterdir() if path.suffix == ".tmp"]


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_compiler_that_does_not_answer_ends_with_its_command(number: signal.Signals, tmp_path: Path) -> None:
    """Check that a stopped compiler ends with its command.

    A compiler cannot react while a library holds Python's global lock. In this test, SIGSTOP has the same effect.
    """
    environment = {"KOGOMA_CACHE": str(tmp_path / "cache")}
    with running([*ENGINE, "warmup", "onitama"], tmp_path, **environment) as command:
        command.wait_for(COMPILER)
        time.sleep(0.5)
        for compiler in command.processes(COMPILER):
            os.kill(compiler, signal.SIGSTOP)
        command.end(number)


@pytest.mark.parametrize(("kind", "number"), [*((WORKER, number) for number in SIGNALS), (LINKER, KILL)])
def test_the_workers_of_a_release_end_with_it(kind: str, number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "build.py"
    program.write_text(LIBRARIES)
    folder = tmp_path / "libraries"
    folder.mkdir()
    with running([sys.executable, str(program), str(folder)], tmp_path) as command:
        command.wait_for(kind)
        command.end(number)
        if number != KILL:
            assert command.process.returncode == 130, command.output()
            assert list(command.temporary.iterdir()) == []


@pytest.mark.parametrize("number", [TERMINATE, INTERRUPT], ids=lambda number: number.name)
def test_programs_end_with_their_own_processes(number: signal.Signals, tmp_path: Path) -> None:
    with running([sys.executable, "-c", PROGRAM], tmp_path) as command:
        until(lambda: len(command.processes("sleep\0")) == 2)
        command.end(number)
        assert command.process.returncode == 130, command.output()


@pytest.mark.parametrize("number", [TERMINATE, INTERRUPT], ids=lambda number: number.name)
def test_workers_end_that_have_not_begun(number: signal.Signals, tmp_path: Path) -> None:
    program = tmp_path / "start.py"
    program.write_text(STARTING)
    with running([sys.executable, str(program), str(int(number))], tmp_path) as command:
        command.process.wait(60)
        assert (command.process.returncode, command.output()) == (130, "")
        until(lambda: not command.processes(), 20)


def test_an_interrupted_wait_leaves_no_lock_taken(tmp_path: Path) -> None:
    with running([sys.executable, "-c", WAITING], tmp_path) as command:
        command.process.wait(60)
        assert command.output() == "ended\n"


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
def test_a_release_leaves_nothing(number: signal.Signals, tmp_path: Path) -> None:
    """Check that `release` leaves no process and no temporary file if a signal ends it while it compiles all libraries.

    The command runs in a clone of this checkout.
    """
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
    cache = tmp_path / "cache"  # empty: a release takes what it finds in the cache
    with running(
        [*ENGINE, "release", "linux-x86_64"], clone, PYTHONPATH=str(clone), KOGOMA_CACHE=str(cache)
    ) as command:
        command.wait_for(COMPILER)
        time.sleep(0.5)
        command.end(number)
        if number != KILL:
            assert command.process.returncode == 130, command.output()
            assert list(command.temporary.iterdir()) == []
