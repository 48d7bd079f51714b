"""A killed match continues, and ends with the same games as an undisturbed one."""

from __future__ import annotations

import contextlib
import os
import random
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from support.lab_runs import finish, kill_when, lasting, lines, read_games, start
from support.usi_client import ROOT, until

pytestmark = pytest.mark.slow

KILLS, GAMES = 10, 50


def engines(number: int) -> list[str]:
    match = "-engine name=one -engine name=two nodes=30 -each option.USI_Hash=1 nodes=20 -maxmoves 40 -concurrency 2"
    return ["-games", str(number), *match.split()]


@contextlib.contextmanager
def ctrl_c_ignored() -> Iterator[None]:
    """Make new processes ignore SIGINT while this context is active."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def has_more_lines(path: Path, than: int) -> bool:
    return lines(path) > than


@pytest.mark.long
def test_a_match_killed_ten_times_equals_an_undisturbed_one(tmp_path: Path) -> None:
    """Check that a match that is killed and continued has the same games as one that is not.

    Each kind of kill occurs at least once: while the match starts or plays, with one worker or two, and with a line
    that is cut off or without. More kills would only repeat them with other delays.
    """
    match = engines(GAMES)
    finish(tmp_path, *match, "-out", "undisturbed.jsonl")
    rng = random.Random(20)
    path = tmp_path / "killed.jsonl"
    found = [0]
    for kill in range(KILLS):
        process = start(tmp_path, *match[:-1], str(1 + kill // 2 % 2), "-out", path.name, "--resume")
        # Half of the runs are killed a random time after they have finished a game, the other half at any moment.
        has_played = partial(has_more_lines, path, max(found[-1], 1) if kill % 2 else -1)
        kill_when(process, has_played, rng.uniform(0, 0.1 if kill % 2 else 1))
        found.append(lines(path))
        if kill % 3 == 0 and found[-1]:  # add an incomplete line, as after a power failure
            with path.open("ab") as file:
                file.write(b'{"game":79,"pair"')
    assert KILLS // 2 < found[-1] < GAMES + 1, found
    finish(tmp_path, *match, "-out", "killed.jsonl", "--resume")
    assert lasting(read_games(path)) == lasting(read_games(tmp_path / "undisturbed.jsonl"))
    assert path.read_text().splitlines()[0] == (tmp_path / "undisturbed.jsonl").read_text().splitlines()[0]


@pytest.mark.long
def test_interrupted_and_resumed_from_the_journal_alone(tmp_path: Path) -> None:
    with ctrl_c_ignored():  # as in a background job of a script
        process = start(tmp_path, *engines(30), "-out", "m.jsonl")
    until(lambda: lines(tmp_path / "m.jsonl") >= 6, process=process)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out.endswith("interrupted; to go on: usi-engine match --resume m.jsonl\n")
    assert 4 <= len(read_games(tmp_path / "m.jsonl")) < 30
    finish(tmp_path, "--resume", "m.jsonl", "-concurrency", "1")
    assert [record["game"] for record in read_games(tmp_path / "m.jsonl")] == list(range(30))
    # --resume refuses to continue a journal with other settings or other openings.
    told = finish(tmp_path, *engines(32), "-out", "m.jsonl", "--resume", code=2)
    assert told == "match: m.jsonl was played with other settings: games was 30, and is now 32\n"
    text = (tmp_path / "m.jsonl").read_text()
    (tmp_path / "m.jsonl").write_text(text.replace('"seed":', '"seed":1', 1))
    assert "does not belong to this match" in finish(tmp_path, "--resume", "m.jsonl", code=2)


def test_two_matches_do_not_write_to_one_file(tmp_path: Path) -> None:
    first = start(tmp_path, *engines(2000), "-out", "m.jsonl")
    until(lambda: lines(tmp_path / "m.jsonl"), process=first)
    told = finish(tmp_path, *engines(2000), "-out", "m.jsonl", "--resume", code=2)
    assert told == "match: m.jsonl: another match is writing to it\n"
    first.send_signal(signal.SIGTERM)
    assert "interrupted" in first.communicate(timeout=60)[0]


CRASH = f"cmd='{sys.executable} -S {ROOT / 'tests' / 'support' / 'bots' / 'scripted.py'} usi at=1 crash'"


@pytest.mark.long
@pytest.mark.parametrize(
    ("words", "room", "told"),
    [
        ("-out m.jsonl", 6000, "m.jsonl"),
        (
            "-out m.jsonl -out m.kifu -pgnout p.pgn nodes=true -event 'A B'",
            6000,
            "-pgnout p.pgn nodes=true -event 'A B'",
        ),
        (f"-out 'a b.jsonl' -engine name=bad {CRASH}", 1 << 20, "'a b.jsonl'"),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="needs the limits of POSIX")
def test_a_match_that_cannot_go_on_says_how_to_resume_it(words: str, room: int, told: str, tmp_path: Path) -> None:
    """Check the message after a failed match: the command in it finishes the match, when its cause has been removed.
    `room` is the size in bytes that files may have."""
    match = [*engines(10), *shlex.split(words)]
    code = f"import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, ({room}, {room}));"
    code += "os.execv(sys.argv[1], sys.argv[1:])"
    command = [sys.executable, "-c", code, sys.executable, "-m", "kogoma", "match", *match]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1, done.stdout + done.stderr
    head, _, again = done.stderr.splitlines()[-1].partition("; to go on: usi-engine match ")
    assert head and again.startswith("--resume ") and again.endswith(told), done.stderr
    finish(tmp_path, *shlex.split(again), *(["-recover"] if "name=bad" in words else []))
    journal = tmp_path / shlex.split(again)[1]
    games = read_games(journal)
    assert [record["game"] for record in games] == list(range(len(games)))
    if "-pgnout" in words:
        assert (tmp_path / "p.pgn").read_text().count("[Event ") == len(games) == 10
        assert (tmp_path / "m-010.kifu").exists()
