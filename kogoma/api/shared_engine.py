"""The base class of engines, which lets threads and asyncio tasks that share an engine search in turn."""

from __future__ import annotations

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

from kogoma.api.analysis import Analysis, Handle, Task
from kogoma.api.checks import check_end
from kogoma.api.position import Position, game_of
from kogoma.api.results import Result
from kogoma.rules.base_position import BasePosition
from kogoma.search.limits import Limits

JOIN_SECONDS = 0.02  # between checks whether a task of another owner has ended
AnyTask = TypeVar("AnyTask", bound=Task[Any])


class SharedEngine(ABC):
    """The base class of engines. The owners (threads or asyncio tasks) that share an engine use it in turn: a search
    waits for the end of another owner's search, and ends an earlier search of its own owner."""

    def __init__(self) -> None:
        self._queue = threading.Lock()  # held by the owner that comes next
        self._lock = threading.Lock()  # guards the fields below
        self._owner: object = None
        self._handle: Handle | None = None  # of the task that was started last
        self._closed = False

    def analyse(self, position: Position | str, limits: Limits | None = None, *, multipv: int = 1) -> Analysis:
        """Start a search of a position, an SFEN or "startpos", and return it. It reports the best `multipv` lines;
        without limits, it runs until it is stopped. Scores are for the side to move. In a variant with a die,
        `Limits(dice=...)` is the roll; without it, scores are values before the roll. Raises ValueError for invalid
        positions and limits, TypeError for arguments of a wrong type, RuntimeError after `close`, EngineError if an
        external engine cannot be started."""
        return self._analyse(game_of(position), limits or Limits(), multipv, threading.get_ident())

    def play(self, position: Position | str, limits: Limits) -> Result:
        """Search, and return the result. Its `best` is a legal move, "win" if a win is declared, "resign" if an
        external engine resigns, or None if there is no legal move. Raises ValueError if none of depth, nodes, movetime
        and the clock of the side to move limits the search, and EngineError if an external engine plays an illegal
        move. Also raises what `analyse` raises."""
        game = game_of(position)
        check_end(limits, game.turn)
        with self._analyse(game, limits, 1, threading.get_ident(), plays=True) as analysis:  # so that Ctrl-C ends it
            return analysis.result()

    def new_game(self) -> None:
        """Forget all earlier searches, so that the next search is reproducible. An external engine is told that the
        next position belongs to a new game."""
        self._new_game(threading.get_ident())

    def stop(self) -> None:
        """End the running search, if any. Its result is then the best move found so far. Thread-safe."""
        if (handle := self._handle) is not None:
            handle.stop()

    def close(self) -> None:
        """End the running search, and free the memory of the engine or, if it is another program, make it exit."""
        with self._lock:
            self._end()
            if not self._closed:
                self._closed = True
                self._release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @abstractmethod
    def _analyse(
        self, game: BasePosition, limits: Limits, multipv: int, owner: object, *, plays: bool = False
    ) -> Analysis:
        """Start a search for an owner, as `analyse` does or, if `plays` is true, as `play` does."""

    @abstractmethod
    def _new_game(self, owner: object) -> None:
        """Do what `new_game` does, for an owner."""

    @abstractmethod
    def _release(self) -> None:
        """Free what the engine uses. This is called once, by the first `close`."""

    @contextlib.contextmanager
    def _turn(self, owner: object) -> Iterator[Callable[[AnyTask], AnyTask]]:
        """Wait until no other owner uses the engine, and reserve it for `owner` during the `with` block. An earlier
        task of the same owner is ended first. The function that is yielded registers a task that was started in the
        block, and returns it. Raises RuntimeError if the engine is closed."""
        with self._lock:
            if self._owner == owner:
                self._end()
        with self._queue:
            while (handle := self._handle) is not None and handle.thread.is_alive():
                handle.thread.join(JOIN_SECONDS)
            with self._lock:
                if self._closed:
                    raise RuntimeError("the engine is closed")
                self._owner = owner
                yield self._register

    def _register(self, task: AnyTask) -> AnyTask:
        self._handle = task._handle
        return task

    def _end(self) -> None:
        if self._handle is not None:
            self._handle.end()
        self._handle = None
