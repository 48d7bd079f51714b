"""Running searches, and the base class of engines, which lets threads that share an engine search in turn."""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Self

from kogoma.api.results import Info, Result, info_of, result_of
from kogoma.search import searcher
from kogoma.usi_engine.info import last_info

Run = Callable[[Callable[[searcher.Info], None]], searcher.Result]  # searches, and passes each report to its argument
JOIN_SECONDS = 0.02  # between checks whether a search of another thread has ended


class Analysis:
    """A running search, created by `analyse` of an engine. Iteration yields an `Info` for every line of every depth,
    until the search ends. Leaving a `with` block, or dropping the object, ends the search."""

    def __init__(self, run: Run, stop: Callable[[], None]) -> None:
        """Start the search `run` on a thread of its own. `stop` is the function that ends it."""
        self._stop = stop
        self._reports: SimpleQueue[Info | None] = SimpleQueue()
        self._result: Future[Result] = Future()
        self._ended = False
        work = (run, self._reports, self._result)
        self.thread = threading.Thread(target=_work, args=work, name="search", daemon=True)
        self.thread.start()
        # The search must end before its memory is freed, with this object or with the process.
        weakref.finalize(self, _end, stop, self.thread)

    def __iter__(self) -> Analysis:
        return self

    def __next__(self) -> Info:
        info = None if self._ended else self._reports.get()
        if info is None:
            self._ended = True
            self.result()
            raise StopIteration
        return info

    def stop(self) -> None:
        """End the search. Its result is then the best move found so far. Thread-safe."""
        self._stop()

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end of the search, and return its result. Raises TimeoutError if it has not ended after
        `timeout` seconds."""
        return self._result.result(timeout)

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *error: object) -> None:
        _end(self._stop, self.thread)


def _work(run: Run, reports: SimpleQueue[Info | None], result: Future[Result]) -> None:
    exact: list[searcher.Info] = []  # the last report of the best line whose score is not a bound
    started = time.perf_counter()

    def report(info: searcher.Info) -> None:
        if info.multipv == 1 and not info.bound:
            exact[:] = [info]
        reports.put(info_of(info))

    try:
        found = run(report)
        if exact and (last := last_info(exact[-1], found)) is not exact[-1]:
            reports.put(info_of(last))
        pv = exact[-1].pv if exact else []
        result.set_result(result_of(found, pv, round((time.perf_counter() - started) * 1000)))
    except BaseException as failure:
        result.set_exception(failure)
    reports.put(None)


def _end(stop: Callable[[], None], thread: threading.Thread) -> None:
    stop()
    if thread is not threading.current_thread():
        thread.join()


class SharedEngine(ABC):
    """The base class of engines. The owners (threads or asyncio tasks) that share an engine search in turn: a search
    waits for the end of another owner's search, and ends an earlier search of its own owner."""

    def __init__(self) -> None:
        self._queue = threading.Lock()  # held by the owner that comes next
        self._lock = threading.Lock()  # guards the fields below
        self._owner: object = None
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], None] = _nothing
        self._closed = False

    @contextlib.contextmanager
    def _turn(self, owner: object) -> Iterator[None]:
        """Wait until no other owner uses the engine, and reserve it for `owner` during the `with` block. An earlier
        search of the same owner is ended first. Inside the block, `_begin` may start a search. Raises RuntimeError if
        the engine is closed."""
        with self._lock:
            if self._owner == owner:
                self._end()
        with self._queue:
            while (thread := self._thread) is not None and thread.is_alive():
                thread.join(JOIN_SECONDS)
            with self._lock:
                if self._closed:
                    raise RuntimeError("the engine is closed")
                self._owner = owner
                yield

    def _begin(self, run: Run, stop: Callable[[], None]) -> Analysis:
        """Start a search. Call this only inside `with self._turn(...):`, which gives the caller exclusive use of the
        engine."""
        analysis = Analysis(run, stop)
        self._thread, self._stop = analysis.thread, stop
        return analysis

    def stop(self) -> None:
        """End the running search, if any. Its result is then the best move found so far."""
        self._stop()

    def close(self) -> None:
        """End the running search, and free the memory of the engine or, if it is another program, make it exit."""
        with self._lock:
            self._end()
            if not self._closed:
                self._closed = True
                self._release()

    @abstractmethod
    def _release(self) -> None:
        """Free what the engine uses. This is called once, by the first `close`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _end(self) -> None:
        if self._thread is not None:
            _end(self._stop, self._thread)
        self._thread, self._stop = None, _nothing


def _nothing() -> None:
    pass
