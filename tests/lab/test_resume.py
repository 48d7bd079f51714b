"""A killed match continues, and ends with the same games as an undisturbed one."""

from __future__ import annotations

import contextlib
import random
import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from support.lab_runs import finish, kill_when, lasting, lines, read_games, start
from support.usi_client import until

pytestmark = pytest.mark.slow

KILLS, GAMES = 20, 240


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
def test_a_match_killed_twenty_times_equals_an_undisturbed_one(tmp_path: Path) -> None:
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
    assert 10 < found[-1] < GAMES + 1, found
    finish(tmp_path, *match, "-out", "killed.jsonl", "--resume")
    assert lasting(read_games(path)) == lasting(read_games(tmp_path / "undisturbed.jsonl"))
    assert path.read_text().splitlines()[0] == (tmp_path / "undisturbed.jsonl").read_text().splitlines()[0]


@pytest.mark.long
def test_interrupted_and_resumed_from_the_journal_alone(tmp_path: Path) -> None:
    with ctrl_c_ignored():  # as in a background job of a script
        process = start(tmp_path, *engines(30), "-out", "m.jsonl")
    until(lambda: lines(tmp_path / "m.jsonl") >= 5, process=process)
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
