"""The engine for asyncio: `Engine` without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from kogoma.api.engine import Engine, check_end
from kogoma.api.position import Position, as_game
from kogoma.api.results import Info, Result
from kogoma.rules.base_position import BasePosition
from kogoma.search.limits import Limits


class AsyncEngine:
    """An engine in this process, for asyncio. Cancelling a task ends its search. A search waits for the end of other
    tasks' searches.

    >>> async def main():
    ...     async with AsyncEngine(hash_mb=16) as engine:
    ...         position = Position("minishogi")
    ...         async for info in engine.analyse(position):
    ...             if info.depth >= 4:
    ...                 break
    ...         return await engine.play(position, Limits(depth=4))
    >>> asyncio.run(main()).depth
    4
    """

    def __init__(self, *, hash_mb: int = 64, threads: int = 1) -> None:
        """The arguments have the same meaning as in `Engine`."""
        self._engine = Engine(hash_mb=hash_mb, threads=threads)

    async def analyse(
        self, position: Position | BasePosition | str, limits: Limits | None = None, *, multipv: int = 1
    ) -> AsyncGenerator[Info, None]:
        """Search as `Engine.analyse` does, and yield an `Info` for each of the best lines at every depth."""
        owner = asyncio.current_task()
        analysis = await asyncio.to_thread(self._engine.begin, position, limits or Limits(), multipv, owner)
        try:
            while (info := await asyncio.to_thread(next, analysis, None)) is not None:
                yield info
        finally:
            analysis.stop()

    async def play(self, position: Position | BasePosition | str, limits: Limits) -> Result:
        """Search as `Engine.play` does, and return the result."""
        check_end(limits, as_game(position).turn)
        analysis = await asyncio.to_thread(self._engine.begin, position, limits, 1, asyncio.current_task())
        try:
            return await asyncio.to_thread(analysis.result)
        finally:
            analysis.stop()

    def stop(self) -> None:
        """End the running search, if any. Its result is then the best move found so far."""
        self._engine.stop()

    async def new_game(self) -> None:
        """Forget all earlier searches, so that the next search is reproducible."""
        await asyncio.to_thread(self._engine.forget, asyncio.current_task())

    async def close(self) -> None:
        """End the running search, and free the memory of the engine."""
        await asyncio.to_thread(self._engine.close)

    async def __aenter__(self) -> AsyncEngine:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()
