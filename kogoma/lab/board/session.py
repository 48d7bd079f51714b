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
import threading
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from kogoma.lab.board.messages import MessageError, NewGame, Open, Search, Stop
from kogoma.lab.engines import faults
from kogoma.lab.engines.base import QUIT_SECONDS, EngineSpec
from kogoma.lab.engines.factory import resolve
from kogoma.lab.engines.faults import Fault
from kogoma.lab.engines.process import Ended, NoAnswer, Reply, kill_group
from kogoma.lab.engines.referee import checked
from kogoma.lab.engines.usi import SearchWatch, UsiEngine, parse_score
from kogoma.lab.journals.match_journal import Score
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.answers import LOWER_BOUND, UPPER_BOUND
from kogoma.search.limits import Limits

FOREVER = 10.0**9  # seconds
ENDLESS = 1 << 50  # limit of a search's output in bytes; an analysis may run for days
PATIENCE = 10.0  # seconds that a search may last beyond its time
READ_SECONDS = 5.0  # time limit for an engine to read its input
MOST_LINES, LONGEST_PV = 600, 60
NO_SCORE = Score("cp", 0, 0, 0)
DEFAULT_INFO = {"depth": 0, "seldepth": 0, "multipv": 1, "nodes": 0, "nps": 0, "hashfull": 0, "time": 0}

_NUMBER = re.compile(rf"\b({'|'.join(DEFAULT_INFO)}) (\d{{1,15}})\b")
_RANK = re.compile(r" multipv (\d{1,3})\b")
_BOUND = re.compile(rf"\b({LOWER_BOUND}|{UPPER_BOUND})\b")
_MOST = re.compile(r"\bmax (\d{1,9})\b")

Send = Callable[[Mapping[str, Any]], Awaitable[None]]

FLUSH_SECONDS = 0.05  # interval at which new info lines are sent to the page
STOP_SECONDS = 5.0  # time limit for an engine to answer `stop`
USUAL_MB = 256  # default hash size of an engine; allocating more takes seconds
IDLE_SECONDS = 600.0  # an engine that is idle for so long is ended; the next search restarts it


class LineWatch(SearchWatch):
    """Reads an engine's output during a search, and keeps the newest info line of every MultiPV rank."""

    def __init__(self) -> None:
        super().__init__()
        self._newest: dict[int, str] = {}

    def __call__(self, line: str) -> list[str] | None:
        """Handle a line on the reading thread. Return the tokens after `bestmove`, or None for other lines."""
        if line.startswith("info") and " score " in line and " pv " in line:
            found = _RANK.search(line)
            rank = int(found[1]) if found else 1
            if 1 <= rank <= MOST_LINES:
                self._newest[rank] = line
        return super().__call__(line)

    def take(self) -> list[str]:
        """Return the new lines since the last call, best first."""
        taken, self._newest = self._newest, {}
        return [line for _, line in sorted(taken.items())]


@dataclass
class Thinking:
    """A running search, with the legal moves of its position. `on_begun` is called when the engine has received it."""

    request: Search
    watch: LineWatch = field(default_factory=LineWatch)
    stopped: bool = False
    legal: frozenset[str] = frozenset()
    on_begun: Callable[[], object] = lambda: None


