"""Exactly one bestmove, and a legal one, even from a search that fails; by searches that are made up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from search.time import Limits
from usi_engine.options import NEVER_RESIGN
from usi_engine.output import Output
from usi_engine.thinking import Thinking


class Sink(Output):
    """An output that keeps its lines."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: list[str] = []

    def line(self, text: str = "") -> None:
        self.lines.append(text)


@dataclass
class MadeUpPosition:
    moves: list[str]

    def legal_moves(self) -> list[str]:
        return self.moves


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


@dataclass
class MadeUpSearcher:
    """Returns `result` or raises it, after one report of `score`."""

    result: MadeUpResult | Exception
    score: int = 0
    stops: int = 0

    def search(self, position: Any, limits: Any, options: Any, report: Callable[[Any], None], started: float) -> Any:
        if isinstance(self.result, Exception):
            raise self.result
        report(MadeUpInfo(self.score, [self.result.best or ""]))
        return self.result

    def stop(self) -> None:
        self.stops += 1


@dataclass
class MadeUpOptions:
    multipv: int = 1


@dataclass
class Run:
    """A search that was made up, with its output."""

    searcher: Any
    limits: Limits = field(default_factory=lambda: Limits(depth=1))
    legal: tuple[str, ...] = ("3e3d", "2e2d")
    resign_value: int = NEVER_RESIGN

    def start(self) -> tuple[Thinking, Sink]:
        sink, position, options = Sink(), MadeUpPosition(list(self.legal)), MadeUpOptions()
        made_up: tuple[Any, Any] = (position, options)
        task = Thinking(sink, self.searcher, made_up[0], self.limits, made_up[1], self.resign_value, 0.0)
        task.start()
        return task, sink

    def bestmove(self) -> str:
        """The answer; AssertionError unless there is exactly one."""
        task, sink = self.start()
        task.wait(5)
        assert task.ended
        answers = [line for line in sink.lines if line.startswith("bestmove ")]
        assert len(answers) == 1 and sink.lines[-1] == answers[0]
        return answers[0]


def test_the_result_is_the_answer() -> None:
    assert Run(MadeUpSearcher(MadeUpResult("2e2d"))).bestmove() == "bestmove 2e2d"
    assert Run(MadeUpSearcher(MadeUpResult("2e2d", "4a3b"))).bestmove() == "bestmove 2e2d ponder 4a3b"


@pytest.mark.parametrize("failure", [RuntimeError("broken"), MadeUpResult("1a1b"), MadeUpResult(None)], ids=repr)
def test_a_search_that_fails_still_plays_a_legal_move(failure: Any, capsys: pytest.CaptureFixture[str]) -> None:
    run = Run(MadeUpSearcher(failure))
    task, sink = run.start()
    task.wait(5)
    assert sink.lines[-1] == "bestmove 3e3d"
    assert any(line.startswith("info string error: internal: ") for line in sink.lines)
    only = Run(MadeUpSearcher(failure), Limits(depth=1, searchmoves=("2e2d",)))
    assert only.bestmove() == "bestmove 2e2d"
    assert ("Traceback" in capsys.readouterr().err) == isinstance(failure, Exception)


@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True), Limits(infinite=True, ponder=True)])
@pytest.mark.parametrize("legal", [("3e3d",), ()])
@pytest.mark.parametrize("result", [RuntimeError("broken"), MadeUpResult("3e3d")], ids=repr)
def test_infinite_and_pondering_wait_for_stop(limits: Limits, legal: tuple[str, ...], result: Any) -> None:
    searcher = MadeUpSearcher(result)
    task, sink = Run(searcher, limits, legal).start()
    time.sleep(0.02)
    assert not any(line.startswith("bestmove ") for line in sink.lines)
    task.stop()
    task.wait(5)
    assert task.ended and searcher.stops == 1
    assert sink.lines[-1] == ("bestmove 3e3d" if legal else "bestmove resign")


def test_resignation() -> None:
    hopeless = MadeUpSearcher(MadeUpResult("3e3d"), score=-2000)
    assert Run(hopeless).bestmove() == "bestmove 3e3d"
    assert Run(hopeless, resign_value=2001).bestmove() == "bestmove 3e3d"
    assert Run(hopeless, resign_value=2000).bestmove() == "bestmove resign"
    assert Run(MadeUpSearcher(MadeUpResult("3e3d"), score=2000), resign_value=2000).bestmove() == "bestmove 3e3d"
