"""Bots for CodinGame's arenas with an empty cache: they answer in time, and use the engine once it is compiled."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.arena_referee import FIRST_TURN, Bot, Referee, ask, start
from support.native.objects import built, compilers, evaluation, names
from support.usi_client import ROOT, until

pytestmark = [pytest.mark.slow, pytest.mark.clock]


def said(bot: Bot) -> list[str]:
    """Return the lines that the bot has written to standard error so far."""
    return os.pread(bot._errors.fileno(), 1 << 20, 0).decode().splitlines()


def play_turn(bot: Bot, referee: Referee, rng: random.Random, first: bool) -> str:
    """Ask the bot for an answer, and check that the answer is legal and that the bot's processor time is within the
    limit. Play the answer and a random reply, and return the answer."""
    actions = referee.actions()
    worked = bot.worked()
    answer = ask(bot, referee, first)
    assert bot.worked() - worked < (FIRST_TURN if first else referee.clock)
    action = next(action for action in actions if answer.split(" depth")[0] == action)
    referee.play(action)
    if referee.outcome() is None:
        referee.play(rng.choice(referee.actions()))
    return answer


@pytest.mark.skipif(sys.platform != "linux", reason="needs processes of Linux")
@pytest.mark.parametrize("name", ["minishogi", "dice", "onitama"])
def test_answers_are_legal_and_in_time_while_it_compiles(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOGOMA_CACHE", str(tmp_path))
    rng = random.Random(5)
    referee = start(name, rng)
    while referee.turn:
        referee.play(rng.choice(referee.actions()))
    with Bot(name) as bot:
        for number in range(6):
            play_turn(bot, referee, rng, number == 0)
            assert "`./engine.sh warmup" in said(bot)[0]
            if referee.outcome() is not None:
                break
        until(lambda: compilers(tmp_path))
        with Bot(name) as second:
            until(lambda: any("another Kogoma compiles" in line for line in said(second)))
            assert len(compilers(tmp_path)) <= 2  # one for each of two libraries
            second.process.send_signal(signal.SIGKILL)
            second.process.wait()
        bot.process.send_signal(signal.SIGKILL)
        bot.process.wait()
        until(lambda: not compilers(tmp_path))


@pytest.mark.long
def test_the_compiled_engine_takes_over_during_a_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = built(tmp_path / "cache")
    evaluation(cache).unlink()
    monkeypatch.setenv("KOGOMA_CACHE", str(cache))
    rng = random.Random(1)
    with Bot("onitama", "--chat") as bot:
        answer, end = "", time.monotonic() + 200
        while " depth " not in answer:
            referee, first = start("onitama", rng), True
            while referee.outcome() is None and " depth " not in answer:
                assert time.monotonic() < end
                answer = play_turn(bot, referee, rng, first)
                first = False
                time.sleep(0.2)  # the time that another player takes
        while referee.outcome() is None:
            assert " depth " in play_turn(bot, referee, rng, first=False)
        code, errors = bot.close()
    assert code == 0 and not [line for line in errors.splitlines() if "line " in line or "board" in line]
    assert [line.split(" ")[1] for line in errors.splitlines()] == ["the", "compiling", "compiled"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs processes of Linux")
def test_if_the_compiler_is_killed_the_list_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache = built(tmp_path / "cache")
    evaluation(cache).unlink()
    monkeypatch.setenv("KOGOMA_CACHE", str(cache))
    referee, rng = start("onitama", random.Random(2)), random.Random(2)
    with Bot("onitama") as bot:
        play_turn(bot, referee, rng, True)
        until(lambda: compilers(cache))
        os.kill(compilers(cache)[0], signal.SIGKILL)
        until(lambda: any("SIGKILL" in line for line in said(bot)))
        while referee.outcome() is None:
            play_turn(bot, referee, rng, False)
        code, errors = bot.close()
    assert code == 1 and errors.count("\n") == 3
    assert "compiling eval was ended by SIGKILL" in errors and "playing any legal action" in errors


def test_the_end_of_the_input_ends_the_compilation(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kogoma", "codingame", "onitama"],
        cwd=ROOT,
        input="",
        env={**os.environ, "KOGOMA_CACHE": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and done.stdout == "" and "warmup onitama" in done.stderr
    assert not [name for name in names(tmp_path) if name.startswith("tmp")]
