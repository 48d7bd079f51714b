"""The local server: files of the site, games of matches, and a WebSocket for each engine that a page uses."""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from kogoma import japanese
from kogoma.console.streams import tell
from kogoma.lab.board.access_control import HEADERS, NO_TOKEN, OPEN_THE_ADDRESS, Guard, RateLimit, bracketed
from kogoma.lab.board.connections import Connection, Connections, ServerLog
from kogoma.lab.board.messages import MAX_BYTES, MessageError, parse
from kogoma.lab.board.session import Session
from kogoma.lab.board.site import Page, Site
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.journals.match_journal import GameRecord, RecordError, RecordFile, fault_line, read_records
from kogoma.lab.report.replays import MAX_REPLAYS, chosen, scores_of

MAX_ENGINES = 8  # processes at a time
SOCKET, INDEX, ICON = "/socket", "/games/index.json", "/favicon.ico"
MATCH = "/matches/"
HEARTBEAT = 20.0  # seconds between pings of a connection
LOOPBACK = "127.0.0.1"


class Matches:
    """Match journals. They are read at each request, because a match may still be running."""

    def __init__(self, paths: Sequence[Path]) -> None:
        self._paths = [path.resolve() for path in paths]
        self._warned: set[str] = set()
        self.names = _names(self._paths)

    def check(self) -> None:
        """Print warnings about invalid lines. Raise RecordError or OSError for the first journal that cannot be
        read."""
        for path in self._paths:
            self._records(path)

    def _records(self, path: Path) -> RecordFile:
        """Read a journal, and print a warning about its invalid lines, unless it was printed before."""
        found = read_records(path)
        if found.warning and found.warning not in self._warned:
            self._warned.add(found.warning)
            tell(f"board: {japanese.message(found.warning)}")
        return found

    def read(self, number: int) -> bytes:
        """Return JSON with at most MAX_REPLAYS games of the match journal `number` (counted from 0), and the number of
        all its games. Raises RecordError or OSError if the journal cannot be read."""
        found = self._records(self._paths[number])
        games = [_game(record) for record in chosen(found.games, MAX_REPLAYS)]
        whole = {"games": games, "of": len(found.games)}
        return json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode()


def _game(record: GameRecord) -> dict[str, Any]:
    """Convert a game record to the form that the page expects."""
    return {
        "number": record["game"],
        "variant": record["variant"],
        "start": record["start"],
        "moves": record["book"] + record["moves"],
        "book": len(record["book"]),
        "dice": record.get("dice", []),
        "black": record["black"],
        "white": record["white"],
        "winner": record["winner"],
        "reason": record["reason"],
        "fault": fault_line(record["fault"]),
        "scores": scores_of(record),
        "ms": record["time_ms"],
    }


def _names(paths: Sequence[Path]) -> list[str]:
    """Return the name of each file. If several files have the same name, each of these names is preceded by the name of
    the file's folder."""
    names = [path.name for path in paths]
    return [path.name if names.count(path.name) == 1 else f"{path.parent.name}/{path.name}" for path in paths]


@dataclass(frozen=True)
class Settings:
    """Settings of the server. `host` is None for loopback only; `maximum` has an engine's maximum threads and hash
    size."""

    port: int
    token: str
    engines: Mapping[str, EngineSpec]
    matches: tuple[Path, ...] = ()
    host: str | None = None
    maximum: Mapping[str, int] = field(default_factory=dict)


