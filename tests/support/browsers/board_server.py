"""Run `./engine.sh board` as a process, and send HTTP requests and WebSocket messages to this server."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import aiohttp

from support.usi_client import PATIENCE, ROOT, default_interrupt

T = TypeVar("T")
COMMAND = (sys.executable, "-m", "kogoma", "board")
START = "rbsgk/4p/5/P4/KGSBR b - 1"


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b"kogoma.native"  # the process has just ended; leave it out like a compiler


class Answer(NamedTuple):
    """An HTTP response. The names of the headers are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class BoardServer:
    """A running server. `address` is the URL that it printed."""

    def __init__(
        self,
        *words: str,
        port: int = 0,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = COMMAND,
        opens: bool = False,
    ) -> None:
        """Start the server, and wait until it has printed its address. If `opens` is set, the server may open a
        browser."""
        with default_interrupt():
            self.process = subprocess.Popen(
                [*command, "--port", str(port), *([] if opens else ["--no-open"]), *words],
                cwd=ROOT,
                env={**os.environ, **(env or {})},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                start_new_session=True,
            )
        self.lines: list[str] = []
        self._printed = threading.Event()
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()
        assert self._printed.wait(PATIENCE), "the server did not print its address"
        found = re.search(r"http://(\S+):(\d+)/\S*", "".join(self.lines))
        assert found, self.lines
        self.address, self.port = found[0], int(found[2])
        self.host = f"127.0.0.1:{self.port}"
        self.origin = f"http://{self.host}"
        self.token = self.address.partition("?token=")[2]
        given = self.get(f"/?token={self.token}", {"Cookie": None})
        self.cookie = given.headers["set-cookie"].partition(";")[0]

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)
            if "http://" in line:
                self._printed.set()
        self._printed.set()

    def end(self, number: int = signal.SIGINT) -> int:
        """Send a signal to the server, wait until it ends, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        code = self.process.wait(PATIENCE)
        self._thread.join()
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code

    def engines(self) -> list[int]:
        """Return the process ids of the engines that the server has started. Compilers and linkers are left out."""
        found: list[int] = []
        for path in Path(f"/proc/{self.process.pid}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # the thread has just ended
                found += map(int, path.read_text().split())
        return [pid for pid in found if not any(word in _command(pid) for word in (b"kogoma.native", b"wasm-ld"))]

    # ---- Requests ------------------------------------------------------------------------------------------------

    def raw(self, request: bytes) -> bytes:
        """Send bytes unchanged, and return everything received until the server closes the connection. The request
        should ask the server to close the connection."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            try:
                connection.sendall(request)
            except ConnectionError:
                pass  # the server may refuse a request before it has read all of it
            received = b""
            while True:
                try:
                    block = connection.recv(1 << 16)
                except ConnectionError:
                    return received
                if not block:
                    return received
                received += block

    def get(self, path: str, headers: Mapping[str, str | None] | None = None, method: str = "GET") -> Answer:
        """Return the response to a request. The path is sent unchanged, and a header whose value is None is left out.
        The cookie with the token is sent unless `headers` has another cookie."""
        sent = {"Host": self.host, "Connection": "close", **(headers or {})}
        if "Cookie" not in sent:
            sent["Cookie"] = self.cookie
        lines = [
            f"{method} {path} HTTP/1.1",
            *(f"{name}: {value}" for name, value in sent.items() if value is not None),
        ]
        received = self.raw("\r\n".join([*lines, "", ""]).encode("latin-1"))
        head, _, body = received.partition(b"\r\n\r\n")
        status, *fields = head.decode("latin-1").split("\r\n")
        pairs = (field.partition(": ") for field in fields)
        return Answer(int(status.split()[1]), {name.lower(): value for name, _, value in pairs}, body)

    @asynccontextmanager
    async def socket(self, headers: Mapping[str, str] | None = None) -> Any:
        """Yield a conversation over a new WebSocket. The request has the headers that a page of the server would send;
        `headers` replaces some of them or adds others."""
        async with aiohttp.ClientSession() as session:
            sent = {"Origin": self.origin, "Cookie": self.cookie, **(headers or {})}
            async with session.ws_connect(f"{self.origin}/socket", headers=sent, max_msg_size=0) as connection:
                yield Talk(connection)

    def talk(self, conversation: Callable[[Talk], Awaitable[T]]) -> T:
        """Call the function `conversation` with a new WebSocket, and return the function's result."""

        async def have() -> T:
            async with self.socket() as talk:
                return await asyncio.wait_for(conversation(talk), PATIENCE)

        return asyncio.run(have())


class Talk:
    """A conversation over a WebSocket. `infos` has the `info` messages since the start of the last search."""

    def __init__(self, connection: aiohttp.ClientWebSocketResponse) -> None:
        self.connection = connection
        self.infos: list[dict[str, Any]] = []
        self._id = 0

    async def say(self, **message: Any) -> None:
        await self.connection.send_str(json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        """Return the next message that is not `info` or `begun`, or {"closed": code} if the connection is closed."""
        while True:
            message = await self.connection.receive()
            if message.type != aiohttp.WSMsgType.TEXT:
                return {"closed": self.connection.close_code, "why": message.extra}
            found: dict[str, Any] = json.loads(message.data)
            if found["tell"] not in ("info", "begun"):
                return found
            if found["tell"] == "info":
                self.infos.append(found)

    async def open(self, engine: str = "kogoma", variant: str = "minishogi", **more: Any) -> dict[str, Any]:
        await self.say(do="open", engine=engine, variant=variant, **more)
        return await self.hear()

    async def begin(self, start: str = START, moves: tuple[str, ...] = (), options: Any = None, **limits: Any) -> int:
        """Begin a search, and return its id."""
        self._id += 1
        self.infos.clear()
        await self.say(do="search", id=self._id, start=start, moves=moves, limits=limits, options=options or {})
        return self._id

    async def search(self, *given: Any, **limits: Any) -> dict[str, Any]:
        """Run a search, and return the server's answer."""
        number = await self.begin(*given, **limits)
        answer = await self.hear()
        assert answer.get("id") == number, answer
        return answer


@contextmanager
def board_server(*words: str, **settings: Any) -> Iterator[BoardServer]:
    """Yield a new server. End the server at the end of the context."""
    server = BoardServer(*words, **settings)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.end()