class Analyst(UsiEngine):
    """An engine of one page. `search` blocks; `stop` and `kill_process` may be called meanwhile from other threads."""

    needs_limits = False

    def __init__(self, spec: EngineSpec, wanted: dict[str, int]) -> None:
        """`wanted` maps option names to values. Options that the engine offers are set, to its maximum at most."""
        super().__init__(spec)
        self._wanted = wanted
        self._set: dict[str, int] = {}
        self._lock = threading.Lock()
        self._is_thinking = False

    def _greet(self) -> None:
        super()._greet()
        self._set = {}
        if lines := self._option_lines(self._wanted):
            self.tell(*lines, kind=faults.START)

    def _option_lines(self, values: dict[str, int]) -> list[str]:
        """Return the `setoption` lines for options that the engine offers and that do not have these values yet."""
        lines = []
        for name, value in values.items():
            if name not in self.options or self._set.get(name) == value:
                continue
            most = _MOST.search(self.options[name])
            lines.append(self._setoption(name, str(min(value, int(most[1])) if most else value)))
            self._set[name] = value
        return lines

    def search(self, position: BasePosition, thinking: Thinking) -> dict[str, Any]:
        """Search a position of the current game, wait for the end, and return the fields of the "result" message.
        Raises Fault."""
        request, watch = thinking.request, thinking.watch
        self.start_sfen = position.start_sfen
        self._dialect = self._new_dialect()
        options = {"MultiPV": 1, **dict(request.options)}
        lines = [*self._option_lines(options), self._position(position), go_line(request.limits)]

        def receive() -> Reply:
            with self._lock:
                self.process.post(lines, watch, READ_SECONDS, ENDLESS)
                self._is_thinking = True
                thinking.on_begun()
                if thinking.stopped:
                    self.process.send(["stop"])
            return self.process.wait(most_seconds(request.limits, position.turn))

        try:
            words, _ = self.answer(receive, watch)
        finally:
            self._is_thinking = False
        return self._result(words, position, thinking)

    def stop(self, thinking: Thinking) -> None:
        """Make the engine stop the search and answer, as soon as the search has begun."""
        with self._lock:
            thinking.stopped = True
            if self._is_thinking:
                with contextlib.suppress(Ended, NoAnswer, Fault):
                    self.process.send(["stop"], READ_SECONDS)

    def kill_process(self) -> None:
        """Kill the process. A running `search` then raises Fault."""
        if (pid := self.pid) is not None:
            kill_group(pid)

    def infos(self, thinking: Thinking) -> list[dict[str, Any]]:
        """Return the "info" messages' fields for the info lines that are new since the last call."""
        found = [self._info(line) for line in thinking.watch.take()]
        return [info for info in found if info["pv"] and info["pv"][0] in thinking.legal]

    def _info(self, line: str) -> dict[str, Any]:
        head, _, rest = line.partition(" pv ")
        numbers = DEFAULT_INFO | {name: int(value) for name, value in _NUMBER.findall(head)}
        score = parse_score(head, self.mate_in_moves) or NO_SCORE
        bound = _BOUND.search(head)
        return {
            "scoreKind": score.kind,
            "score": score.value,
            "bound": bound[1] if bound else "",
            "timeMs": numbers.pop("time"),
            "pv": self._line(rest),
            **numbers,
        }

    def _line(self, text: str) -> list[str]:
        """Return the moves of a variation in USI notation, up to the first word that is not a move."""
        moves: list[str] = []
        for word in text.split()[:LONGEST_PV]:
            move = self.move_to_usi(word)
            if move is None:
                break
            moves.append(move)
        return moves

    def _result(self, words: list[str], position: BasePosition, thinking: Thinking) -> dict[str, Any]:
        best, ponder = self.read_best_move(words)
        best = checked(self, position, best, thinking.request.limits.dice)
        score = parse_score(thinking.watch.info, self.mate_in_moves) or NO_SCORE
        return {
            "best": best,
            "ponder": ponder,
            "scoreKind": score.kind,
            "score": score.value,
            "depth": score.depth,
            "nodes": score.nodes,
        }


def go_line(limits: Limits) -> str:
    """Return the USI `go` command for these limits."""
    names = ("btime", "wtime", "byoyomi", "binc", "winc", "movestogo", "movetime", "depth", "nodes", "dice")
    words = [f"{name} {value}" for name in names if (value := getattr(limits, name)) is not None]
    ends = any(getattr(limits, name) is not None for name in names[:-1])
    if limits.infinite or not ends:
        words.append("infinite")
    if limits.searchmoves:
        words.append("searchmoves " + " ".join(limits.searchmoves))
    return " ".join(["go", *words])


