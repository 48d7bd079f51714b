"""When an engine ends, all programs that it has started end too: in matches, on the board page and in Python.

The programs that the test engine starts leave the engine's process group, session and process tree.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kogoma
from kogoma.lab.engines.process import EngineProcess
from support import lab_runs
from support.browsers.board_server import Talk, board_server
from support.scope import mostly_long
from support.usi_client import ROOT, until

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="looks into Linux's /proc"),
    pytest.mark.skipif(shutil.which("setsid") is None, reason="needs the program setsid"),
]

BOT = ROOT / "tests" / "support" / "bots" / "parent.py"
STARTED = 8  # the least number of programs that the engine starts


def runs(pid: int) -> bool:
    """Return whether a process is running. A zombie process has ended, so it does not count as running."""
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    """Yield the path of the file in which the engine lists the process ids of the programs that it starts. After the
    test, kill those programs that still run."""
    path = tmp_path / "started"
    yield path
    for pid in started(path):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def started(file: Path) -> list[int]:
    """Return the process ids that the engine has written into the file."""
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def check_none_is_left(file: Path) -> None:
    """Check that the engine has started at least STARTED programs, and that all of these programs end."""
    pids = started(file)
    assert len(pids) >= STARTED
    until(lambda: not any(map(runs, pids)))


@pytest.mark.parametrize("end", mostly_long(["", "crash", "stubborn", "hang"], ""))
def test_in_a_match(end: str, file: Path, tmp_path: Path) -> None:
    engines = ["-engine", "name=a", f"cmd={sys.executable} -S {BOT} {file} {end}"]
    engines += ["-engine", "name=b", f"cmd={sys.executable} -S {ROOT / 'tests/support/bots/escaping.py'}"]
    flags = ["-variant", "minishogi", "-games", "1", "-each", "st=0.3"]
    lab_runs.finish(tmp_path, *engines, *flags, code=1 if end in ("crash", "hang") else 0)
    check_none_is_left(file)


@pytest.mark.long
def test_in_a_match_that_is_interrupted(file: Path, tmp_path: Path) -> None:
    engines = ["-engine", "name=a", f"cmd={sys.executable} -S {BOT} {file} hang"]
    engines += ["-engine", "name=b", f"cmd={sys.executable} -S {ROOT / 'tests/support/bots/escaping.py'}"]
    process = lab_runs.start(tmp_path, *engines, "-variant", "minishogi", "-each", "st=100")
    until(file.exists)
    assert all(map(runs, started(file)))
    process.terminate()
    process.communicate(timeout=60)
    check_none_is_left(file)


def test_of_an_engine_that_ends_with_its_input(file: Path) -> None:
    """Check that a program that an engine has started ends when the engine ends, whether the engine is killed or asked
    to quit. The program does not have the engine's environment variables, so it cannot be found after the engine has
    ended."""
    for number in range(20):
        shell = "read line; env -i setsid sleep 1000 </dev/null >/dev/null 2>&1 & echo $!; read line"
        engine = EngineProcess(["sh", "-c", shell])
        pid = engine.ask(["begin"], str, 60).value
        with file.open("a") as output:
            output.write(f"{pid}\n")
        engine.close(*((["quit"], 10.0) if number % 2 else ()))
    check_none_is_left(file)


@pytest.mark.long
@pytest.mark.parametrize("end", ["", "crash", "stubborn"])
def test_in_python(end: str, file: Path) -> None:
    with kogoma.UsiEngine([sys.executable, "-S", str(BOT), str(file), end]) as engine:
        with pytest.raises(kogoma.EngineError) if end == "crash" else contextlib.nullcontext():
            engine.play(kogoma.Position("minishogi"), kogoma.Limits(nodes=9))
        if end != "crash":
            assert all(map(runs, started(file)))
    check_none_is_left(file)


@pytest.mark.long
@pytest.mark.parametrize("end", ["", "hang"])
def test_on_the_board(end: str, file: Path) -> None:
    """Check that the programs that an engine has started end when the web page of the board is closed."""
    with board_server("--engine", f"bot={sys.executable} -S {BOT} {file} {end}") as server:

        async def conversation(talk: Talk) -> None:
            assert await talk.open("bot") == {"tell": "ready"}
            await talk.begin(nodes=9)
            if not end:
                await talk.hear()
            assert all(map(runs, started(file)))

        server.talk(conversation)
        check_none_is_left(file)
