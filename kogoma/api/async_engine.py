"""The engines for asyncio: `Engine` and `UsiEngine` without blocking the event loop."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Generic, Self, TypeVar

from kogoma.api.analysis import Analysis, Task
from kogoma.api.checks import check_end
from kogoma.api.engine import Engine
from kogoma.api.position import Position, as_position, game_of
from kogoma.api.results import Info, Result
from kogoma.api.shared_engine import SharedEngine
from kogoma.api.usi_engine import UsiEngine
from kogoma.lab.engines.options import Option
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MateAnswer

Answer = TypeVar("Answer")
Value = TypeVar("Value")
AnyEngine = TypeVar("AnyEngine", bound=SharedEngine)
MOST_CALLS = 1000  # calls of one engine that can wait at the same time, each on a thread


class AsyncTask(Generic[Answer]):
    """A task of an engine, which runs until it has its result. Cancelling what awaits it, leaving an `async with`
    block, or dropping the object, ends it."""

    def __init__(self, pool: ThreadPoolExecutor, begin: Callable[[], Task[Answer]]) -> None:
        """Call `begin` on a thread of `pool`, because it may have to wait for the engine."""
        self._pool = pool
        self._task: Future[Any] = pool.submit(begin)

    async def result(self) -> Answer:
        """Wait for the end of the task, and return its result. Raises EngineError if an external engine fails, and what
        the method that began the task raises."""
        return await self._call(Task[Answer].result)

    def stop(self) -> None:
        """End the task. Its result is then what was found so far. Thread-safe."""
        self._pool.submit(_with, self._task, Task.stop)

    async def _call(self, method: Callable[[Any], Value]) -> Value:
        """Call a method of the task on a thread, and return its result."""
        try:
            return await asyncio.wrap_future(self._pool.submit(_with, self._task, method))
        except asyncio.CancelledError:
            self.stop()
            raise

    async def __aenter__(self) -> Self:
        await self._call(lambda task: None)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._call(_end)

    def __del__(self) -> None:
        with contextlib.suppress(RuntimeError, AttributeError):  # at the end of the process
            self._pool.submit(_with, self._task, _end)


class AsyncAnalysis(AsyncTask[Result]):
    """A running search, created by `analyse` of an asyncio engine. `async for` yields an `Info` for every line of every
    depth, until the search ends. Cancelling the task that iterates, leaving an `async with` block, or dropping the
    object, ends the search."""

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Info:
        info = await self._call(_next_info)
        if info is None:
            raise StopAsyncIteration
        return info


def _with(task: Future[Any], method: Callable[[Any], Value]) -> Value:
    return method(task.result())


def _end(task: Task[Any]) -> None:
    task._handle.end()


def _next_info(analysis: Analysis) -> Info | None:
    return next(analysis, None)


class AsyncSharedEngine(Generic[AnyEngine]):
    """The base class of asyncio engines. A search waits for the end of other tasks' searches, and ends an earlier
    search of its own task. Cancelling a task ends its search."""

    def __init__(self, engine: AnyEngine) -> None:
        self._engine = engine
        self._pool = ThreadPoolExecutor(MOST_CALLS, "engine call")

    def analyse(self, position: Position | str, limits: Limits | None = None, *, multipv: int = 1) -> AsyncAnalysis:
        """Start a search as `Engine.analyse` does, and return it. Errors of its arguments are raised when it is awaited
        for the first time."""
        return self._analyse(position, limits or Limits(), multipv)

    async def play(self, position: Position | str, limits: Limits) -> Result:
        """Search as `Engine.play` does, and return the result."""
        check_end(limits, as_position(position).turn)
        return await self._analyse(position, limits, 1, plays=True).result()

    def _analyse(self, position: Position | str, limits: Limits, multipv: int, plays: bool = False) -> AsyncAnalysis:
        game, owner = game_of(position), asyncio.current_task()
        return AsyncAnalysis(self._pool, partial(self._engine._analyse, game, limits, multipv, owner, plays=plays))

    def stop(self) -> None:
        """End the running search, if any. Its result is then the best move found so far. Thread-safe."""
        self._pool.submit(self._engine.stop)

    async def new_game(self) -> None:
        """Forget all earlier searches, as `Engine.new_game` and `UsiEngine.new_game` do."""
        await self._run(self._engine._new_game, asyncio.current_task())

    async def close(self) -> None:
        """End the running search, and free the memory of the engine or, if it is another program, make it exit."""
        await self._run(self._engine.close)

    async def _run(self, function: Callable[..., Value], *arguments: object) -> Value:
        return await asyncio.wrap_future(self._pool.submit(function, *arguments))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()


class AsyncEngine(AsyncSharedEngine[Engine]):
    """An engine in this process, for asyncio.

    >>> async def main():
    ...     async with AsyncEngine(hash_mb=16) as engine:
    ...         async with engine.analyse("startpos") as analysis:
    ...             async for info in analysis:
    ...                 if info.depth >= 4:
    ...                     break
    ...         return await engine.play("startpos", Limits(depth=4))
    >>> asyncio.run(main()).depth
    4
    """

    def __init__(
        self,
        *,
        hash_mb: int = 64,
        threads: int = 1,
        level: int | None = None,
        options: Mapping[str, int | bool | str] | None = None,
    ) -> None:
        """The arguments have the same meaning as in `Engine`."""
        super().__init__(Engine(hash_mb=hash_mb, threads=threads, level=level, options=options))


class AsyncUsiEngine(AsyncSharedEngine[UsiEngine]):
    """A running engine that speaks USI, for asyncio."""

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, int | bool | str] | None = None,
        ponder: bool = False,
        folder: str | None = None,
        log: str | None = None,
    ) -> None:
        """The arguments have the same meaning as in `UsiEngine`."""
        super().__init__(UsiEngine(command, options=options, ponder=ponder, folder=folder, log=log))

    @property
    def options(self) -> dict[str, Option]:
        """The options that the engine lists, as in `UsiEngine.options`."""
        return self._engine.options

    @property
    def id(self) -> dict[str, str]:
        """What the engine says about itself, as in `UsiEngine.id`."""
        return self._engine.id

    async def set_option(self, name: str, value: str | int | bool) -> None:
        """Set an option, as `UsiEngine.set_option` does."""
        await self._run(self._engine._set_option, asyncio.current_task(), name, value)

    async def start(self) -> None:
        """Start the engine, unless it runs. Raises EngineError if this fails, RuntimeError after `close`."""
        await self._run(self._engine._start, asyncio.current_task())

    async def find_mate(self, position: Position | str, *, milliseconds: int | None = None) -> MateAnswer:
        """Search for a forced mate, as `UsiEngine.find_mate` does, and return the answer."""
        game, owner = game_of(position), asyncio.current_task()
        return await AsyncTask(self._pool, partial(self._engine._mate_task, game, milliseconds, owner)).result()
