"""The engine of one page: its process, the requests in order, and the messages to the page.

The server says {"tell": "ready"}; {"tell": "begun", "id": N} when the engine has received the search, at which
its clock starts; {"tell": "info", "id": N, ...}; {"tell": "result", "id": N, ...};
{"tell": "error", "id": N, "text"} for an invalid request; {"tell": "failure", "id": N or null, "text"} if the engine
has failed. The next search restarts a failed engine.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any

from kogoma.lab.board.messages import MessageError, NewGame, Open, Search, Stop
from kogoma.lab.engines.analyst import Analyst, Thinking
from kogoma.lab.engines.base import QUIT_SECONDS, EngineSpec
from kogoma.lab.engines.factory import resolve
from kogoma.lab.engines.faults import EngineError
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.search import Info, Result

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

FLUSH_SECONDS = 0.05  # interval at which new info lines are sent to the page
STOP_SECONDS = 5.0  # time limit for an engine to answer `stop`
_CAMEL = re.compile("_([a-z])")
USUAL_MB = 256  # default hash size of an engine; allocating more takes seconds
IDLE_SECONDS = 600.0  # an engine that is idle for so long is ended; the next search restarts it


def message_fields(found: Info | Result) -> dict[str, Any]:
    """Return the fields of an info line or a search result for a message to the page, with names in camel case."""
    return {_CAMEL.sub(lambda match: match[1].upper(), name): value for name, value in asdict(found).items()}


class Session:
    """The engine that a page has opened. All methods belong to the event loop's thread; a separate
    thread communicates with the engine."""

    def __init__(self, specs: Mapping[str, EngineSpec], most: Mapping[str, int], send: Send) -> None:
        """`most` maps "threads" and "hashMb" to the largest values allowed for an engine."""
        self._specs, self._most, self._send = specs, most, send
        self._thread = ThreadPoolExecutor(1, "engine")
        self._engine: Analyst | None = None
        self._variant: Variant | None = None
        self._thinking: Thinking | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None

    def handle(self, message: Open | Search | Stop | NewGame) -> None:
        """Start the action that a page's message requests. Raises MessageError if the action is not possible now."""
        match message:
            case Open() if self._engine is not None:
                raise MessageError("an engine is open already")
            case Open():
                self._engine, self._variant = self._made(message), message.variant
                self._begin(self._open())
            case Stop():
                self._stop()
            case _ if self._engine is None:
                raise MessageError("no engine is open")
            case _ if self._thinking is not None:
                raise MessageError("a search is under way")
            case NewGame():
                self._begin(self._new_game())
            case Search():
                self._thinking = Thinking(message.limits, dict(message.options))
                self._begin(self._search(message, self._thinking))

    async def close(self) -> None:
        """Cancel running tasks and end the engine. If it does not end in time, kill its process."""
        if self._idle is not None:
            self._idle.cancel()
        for task in self._tasks:
            task.cancel()
        if self._engine is not None:
            patience = 0.0 if self._tasks else QUIT_SECONDS + 0.2
            # The engine's thread executes `quit` after the calls that are queued already.
            ended = asyncio.ensure_future(self._run(self._engine.quit))
            while not (await asyncio.wait({ended}, timeout=patience))[0]:
                self._engine.kill_process()
                patience = 0.1
        self._thread.shutdown(wait=False)

    # ---- Handling of messages ------------------------------------------------------------------------------------

    def _made(self, message: Open) -> Analyst:
        threads = min(message.threads or self._most["threads"], self._most["threads"])
        hash_mb = min(message.hash_mb or USUAL_MB, self._most["hashMb"])
        wanted = {"Threads": threads, "USI_Hash": hash_mb, "Hash": hash_mb}
        return Analyst(resolve(self._specs[message.engine]), wanted)

    async def _open(self) -> None:
        if await self._new_game():
            await self._send({"tell": "ready"})

    async def _new_game(self) -> bool:
        assert self._engine is not None and self._variant is not None
        try:
            await self._run(self._engine.new_game, self._variant, self._variant.start)
        except EngineError as fault:
            await self._fail(None, fault)
            return False
        self._restart_idle_timer()
        return True

    async def _search(self, request: Search, thinking: Thinking) -> None:
        number = request.id
        try:
            result = message_fields(await self._result(request, thinking))
        except ValueError as error:
            answer = {"tell": "error", "id": number, "text": str(error)}
        except EngineError as fault:
            self._thinking = None
            await self._fail(number, fault)
            return
        else:
            answer = {"tell": "result", "id": number, **result}
        self._thinking = None  # first: with the answer, the page may send the next search
        self._restart_idle_timer()
        await self._send(answer)

    async def _result(self, request: Search, thinking: Thinking) -> Result:
        assert self._engine is not None and self._variant is not None
        engine = self._engine
        position = await self._run(_position, self._variant, request)
        thinking.legal = frozenset(position.legal_moves())
        if not thinking.legal:
            return Result(None, None, "mate", 0, 0, 0)
        if not await self._run(lambda: engine.pid is not None and engine.process.alive()):
            await self._run(engine.new_game, self._variant, self._variant.start)
        loop, begun = asyncio.get_running_loop(), {"tell": "begun", "id": request.id}
        thinking.on_begun = lambda: loop.call_soon_threadsafe(self._begin, self._send(begun))
        search = asyncio.ensure_future(self._run(engine.search, position, thinking))
        try:
            while not search.done():
                await asyncio.wait({search}, timeout=FLUSH_SECONDS)
                for info in engine.infos(thinking):
                    await self._send({"tell": "info", "id": request.id, **message_fields(info)})
        except BaseException:
            engine.kill_process()
            with contextlib.suppress(EngineError):
                await search
            raise
        found: Result = await search
        return found

    def _stop(self) -> None:
        if self._engine is None or self._thinking is None:
            return  # the search has just ended
        self._begin(asyncio.to_thread(self._engine.stop, self._thinking))
        loop = asyncio.get_running_loop()
        loop.call_later(STOP_SECONDS, self._kill_unless_ended, self._thinking)

    def _kill_unless_ended(self, thinking: Thinking) -> None:
        if self._thinking is thinking and self._engine is not None:
            self._engine.kill_process()

    async def _fail(self, number: int | None, fault: EngineError) -> None:
        await self._send({"tell": "failure", "id": number, "text": f"{fault.engine}: {fault.detail}"})

    # ---- Engine thread and idle timer ----------------------------------------------------------------------------

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _run(self, call: Callable[..., Any], *given: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call, *given)

    def _restart_idle_timer(self) -> None:
        """Restart the timer that ends the engine after IDLE_SECONDS without a search."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self._end_idle)

    def _end_idle(self) -> None:
        if self._thinking is None and self._engine is not None:
            self._begin(self._run(self._engine.quit))


def _position(variant: Variant, request: Search) -> BasePosition:
    """Return the position to search. Raises ValueError for an invalid SFEN, an illegal move, or a die roll in a variant
    without a die."""
    position = new_position(variant, request.start or None)
    for number, move in enumerate(request.moves, 1):
        try:
            position.push(move)
        except ValueError as error:
            raise ValueError(f"move {number}: {error}") from None
    if request.limits.dice is not None and not variant.die:
        raise ValueError(f"{variant.name} has no die")
    legal = set(position.legal_moves())
    if unknown := [move for move in request.limits.searchmoves if move not in legal]:
        raise ValueError(f"searchmoves: {unknown[0]} is not legal here")
    return position
