"""A search is answered by exactly one bestmove, which is legal even if the search fails. The tests use simulated
searches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from kogoma.rules.position import Position
from kogoma.rules.variants import MINISHOGI
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.network_delay import MeasuredDelay
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import NEVER_RESIGN
from kogoma.usi_engine.tasks import Thinking


class Sink(Output):
    """An output that stores its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def line(self, text: str = "") -> None:
        self.lines.append(text)


@dataclass
class MadeUpResult:
    best: str | None
    ponder: str | None = None
    score_kind: str = "cp"
    score: int = 0
    depth: int = 1
    nodes: int = 1


@dataclass
class MadeUpInfo:
    score: int
    pv: list[str]
    depth: int = 1
    seldepth: int = 1
    multipv: int = 1
    score_kind: str = "cp"
    bound: str = ""
    nodes: int = 1
    nps: int = 1
    hashfull: int = 0
    time_ms: int = 1
    tbhits: int = 0


@dataclass
class MadeUpSearch:
    """A simulated search that reports `score`, and then returns `result`, or raises `result` if it is an exception."""

    result: MadeUpResult | Exception
    score: int = 0
    held: bool = False
    stops: int = 0
    started: float = 0.0
    latest: float | None = None
    is_infinite: bool = False
    released: threading.Event = field(default_factory=threading.Event)

    def run(self, report: Callable[[Any], None]) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        if self.result.best is not None:
            report(MadeUpInfo(self.score, [self.result.best]))
        return self.result

    def wait(self) -> None:
        if self.held:
            self.released.wait()

    def stop(self) -> None:
        self.stops += 1
        self.released.set()


@dataclass
class Run:
    """A simulated search and its output."""

    search: Any
    fallback: str | None = "3e3d"
    resign_value: int = NEVER_RESIGN

    def start(self) -> tuple[Thinking, Sink]:
        sink = Sink()
        task = Thinking(sink, self.search, Reporter(sink, 1, 0.0), self.resign_value, self.fallback, MeasuredDelay())
        task.start()
        return task, sink

    def bestmove(self) -> str:
        """Run the search, and return the line with `bestmove`. Assert that there is exactly one such line, and that no
        other line follows it."""
        task, sink = self.start()
        task.wait(5)
        assert task.ended
        answers = [line for line in sink.lines if line.startswith("bestmove ")]
        assert len(answers) == 1 and sink.lines[-1] == answers[0]
        return answers[0]


def test_the_result_is_the_answer() -> None:
    assert Run(MadeUpSearch(MadeUpResult("2e2d"))).bestmove() == "bestmove 2e2d"
    assert Run(MadeUpSearch(MadeUpResult("2e2d", "4a3b"))).bestmove() == "bestmove 2e2d ponder 4a3b"


def test_a_search_that_fails_still_plays_a_legal_move(capsys: pytest.CaptureFixture[str]) -> None:
    task, sink = Run(MadeUpSearch(RuntimeError("broken"))).start()
    task.wait(5)
    assert sink.lines[-1] == "bestmove 3e3d"
    assert any(line.startswith("info string error: internal: ") for line in sink.lines)
    assert Run(MadeUpSearch(RuntimeError("broken")), "2e2d").bestmove() == "bestmove 2e2d"
    assert "Traceback" in capsys.readouterr().err


def test_a_search_with_an_illegal_move_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    searcher = Searcher(hash_mb=1, variant=MINISHOGI)
    search = searcher.start(Position("minishogi"), Limits(depth=1))
    monkeypatch.setattr(search, "moves", [])
    with pytest.raises(RuntimeError, match="illegal move"):
        search.run()


@pytest.mark.parametrize("fallback", ["3e3d", None])
@pytest.mark.parametrize("failing", [True, False])
def test_an_answer_that_is_held_back_waits_for_stop(failing: bool, fallback: str | None) -> None:
    search = MadeUpSearch(RuntimeError("broken") if failing else MadeUpResult(fallback), held=True)
    task, sink = Run(search, fallback).start()
    time.sleep(0.02)  # an early answer would come in this time
    assert not any(line.startswith("bestmove ") for line in sink.lines)
    task.stop()
    task.wait(5)
    assert task.ended and search.stops == 1
    assert sink.lines[-1] == f"bestmove {fallback or 'resign'}"


@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True), Limits(infinite=True, ponder=True)])
@pytest.mark.parametrize("sfen", [None, "4k/4G/4G/5/K4 w - 1"])
def test_infinite_and_pondering_are_held_back(limits: Limits, sfen: str | None) -> None:
    search = Searcher(hash_mb=1, variant=MINISHOGI).start(Position("minishogi", sfen), limits)
    waiting = threading.Thread(target=search.wait)
    waiting.start()
    time.sleep(0.02)  # an early answer would come in this time
    assert waiting.is_alive()
    search.stop()
    waiting.join(5)
    assert not waiting.is_alive()


def test_resignation() -> None:
    hopeless = MadeUpSearch(MadeUpResult("3e3d"), score=-2000)
    assert Run(hopeless).bestmove() == "bestmove 3e3d"
    assert Run(hopeless, resign_value=2001).bestmove() == "bestmove 3e3d"
    assert Run(hopeless, resign_value=2000).bestmove() == "bestmove resign"
    assert Run(MadeUpSearch(MadeUpResult("3e3d"), score=2000), resign_value=2000).bestmove() == "bestmove 3e3d"