def most_seconds(limits: Limits, turn: int) -> float:
    """Return the maximum time of a search in seconds."""
    if limits.infinite:
        return FOREVER
    if limits.movetime is not None:
        return limits.movetime / 1000 + PATIENCE
    if limits.has_clock(turn):
        clock, increment = (limits.wtime, limits.winc) if turn else (limits.btime, limits.binc)
        return sum(ms or 0 for ms in (clock, increment, limits.byoyomi)) / 1000 + PATIENCE
    return FOREVER


class Session:
    """The engine that a page has opened. All methods belong to the event loop's thread; a separate
    thread communicates with the engine."""

    def __init__(self, specs: Mapping[str, EngineSpec], most: Mapping[str, int], send: Send) -> None:
        """`most` has the maximum threads and hash size (MB) of an engine."""
        self._specs, self._most, self._send = specs, most, send
        self._thread = ThreadPoolExecutor(1, "engine")
        self._engine: Analyst | None = None
        self._variant: Variant | None = None
        self._thinking: Thinking | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None

    def handle(self, message: Open | Search | Stop | NewGame) -> None:
        """Start the action that a message requests. Raises MessageError if the action is not possible now."""
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
                self._thinking = Thinking(message)
                self._begin(self._search(self._thinking))

    async def close(self) -> None:
        """Stop the engine and all running tasks."""
        if self._idle is not None:
            self._idle.cancel()
        for task in self._tasks:
            task.cancel()
        if self._engine is not None:
            patience = 0.0 if self._tasks else QUIT_SECONDS + 0.2
            ended = asyncio.ensure_future(self._run(self._engine.quit))  # after the calls that are queued on its thread
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
        except Fault as fault:
            await self._fail(None, fault)
            return False
        self._restart_idle_timer()
        return True

    async def _search(self, thinking: Thinking) -> None:
        number = thinking.request.id
        try:
            result = await self._result(thinking)
        except ValueError as error:
            answer = {"tell": "error", "id": number, "text": str(error)}
        except Fault as fault:
            self._thinking = None
            await self._fail(number, fault)
            return
        else:
            answer = {"tell": "result", "id": number, **result}
        self._thinking = None  # before the page receives the answer and requests the next search
        self._restart_idle_timer()
        await self._send(answer)

    async def _result(self, thinking: Thinking) -> dict[str, Any]:
        assert self._engine is not None and self._variant is not None
        request, engine = thinking.request, self._engine
        position = await self._run(_position, self._variant, request)
        thinking.legal = frozenset(position.legal_moves())
        if not thinking.legal:
            return {"best": None, "ponder": None, "scoreKind": "mate", "score": 0, "depth": 0, "nodes": 0}
        if not await self._run(lambda: engine.pid is not None and engine.process.alive()):
            await self._run(engine.new_game, self._variant, self._variant.start)
        loop, begun = asyncio.get_running_loop(), {"tell": "begun", "id": request.id}
        thinking.on_begun = lambda: loop.call_soon_threadsafe(self._begin, self._send(begun))
        search = asyncio.ensure_future(self._run(engine.search, position, thinking))
        try:
            while not search.done():
                await asyncio.wait({search}, timeout=FLUSH_SECONDS)
                for info in engine.infos(thinking):
                    await self._send({"tell": "info", "id": request.id, **info})
        except BaseException:
            engine.kill_process()
            with contextlib.suppress(Fault):
                await search
            raise
        found: dict[str, Any] = search.result()
        return found

    def _stop(self) -> None:
        if self._engine is None or self._thinking is None:
            return  # it has just ended
        self._begin(asyncio.to_thread(self._engine.stop, self._thinking))
        loop = asyncio.get_running_loop()
        loop.call_later(STOP_SECONDS, self._kill_unless_ended, self._thinking)

    def _kill_unless_ended(self, thinking: Thinking) -> None:
        if self._thinking is thinking and self._engine is not None:
            self._engine.kill_process()

    async def _fail(self, number: int | None, fault: Fault) -> None:
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
    """Return the position to search. Raise ValueError for an invalid SFEN or move."""
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
