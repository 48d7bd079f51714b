"""The time margin of a bot that has to wait for its processor."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from kogoma.arena.codingame import time_margin
from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.bot import Bot
from kogoma.arena.codingame.engine import InstalledEngine
from kogoma.arena.codingame.settings import Settings
from kogoma.arena.codingame.time_margin import MAX_SHARE, Margin, processor_waits
from kogoma.arena.codingame.turn_reader import RawTurn
from kogoma.search.search import Result
from support.arena_referee import start

TURNS = 10
LEAST = 20  # ms of the margin without any waiting


def test_waiting_for_the_processor_enlarges_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [(0.0, 0.0)]
    monkeypatch.setattr(time_margin, "processor_waits", lambda: told[0])
    kept = Margin(20)
    assert kept.of(100) == 20
    told[0] = (60.0, 2.0)  # two waits of 30 ms, although the search ended in time
    kept.note(-1)
    assert kept.of(100) == MAX_SHARE * 100
    margins = []
    for _ in range(60):
        kept.note(-1)
        margins.append(kept.of(100))
    assert margins == sorted(margins, reverse=True) and margins[-1] < 21


def test_a_late_end_enlarges_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time_margin, "processor_waits", lambda: (0.0, 0.0))
    kept = Margin(20)
    kept.note(10)
    assert kept.of(100) == 40


@pytest.fixture
def half_a_processor() -> Iterator[None]:
    """Run this process, its children and another process with an endless loop on one processor during the test."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("this system cannot choose processors")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as loop:
        try:
            yield
        finally:
            loop.kill()
            os.sched_setaffinity(0, before)


@pytest.mark.clock
def test_a_bot_that_waits_for_its_processor_thinks_less(
    half_a_processor: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check that a bot of Dice-Shogi enlarges its time margin if it has to wait for its processor. The margin must stay
    within its limits in every turn."""
    arena, kept = ARENAS["dice"], list[float]()
    engine = InstalledEngine(arena.variant, 4, pytest.fail)
    bot = Bot(arena, Settings(LEAST, 4), engine, pytest.fail)
    searched = engine.search

    def search(*given: Any) -> Result:
        *_, margin, _ = given
        kept.append(margin)
        return searched(*given)

    monkeypatch.setattr(engine, "search", search)
    before = processor_waits()
    rng = random.Random(1)
    referee = start("dice", rng)
    while referee.outcome() is None and len(kept) < TURNS:
        actions = referee.actions()
        once = [] if kept else referee.once(referee.turn)
        turn = RawTurn(time.perf_counter(), [*once], [*referee.lines()], actions)
        answer = bot.answer(turn, turn.at)
        assert answer in actions
        referee.play(answer)
        if referee.outcome() is None:
            referee.play(rng.choice(sorted(referee.actions())))
    assert processor_waits() > before
    assert LEAST < max(kept) <= 1000 * MAX_SHARE and min(kept) >= LEAST, kept
