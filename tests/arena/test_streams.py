"""Bots whose standard output or standard error is closed, full, or a pipe that nobody reads; and blank lines."""

from __future__ import annotations

import functools
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.rules.variants import find
from kogoma.search.library import warmup
from oracles.generals import SAMPLE, SET_UP
from support.exports.files import exported
from support.scope import mostly_long
from support.usi_client import PATIENCE, ROOT, default_interrupt

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("exports")]  # like test_export_files

DATA = Path(__file__).parents[1] / "data"
GAMES = ["minishogi", "dice", "onitama"]
CLOSING = "0 0 0 0"
NONSENSE = "?!\n"  # before a turn, it causes an error message
ALL_FULL = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="/dev/full exists on Linux only")
CLOSED_OR_FULL = [">&-", pytest.param("> /dev/full", marks=ALL_FULL)]


@functools.cache
def first_turns(game: str, count: int = 1) -> list[list[str]]:
    """Return the lines of the first turn of each of `count` recorded games."""
    records = map(json.loads, (DATA / f"{game}_turns.jsonl").read_text().splitlines())
    return [record["input"] for record in records if record["first"]][:count]


def text_of(turns: list[list[str]], between: str = "\n") -> str:
    """Return the lines of turns as one text for standard input, with `between` after each line."""
    return "".join(line + between for turn in turns for line in turn)


def program(game: str, flavor: str) -> list[str]:
    """Return the command of the adapter or of an exported file."""
    if flavor == "adapter":
        warmup(print, find(ARENAS[game].variant))  # without this, the adapter would report that it compiles
        return [sys.executable, "-m", "kogoma", "codingame", game]
    return [sys.executable, str(exported(game, flavor))]


def run(words: list[str], text: str, redirection: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a shell. `redirection` may close or redirect the command's standard streams."""
    line = f"{shlex.join(words)} {redirection}"
    return subprocess.run(["sh", "-c", line], cwd=ROOT, input=text, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("flavor", ["adapter", "native", "python"])
@pytest.mark.parametrize("redirection", CLOSED_OR_FULL)
def test_without_standard_output_one_line_says_so(flavor: str, redirection: str) -> None:
    done = run(program("onitama", flavor), text_of(first_turns("onitama")), redirection)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    assert "standard output" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("flavor", ["adapter", "native", "python"])
@pytest.mark.parametrize("redirection", CLOSED_OR_FULL)
def test_without_standard_error_turns_are_answered(flavor: str, redirection: str) -> None:
    turn = first_turns("onitama")
    done = run(program("onitama", flavor), NONSENSE + text_of(turn), f"2{redirection}")
    assert done.returncode == 0 and done.stdout.rstrip("\n") in turn[0], done.stdout


def test_unread_error_messages_do_not_block_the_bot() -> None:
    reading, writing = os.pipe()
    try:
        # Each turn causes an error message. All messages together are longer than a pipe's buffer.
        text = (NONSENSE + text_of(first_turns("onitama"))) * 1000
        done = subprocess.run(
            [*program("onitama", "adapter"), "--margin", "1000"],
            cwd=ROOT,
            input=text.encode(),
            stdout=subprocess.PIPE,
            stderr=writing,
            timeout=240,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert done.returncode == 0 and done.stdout.count(b"\n") == 1000


BLANK = [(game, flavor) for game in GAMES for flavor in ("adapter", "native")]
KEPT = *((game, "adapter") for game in GAMES), ("onitama", "native")


@pytest.mark.long
@pytest.mark.parametrize(("game", "flavor"), mostly_long(BLANK, *KEPT))
def test_blank_lines_are_ignored(game: str, flavor: str) -> None:
    turns = first_turns(game, 2)
    done = run([*program(game, flavor), "--margin", "1000"], text_of(turns, "\n\n \r\n"))
    answers = done.stdout.splitlines()
    assert (done.returncode, done.stderr, len(answers)) == (0, "", 2), done
    assert all(answer in turn for answer, turn in zip(answers, turns))


@pytest.mark.parametrize("words", [["count"], ["play", "--movetime", "10"]])
@pytest.mark.parametrize("redirection", CLOSED_OR_FULL)
def test_counts_and_moves_that_cannot_be_written(words: list[str], redirection: str) -> None:
    done = run([sys.executable, "-m", "kogoma", "codeabbey", *words], f"{SET_UP}\n{SAMPLE}\n{CLOSING}\n", redirection)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
    done = run([sys.executable, "-m", "kogoma", "codeabbey", *words], "?", f"2{redirection}")
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("redirection", CLOSED_OR_FULL)
def test_any_command_without_standard_output(redirection: str) -> None:
    done = run([sys.executable, "-m", "kogoma", "--version"], "", redirection)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr


@pytest.mark.parametrize("flavor", ["adapter", "native"])
def test_interrupted_a_bot_ends_without_a_traceback(flavor: str) -> None:
    words, pipe = program("onitama", flavor), subprocess.PIPE
    with default_interrupt():
        started = subprocess.Popen(words, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    with started as bot:
        assert bot.stdin is not None and bot.stdout is not None and bot.stderr is not None
        bot.stdin.write(text_of(first_turns("onitama")))
        bot.stdin.flush()
        assert bot.stdout.readline()
        bot.send_signal(signal.SIGINT)
        assert (bot.wait(PATIENCE), bot.stderr.read()) == (130, "")
