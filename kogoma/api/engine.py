"""An engine object for scripts, which keeps its transposition table between searches and reports progress."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import fields
from functools import partial
from queue import SimpleQueue

from kogoma.api.position import Position, as_game
from kogoma.rules.base_position import BasePosition
from kogoma.search.library import warmup
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import Info, Result, Search, Searcher
from kogoma.usi_engine.info import last_info
from kogoma.usi_engine.options import OPTIONS, Spin

# Smallest valid values of limits; 0 for the limits that are not listed.
AT_LEAST = {"depth": 1, "nodes": 1, "movetime": 1, "movestogo": 1, "dice": 1}
MOST = 10**12  # largest valid value of a limit


def check_number(name: str, value: object, least: int, most: int) -> None:
    """Raise ValueError unless `value` is a whole number from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{name} must be a whole number, not {value!r:.40}")
    if not least <= value <= most:
        bound = f"at least {least}" if value < least else f"at most {most}"
        raise ValueError(f"{name} must be {bound}, not {value}")


def check_option(option: str, name: str, value: object) -> None:
    """Raise ValueError unless `value` is valid for the USI option `option`, which the message calls `name`."""
    bounds = OPTIONS[option]
    assert isinstance(bounds, Spin)
    check_number(name, value, bounds.least, bounds.most)


class Analysis:
    """A running search, created by `Engine.analyse`. Iteration yields an `Info` for every line of every depth, until
    the search ends. Leaving a `with` block, or dropping the object, ends the search."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self._reports: SimpleQueue[Info | None] = SimpleQueue()
        self._result: Future[Result] = Future()
        self._ended = False
        work = (search, self._reports, self._result)
        self.thread = threading.Thread(target=_work, args=work, name="search", daemon=True)
        self.thread.start()
        # The search must end before its memory is freed, with this object or with the process.
        weakref.finalize(self, _end, search, self.thread)

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
        """End the search; its result is the best move found. Thread-safe."""
        self.search.stop()

    def result(self, timeout: float | None = None) -> Result:
        """Wait for the end of the search and return the result. Raises TimeoutError after `timeout` seconds."""
        return self._result.result(timeout)

    def __enter__(self) -> Analysis:
        return self

    def __exit__(self, *error: object) -> None:
        _end(self.search, self.thread)


def _work(search: Search, reports: SimpleQueue[Info | None], result: Future[Result]) -> None:
    exact: list[Info] = []  # the reports of the best line whose scores are not bounds

    def report(info: Info) -> None:
        if info.multipv == 1 and not info.bound:
            exact.append(info)
        reports.put(info)

    try:
        found = search.run(report)
        if exact and (last := last_info(exact[-1], found)) is not exact[-1]:
            reports.put(last)
        result.set_result(found)
    except BaseException as failure:
        result.set_exception(failure)
    reports.put(None)


def _end(search: Search, thread: threading.Thread) -> None:
    search.stop()
    if thread is not threading.current_thread():
        thread.join()


class Engine:
    """An engine in this process. It keeps the results of earlier searches until `new_game` or `close`.

    >>> with Engine(hash_mb=16) as engine:
    ...     position = Position(sfen="4k/5/4P/5/K4 b G 1")
    ...     print(engine.play(position, Limits(depth=3)).best)
    ...     for info in engine.analyse(position, Limits(depth=1), multipv=3):
    ...         print(info.multipv, info.score_kind, len(info.pv))
    G*1b
    1 mate 1
    2 cp 1
    3 cp 1

    It runs one search at a time: starting another ends the running one. All methods are thread-safe.
    """

    def __init__(self, *, hash_mb: int = 64, threads: int = 1) -> None:
        """`hash_mb` is the size of the transposition table in MB. Raises ValueError for invalid values."""
        check_option("USI_Hash", "hash_mb", hash_mb)
        check_option("Threads", "threads", threads)
        self._hash_mb, self.threads = hash_mb, threads
        self._lock = threading.Lock()  # guards the fields below
        self._searcher: Searcher | None = None
        self._end: Callable[[], None] = _nothing  # ends the last search, even if its Analysis was dropped
        self._stop: Callable[[], None] = _nothing
        self._closed = False

    def analyse(
        self, position: Position | BasePosition | str, limits: Limits | None = None, *, multipv: int = 1
    ) -> Analysis:
        """Start a search of a position, an SFEN or "startpos" and return it. It reports the best `multipv` lines, and
        runs until it is stopped if there are no limits. The first search of a variant on a machine waits up to a minute
        for the engine to be compiled. Scores are for the side to move. In a variant with a die, `Limits(dice=...)` is
        the roll; without it, scores are values before the roll. Raises ValueError for invalid positions and limits,
        RuntimeError after `close`."""
        check_option("MultiPV", "multipv", multipv)
        limits = limits or Limits()
        _check_limits(limits)
        game = _loaded(position).copy()
        with self._lock:
            if self._closed:
                raise RuntimeError("the engine is closed")
            self._end()
            if self._searcher is None:
                self._searcher = Searcher(self._hash_mb, self.threads, game.variant)
            analysis = Analysis(self._searcher.start(game, limits, SearchOptions(multipv=multipv)))
            self._end, self._stop = partial(_end, analysis.search, analysis.thread), analysis.search.stop
        return analysis

    def play(self, position: Position | BasePosition | str, limits: Limits) -> Result:
        """Search, and return the result: `best` is None if there is no legal move, and "win" if a win is declared.
        Raises ValueError unless depth, nodes, movetime or the clock of the side to move limits the search."""
        analysis = self.think(position, limits)
        with analysis:  # so that Ctrl-C also ends the search
            return analysis.result()

    def think(self, position: Position | BasePosition | str, limits: Limits) -> Analysis:
        """Start a search with a limit and return the running search. Raises ValueError if there is no limit."""
        game = _loaded(position)
        if not (limits.depth or limits.nodes or limits.movetime or limits.has_clock(game.turn)):
            _check_limits(limits)
            raise ValueError("a search needs a limit: depth, nodes, movetime or the clock of the side to move")
        return self.analyse(game, limits)

    def stop(self) -> None:
        """End the running search, if any, with the best move found."""
        self._stop()

    def new_game(self) -> None:
        """Forget all earlier searches, so that the next search is reproducible."""
        with self._lock:
            self._end()
            if self._searcher is not None:
                self._searcher.new_game()

    def close(self) -> None:
        """End the running search and free the memory."""
        with self._lock:
            self._end()
            self._searcher, self._closed = None, True
            self._end = self._stop = _nothing

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def _nothing() -> None:
    pass


def _loaded(position: Position | BasePosition | str) -> BasePosition:
    """Return the `BasePosition` of a position, after loading (or first compiling) the engine for its variant."""
    game = as_game(position)
    warmup(lambda text: None, game.variant)
    return game


def _check_limits(limits: Limits) -> None:
    if limits.infinite or limits.ponder:
        raise ValueError("infinite and ponder are for the USI protocol: analyse without limits to search until stop")
    moves: object = limits.searchmoves
    if isinstance(moves, str):
        raise ValueError(f"searchmoves must be moves in a tuple or list, not {moves!r:.40}")
    for field in fields(limits):
        value = getattr(limits, field.name)
        if value is not None and field.name not in ("infinite", "ponder", "searchmoves"):
            check_number(field.name, value, AT_LEAST.get(field.name, 0), 6 if field.name == "dice" else MOST)