class Server:
    """Handles requests in one event loop."""

    def __init__(self, settings: Settings, guard: Guard, site: Site) -> None:
        self._settings, self._guard, self._site = settings, guard, site
        self._matches = Matches(settings.matches)
        self.connections = Connections()
        self._sockets: set[web.WebSocketResponse] = set()

    def application(self) -> web.Application:
        """Return the aiohttp application that answers all requests."""
        app = web.Application(middlewares=[self._guarded])
        app.router.add_route("*", "/{path:.*}", self._answer)
        app.on_response_prepare.append(_add_headers)
        app.on_shutdown.append(self._close)
        return app

    async def _close(self, app: web.Application) -> None:
        going = [each.close(code=WSCloseCode.GOING_AWAY, message=b"the server ends") for each in self._sockets]
        await asyncio.gather(*going, return_exceptions=True)

    @web.middleware
    async def _guarded(self, request: web.Request, handler: Any) -> web.StreamResponse:
        path, _, query = request.raw_path.partition("?")
        why = self._guard.refusal(request.headers, path == SOCKET)
        if why:
            return _refused(403, why)
        if request.method not in ("GET", "HEAD"):
            return _refused(405, "only GET and HEAD are allowed")
        if path == "/" and self._guard.query_has_token(query):
            answer = web.Response(status=303, headers={"Location": "/"})
            # Strict cookies would be missing after this redirect if the browser came from another site or from a file.
            answer.set_cookie(self._guard.cookie, self._guard.token, httponly=True, samesite="Lax", path="/")
            return answer
        if not self._guard.has_token(request.headers):
            if path == "/":
                return web.Response(status=403, text=NO_TOKEN, content_type="text/html")
            return _refused(403, OPEN_THE_ADDRESS)
        self.connections.accept(request.transport)
        answered: web.StreamResponse = await handler(request)
        return answered

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.raw_path.partition("?")[0]
        if path == SOCKET:
            return await self._talk(request)
        if path == INDEX:
            return Page(INDEX, self._index()).answer(request)
        if path in (matches := {f"{MATCH}{number}": number for number in range(len(self._matches.names))}):
            return await self._match(request, matches[path])
        if page := self._site.find(path) or await asyncio.to_thread(self._site.tablebases.find, path):
            return page.answer(request)
        if path == ICON:
            return web.Response(status=204)
        return _refused(404, "not found")

    def _index(self) -> bytes:
        server = {
            "socket": SOCKET.lstrip("/"),
            "engines": list(self._settings.engines),
            "matches": self._matches.names,
            **self._settings.maximum,
            "compiling": self._site.compiling,
            "progress": self._site.progress,
        }
        tables = self._site.tablebases.folders
        return json.dumps({**self._site.index, "tablebases": tables, "server": server}, ensure_ascii=False).encode()

    async def _match(self, request: web.Request, number: int) -> web.Response:
        try:
            content = await asyncio.to_thread(self._matches.read, number)
        except (RecordError, OSError) as error:
            content = json.dumps({"games": [], "of": 0, "error": str(error)}).encode()
        page = Page("match.json", content)
        await asyncio.to_thread(lambda: page.zipped)
        return page.answer(request)

    async def _talk(self, request: web.Request) -> web.StreamResponse:
        connection = web.WebSocketResponse(max_msg_size=MAX_BYTES, heartbeat=HEARTBEAT, compress=False)
        try:
            is_websocket = bool(connection.can_prepare(request))
        except ValueError:  # aiohttp raises it for headers that are not ASCII
            is_websocket = False
        if not is_websocket:
            return _refused(426, "this address needs a WebSocket")
        await connection.prepare(request)
        if len(self._sockets) >= MAX_ENGINES:
            text = f"{MAX_ENGINES} engines are in use; close another page"
            await connection.send_json({"tell": "failure", "id": None, "text": text})
            await connection.close(code=WSCloseCode.TRY_AGAIN_LATER, message=b"too many engines")
            return connection
        self._sockets.add(connection)

        async def send(message: Mapping[str, Any]) -> None:
            with contextlib.suppress(ConnectionError):  # `_listen` ends when the page has disconnected
                await connection.send_json(message)

        session = Session(self._settings.engines, self._settings.maximum, send)
        try:
            await self._listen(connection, session)
        finally:
            await asyncio.shield(session.close())
            self._sockets.discard(connection)
        return connection

    async def _listen(self, connection: web.WebSocketResponse, session: Session) -> None:
        rate = RateLimit()
        async for message in connection:
            if not rate.spend():
                await connection.close(code=WSCloseCode.POLICY_VIOLATION, message=b"too many messages")
                return
            try:
                if message.type != WSMsgType.TEXT:
                    raise MessageError("the message is not text")
                session.handle(parse(message.data, list(self._settings.engines)))
            except MessageError as error:
                await connection.close(code=WSCloseCode.POLICY_VIOLATION, message=str(error).encode()[:100])
                return


async def _add_headers(request: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(HEADERS)
    response.headers.setdefault("Cache-Control", "no-store")


def _refused(status: int, why: str) -> web.Response:
    return web.Response(status=status, text=f"{why}\n")


async def serve(settings: Settings, site: Site, begun: Callable[[str], None]) -> None:
    """Serve until Ctrl-C or SIGTERM. `begun` is called with the URL as soon as the server listens. Raises ValueError if
    it cannot listen at this address."""
    listening = _listening(settings)
    port = listening.getsockname()[1]
    server = Server(settings, Guard(port, settings.token, settings.host), site)
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=1.0, handle_signals=False)
    await runner.setup()
    assert runner.server is not None
    make = partial(Connection, server.connections, runner.server)
    ServerLog().install()
    accepting = await asyncio.get_running_loop().create_server(make, sock=listening)
    try:
        begun(f"http://{bracketed(_shown(settings.host))}:{port}/?token={settings.token}")
        await _interrupted()
    finally:
        accepting.close()
        await runner.cleanup()


def _listening(settings: Settings) -> socket.socket:
    host = settings.host or LOOPBACK
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        found = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ValueError(f"cannot resolve {host}: {error.strerror}") from None
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen()
    except OSError as error:
        found.close()
        how = "use --port N for another port, or --port 0 for any free one"
        raise ValueError(f"cannot listen on {host}, port {settings.port}: {error.strerror}; {how}") from None
    found.setblocking(False)
    return found


def _shown(host: str | None) -> str:
    """Return the host for the address that is printed. A wildcard address is replaced by this machine's name, because
    browsers cannot open it."""
    if host is None:
        return LOOPBACK
    return socket.gethostname() if host in ("0.0.0.0", "::") else host


async def _interrupted() -> None:
    """Wait for Ctrl-C or SIGTERM."""
    loop, event = asyncio.get_running_loop(), asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            loop.add_signal_handler(number, event.set)
        except NotImplementedError:  # Windows
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(event.set))
            # The handler wakes the loop. Python also does, through the same socket, and would report that it was busy.
            signal.set_wakeup_fd(signal.set_wakeup_fd(-1), warn_on_full_buffer=False)
    await event.wait()
