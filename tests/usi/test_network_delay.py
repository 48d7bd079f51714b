"""The time that the engine keeps back for the way to the clock, measured while `NetworkDelay` does not name it."""

from __future__ import annotations

import pytest

from kogoma.search.limits import Limits
from kogoma.usi_engine.network_delay import LEAST, USUAL, MeasuredDelay, time_for_move
from support.usi_client import UsiClient

pytestmark = pytest.mark.slow

NEVER_WAITED = 0.0, 0.0


@pytest.mark.parametrize(
    ("limits", "turn", "expected"),
    [
        (Limits(movetime=100), 0, 100),
        (Limits(byoyomi=1000, btime=0, wtime=40_000), 0, 1000),
        (Limits(byoyomi=1000, btime=0, wtime=40_000), 1, 2000),
        (Limits(btime=40_000, binc=100), 0, 1100),
        (Limits(nodes=1000), 0, None),
    ],
)
def test_the_time_for_a_move(limits: Limits, turn: int, expected: float | None) -> None:
    assert time_for_move(limits, turn) == expected


def test_little_is_kept_back_of_a_short_time() -> None:
    delay = MeasuredDelay()
    assert [delay.of(Limits(movetime=time), 0) for time in (10, 100, 500, 5000)] == [LEAST, LEAST, 10, USUAL]
    assert delay.of(Limits(nodes=100), 0) == USUAL


def test_more_is_kept_back_after_late_answers_and_less_again_after_others() -> None:
    delay, limits = MeasuredDelay(), Limits(movetime=100)
    delay.note(10.0, NEVER_WAITED)
    assert delay.of(limits, 0) == LEAST + 20
    assert delay.of(Limits(movetime=20), 0) == 12  # at most a part of the time
    for _ in range(10):
        delay.note(-1.0, NEVER_WAITED)
    assert LEAST < delay.of(limits, 0) < LEAST + 20
    for _ in range(300):
        delay.note(-1.0, NEVER_WAITED)
    assert delay.of(limits, 0) == LEAST


def test_the_engine_thinks_longer_than_with_the_usual_delay() -> None:
    """Check the length of the first search, before which no answer can have been late."""
    with UsiClient() as engine:
        engine.ready()
        assert "option name NetworkDelay type spin default -1 min -1 max 10000" in engine.answer("usi")
        engine.send("position startpos")
        words = engine.go("movetime", 400)[0][-1].split()
        assert int(words[words.index("time") + 1]) > 400 - USUAL
