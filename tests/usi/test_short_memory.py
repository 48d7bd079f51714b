"""If memory is short, the engine and the commands report this. They do not hang, crash silently or report another
cause."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.native.objects import built
from support.scope import count, mostly_long
from support.usi_client import ENGINE, ROOT

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="a limit of the address space as Linux has it"),
]

SHORT = re.compile("there is not enough memory; close other|MB of memory are too little|no thread can be started;")
COMPILER = re.compile(r"compiling \w+ (failed|was ended by \w+): probably out of memory: .* only \d+ MB are allowed")
# These limits are in MB. A limit that is enough on one machine may be too little on one with more processors or other
# libraries.
LIMITS = sorted({*range(120, 500, count(3, 24)), 30, 60, 90, 128, 136})
ALWAYS_SHORT, ENOUGH = 150, 6000
CONVERSATION = "usi\nsetoption name USI_Variant value minishogi\nisready\nposition startpos\ngo nodes 1000\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache folder with all compiled libraries of Onitama."""
    return built(tmp_path_factory.mktemp("memory") / "cache")


def run(limit: int, *words: str, given: str = "", cache: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command, or the engine, with at most `limit` MB of address space."""
    command = ["sh", "-c", f'ulimit -v {limit << 10}; exec "$@"', "sh", *ENGINE, *words]
    environment = {**os.environ} if cache is None else {**os.environ, "KOGOMA_CACHE": str(cache)}
    return subprocess.run(command, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, timeout=100)


def check_failure(done: subprocess.CompletedProcess[str], limit: int, words: re.Pattern[str] = SHORT) -> None:
    """Check that a command has failed with exit code 1, that its last line reports too little memory, and that no other
    cause is reported."""
    told = f"{limit} MB: exit code {done.returncode}\n{done.stdout}{done.stderr}"
    assert done.returncode == 1 and limit < ENOUGH, told
    assert words.search(done.stderr.splitlines()[-1]), told
    own = re.sub(rf"({COMPILER.pattern}).*", "", done.stdout + done.stderr)  # this message quotes the compiler's error
    for word in ("Traceback", "cache folder", "Error:", "internal"):
        assert word not in own, told


@pytest.mark.parametrize("limit", [*LIMITS, ENOUGH])
def test_a_command(limit: int, cache: Path) -> None:
    done = run(limit, "perft", "3", "onitama", cache=cache)
    if done.returncode == 0 and limit > ALWAYS_SHORT:
        assert "Nodes searched: 1160" in done.stdout and done.stderr == ""
    else:
        check_failure(done, limit)


@pytest.mark.parametrize("limit", [*LIMITS, ENOUGH])
def test_the_engine(limit: int, cache: Path) -> None:
    """Check that an engine with little memory either finds a move, or tells the GUI that memory is short and then
    ends."""
    done = run(limit, given=CONVERSATION.replace("minishogi", "onitama"), cache=cache)
    lines = done.stdout.splitlines()
    if done.returncode == 0 and limit > ALWAYS_SHORT:
        assert "readyok" in lines and lines[-1].startswith("bestmove ")
    else:
        check_failure(done, limit)
        assert lines[-1].startswith("info string error: ") and SHORT.search(lines[-1])


@pytest.mark.parametrize("limit", mostly_long([140, 300, 355, 375], 140, 300))
def test_compiling(limit: int, tmp_path: Path) -> None:
    done = run(limit, "perft", "3", "onitama", cache=tmp_path)
    if done.returncode:
        check_failure(done, limit, re.compile(f"{SHORT.pattern}|{COMPILER.pattern}"))
    else:
        assert "Nodes searched: 1160" in done.stdout


@pytest.mark.parametrize("words", ["bench 3 onitama", "check docs/custom-variants/tori.toml", "mate 4k/5/5/5/4K b - 1"])
def test_other_commands(words: str, cache: Path) -> None:
    for limit in (140, 240):
        done = run(limit, *words.split(), cache=cache)
        if done.returncode:
            check_failure(done, limit, re.compile(f"{SHORT.pattern}|{COMPILER.pattern}"))
