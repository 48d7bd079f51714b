"""Running searches and other tasks of an engine, each on a thread of its own."""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from queue import SimpleQueue
from typing import Generic, NamedTuple, Self, TypeVar

from kogoma.api.results import Info, Result, Score, info_of, result_of
from kogoma.rules.base_position import BasePosition
from kogoma.search import search
from kogoma.usi_engine.info import last_info

Answer = TypeVar("Answer")
Run = Callable[[Callable[[search.Info], None]], search.Result]  # searches, and passes each report to its argument


class Handle(NamedTuple):
    """What ends a task: a function that stops it, and its thread. It does not keep the task in memory."""

    stop: Callable[[], None]
    thread: threading.Thread

    def end(self) -> None:
        """Stop the task, and wait until it has ended."""
        self.stop()
        if self.thread is not threading.current_thread():
            self.thread.join()


class Task(Generic[Answer]):
    """A task of an engine, which runs until it has its result. Leaving a `with` block, or dropping the object, ends
    it."""

    def __init__(self, work: Callable[[], Answer], stop: Callable[[], None], on_end: Callable[[], None]) -> None:
        """Start `work` on a thread of its own. `stop` is the function that ends it. `on_end` is called after it has
        ended."""
        self._result: Future[Answer] = Future()
        thread = threading.Thread(target=_work, args=(work, self._result, on_end), name="search", daemon=True)
        self._handle = Handle(stop, thread)
        thread.start()
        # The task must end before its memory is freed, with this object or with the process.
        weakref.finalize(self, self._handle.end)

    def stop(self) -> None:
        """End the task. Its result is then what was found so far. Thread-safe."""
        self._handle.stop()

    def result(self, timeout: float | None = None) -> Answer:
        """Wait for the end of the task, and return its result. Raises TimeoutError if it has not ended after `timeout`
        seconds (None: no limit), EngineError if an external engine fails."""
        return self._result.result(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._handle.end()


class Analysis(Task[Result]):
    """A running search, created by `analyse` of an engine. Iteration yields an `Info` for every line of every depth,
    until the search ends. `result()` waits for the end; the `best` move of the result is that of the last exact
    report. Leaving a `with` block, or dropping the object, ends the search."""

    def __init__(self, game: BasePosition, run: Run, stop: Callable[[], None]) -> None:
        """Start the search `run` of a position. `stop` is the function that ends it."""
        self._reports: SimpleQueue[Info | None] = SimpleQueue()  # None is the end
        put = self._reports.put
        super().__init__(partial(_search, game, run, put), stop, partial(put, None))

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Info:
        info = self._reports.get()
        if info is None:
            self._reports.put(None)  # for later calls
            self.result()
            raise StopIteration
        return info


def _search(game: BasePosition, run: Run, put: Callable[[Info], None]) -> Result:
    exact: list[search.Info] = []  # the last report of the best line whose score is not a bound
    started = time.perf_counter()

    def report(info: search.Info) -> None:
        if info.multipv == 1 and not info.bound:
            exact[:] = [info]
        put(info_of(info))

    found = run(report)
    if exact and (last := last_info(exact[-1], found)) is not exact[-1]:
        put(info_of(last))
    pv = exact[-1].pv if exact else []
    result = result_of(found, pv, round((time.perf_counter() - started) * 1000))
    if result.best is None and (end := game.outcome()) is not None and end.winner == game.turn:
        return replace(result, score=-Score(mate=0))  # a side that has no legal move wins, in variants with a die
    return result


def _work(work: Callable[[], Answer], result: Future[Answer], on_end: Callable[[], None]) -> None:
    try:
        result.set_result(work())
    except BaseException as failure:
        result.set_exception(failure)
    on_end()
