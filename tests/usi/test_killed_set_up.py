"""Set-ups that are killed at random moments, with and without a network, leave a working engine. Help needs no set-up.

The engine, its packages, pip and the commands are real. The packages of the extras are made into wheels from the
installed packages, so that no test downloads anything.
"""

from __future__ import annotations

import contextlib
import os
import pty
import random
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import numpy
import pytest

from kogoma.environment import PYTHON
from support.checkouts import CHECKOUT, Machine, repacked, write_lock_file
from support.scope import count
from support.usi_client import UsiClient

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="engine.sh is for bash; Windows uses the usi-engine script"),
]

MATCH = "match -variant minishogi -each nodes=1 -engine name=one -engine name=two -games 1"
COMMANDS = {  # each command line, with a pattern of the output that shows that the command works
    "test --version": r"pytest \d",
    "board --no-open --port 0": r"The board: http",
    MATCH: r"one",
}
# These packages are left out, because they are large or because not every installation has them.
WITHOUT = {"cshogi", "pyffish", "python-shogi", "hypothesis"}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    """Return a simulated machine with a copy of the checkout. The engine is set up there, but the packages of the
    extras are not installed."""
    machine = Machine(tmp_path_factory.mktemp("machine"))
    machine.add_python()
    shutil.rmtree(machine.checkout / "kogoma")
    shutil.copytree(CHECKOUT / "kogoma", machine.checkout / "kogoma", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(CHECKOUT / "requirements" / "engine.txt", machine.checkout / "requirements")
    for name in ("lab", "board", "test"):
        text = (CHECKOUT / "requirements" / f"{name}.txt").read_text()
        lines = []
        for package in sorted(set(re.findall(r"^([a-z0-9.-]+)==", text, re.MULTILINE)) - WITHOUT):
            with contextlib.suppress(PackageNotFoundError):  # packages for other systems are not installed
                lines.append(repacked(machine.wheels, package))
        write_lock_file(machine.checkout, name, "".join(lines))
    digest = (machine.checkout / "requirements" / "engine.txt").read_text().split("\n")[0].split()[-1]
    packages = machine.venv / "packages"
    packages.mkdir(parents=True)
    (machine.venv / "kogoma.lock").touch()
    (packages / f"engine-{PYTHON}-{digest}").symlink_to(Path(str(numpy.__file__)).parents[1])
    machine.env["KOGOMA_COMPILE"] = "1"
    machine.env["KOGOMA_CACHE"] = os.environ.get("KOGOMA_CACHE", "")
    for name in ("HOME", "XDG_CACHE_HOME"):
        if name in os.environ:
            machine.env[name] = os.environ[name]
    assert machine.run("--version")[0] == 0
    return machine


@pytest.fixture
def only_engine(machine: Machine) -> Iterator[Machine]:
    """Yield the machine without extras. After each test, the extras that the test has installed are removed."""
    before = (machine.venv / "kogoma.pth").read_text()
    yield machine
    _remove_extras(machine, before)


def _remove_extras(machine: Machine, listed: str) -> None:
    (machine.venv / "kogoma.pth").write_text(listed)
    for path in (machine.venv / "packages").iterdir():
        if not path.is_symlink() and not path.name.startswith("pip-"):
            shutil.rmtree(path)


class Run:
    """A start of engine.sh with a terminal as its standard output."""

    def __init__(self, machine: Machine, words: str, network: bool) -> None:
        self._terminal, end = pty.openpty()
        self.process = subprocess.Popen(
            [machine.script, *words.split()],
            cwd=machine.folder,
            env=machine.env | ({} if network else {"PIP_FIND_LINKS": ""}),
            stdin=subprocess.DEVNULL,
            stdout=end,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        os.close(end)
        self.output = ""

    def wait_for(self, pattern: str) -> bool:
        """Read the output until it matches the pattern. Return False if the output ends before that."""
        while not re.search(pattern, self.output):
            try:
                part = os.read(self._terminal, 1 << 16)
            except OSError:  # Linux's way to say that no process has the terminal open
                part = b""
            if not part:
                return False
            self.output += part.decode(errors="replace")
        return True

    def end(self, number: signal.Signals, whole_group: bool) -> None:
        """Send a signal to engine.sh or, if `whole_group` is true, to all processes of its process group. Then kill the
        processes that are left, and close the terminal."""
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if whole_group else os.kill)(self.process.pid, number)
        self.process.wait(60)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        assert self.process.stderr
        self.process.stderr.close()
        os.close(self._terminal)


def works(machine: Machine, words: str) -> float:
    """Check that a command works with a network. Return the time in seconds until the command has printed the expected
    text."""
    started = time.monotonic()
    run = Run(machine, words, network=True)
    assert run.wait_for(COMMANDS[words]), (run.output, run.process.stderr and run.process.stderr.read())
    seconds = time.monotonic() - started
    run.end(signal.SIGKILL, whole_group=True)
    return seconds


def check_engine(machine: Machine) -> None:
    """Check that the engine starts without a set-up and without a network, and finds a move."""
    done = subprocess.run(
        [machine.script],
        input="usi\nsetoption name USI_Variant value minishogi\nisready\nposition startpos\ngo nodes 100\n",
        env=machine.env | {"PIP_FIND_LINKS": ""},
        text=True,
        capture_output=True,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^usiok\n(.*\n)*readyok\n(.*\n)*bestmove \S+", done.stdout, re.MULTILINE)


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "network"),
    [(words, network) for words in COMMANDS for network in (True, False)],
    ids=[f"{words.split()[0]}-{place}" for words in COMMANDS for place in ("network", "offline")],
)
def test_a_killed_set_up_leaves_what_worked(only_engine: Machine, words: str, network: bool, seed: int) -> None:
    machine = only_engine
    listed = (machine.venv / "kogoma.pth").read_text()
    chance = random.Random(f"{seed} {words} {network}")
    whole = works(machine, words)
    with UsiClient((str(machine.script),), machine.env) as running:
        running.ready()
        for number in range(count(4, 2)):
            _remove_extras(machine, listed)
            run = Run(machine, words, network)
            time.sleep(chance.uniform(0, whole))
            run.end(chance.choice([signal.SIGKILL, signal.SIGTERM]), chance.random() < 0.5)
            check_engine(machine)
            running.go("nodes", 100)
            if number % 5 == 1:
                works(machine, words)
    works(machine, words)


@pytest.mark.long
def test_help_and_wrong_command_lines_need_only_the_engine(only_engine: Machine) -> None:
    """Check that help and the error messages for wrong command lines work offline, and install nothing."""
    before = only_engine.snapshot()
    names = re.findall(r"^  (\w+) ", only_engine.run("help", PIP_FIND_LINKS="")[1], re.MULTILINE)
    assert {"match", "board", "tune", "book", "analyse", "release", "export", "wasm", "info"} <= set(names)
    for name in set(names) - {"help"}:
        code, out, err = only_engine.run(name, "--help", PIP_FIND_LINKS="")
        assert (code, err) == (0, "") and name in out
        code, out, err = only_engine.run(name, "--no-such-option", PIP_FIND_LINKS="")
        assert (code, out) == (2, "") and err.startswith(f"{name}: "), (name, err)
    assert only_engine.snapshot() == before
