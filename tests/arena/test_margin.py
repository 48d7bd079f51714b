"""What is kept back of a turn's time where a bot has to wait for its processor."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from arena.codingame import margin
from arena.codingame.margin import MOST, Margin, waiting
from support.arena_referee import Bot, ask, start

TURNS, TRIES = 30, 3


def test_waiting_for_the_processor_enlarges_the_margin(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [(0.0, 0.0)]
    monkeypatch.setattr(margin, "waiting", lambda: told[0])
    kept = Margin(20)
    assert kept.of(100) == 20
    told[0] = (60.0, 2.0)  # two waits of 30 ms, though the search ended in time
    kept.note(-1)
    assert kept.of(100) == MOST * 100
    margins = []
    for _ in range(60):
        kept.note(-1)
        margins.append(kept.of(100))
    assert margins == sorted(margins, reverse=True) and margins[-1] < 21


def test_a_late_end_counts_at_least_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(margin, "waiting", lambda: (0.0, 0.0))
    kept = Margin(20)
    kept.note(10)
    assert kept.of(100) == 40


@pytest.fixture
def half_a_processor() -> Iterator[None]:
    """This process and what it starts share one processor with a loop that never pauses."""
    if not hasattr(os, "sched_setaffinity"):
        pytest.skip("processors can't be chosen here")
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as loop:
        try:
            yield
        finally:
            loop.kill()
            os.sched_setaffinity(0, before)


def test_half_a_processor_is_enough_to_answer_in_time(half_a_processor: None) -> None:
    before = waiting()
    late = []
    for seed in range(TRIES):
        late.append(late_answers(seed))
        if late[-1] <= 1:
            break
    assert waiting() > before
    assert min(late) <= 1, f"of {TURNS} answers came late: {late}"


def late_answers(seed: int) -> int:
    """How many answers to a Dice-Shogi bot's later turns came after the arena's 100 ms, all waiting counted."""
    rng = random.Random(seed)
    late = turns = 0
    with Bot("dice") as bot, contextlib.suppress(TimeoutError):
        while turns < TURNS:
            referee, first = start("dice", rng), True
            while referee.outcome() is None and turns < TURNS:
                if referee.turn == 0:
                    asked = time.perf_counter()
                    answer = ask(bot, referee, first)
                    late += not first and time.perf_counter() - asked > referee.clock
                    turns += not first
                    first = False
                    referee.play(next(action for action in referee.actions() if action.lower() == answer.lower()))
                else:
                    referee.play(rng.choice(sorted(referee.actions())))
    return late
