"""Limits of TCP connections that have not yet shown the token, so that idle ones cannot keep players out, and the log
of the server."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from aiohttp.http_exceptions import HttpProcessingError
from aiohttp.web import PayloadAccessError, RequestPayloadError

from kogoma.console.streams import tell

MAX_STRANGERS = 64  # connections without an accepted request; a new one replaces the oldest
CLIENT_ERRORS = (HttpProcessingError, RequestPayloadError, PayloadAccessError, ConnectionError)
STRANGER_SECONDS = 10.0  # time limit for the first accepted request of a connection


class Connections:
    """The connections of a server that have no accepted request yet."""

    def __init__(self) -> None:
        self._strangers: dict[asyncio.BaseTransport, asyncio.TimerHandle] = {}

    def add(self, transport: asyncio.Transport) -> None:
        """Watch a new connection: close it after STRANGER_SECONDS, unless `accept` is called for it. If MAX_STRANGERS
        connections are watched already, close the oldest of them."""
        if len(self._strangers) >= MAX_STRANGERS:
            self._close(next(iter(self._strangers)))
        timer = asyncio.get_running_loop().call_later(STRANGER_SECONDS, self._close, transport)
        self._strangers[transport] = timer

    def accept(self, transport: asyncio.BaseTransport | None) -> None:
        """Stop watching a connection, because one of its requests was accepted or because it has ended."""
        if transport is not None and (timer := self._strangers.pop(transport, None)):
            timer.cancel()

    def _close(self, transport: asyncio.BaseTransport) -> None:
        self.accept(transport)
        if isinstance(transport, asyncio.Transport):
            transport.abort()


class Connection(asyncio.Protocol):
    """Forwards all events to another protocol, and registers the connection in `connections`."""

    def __init__(self, connections: Connections, make: Callable[[], asyncio.Protocol]) -> None:
        self._connections, self._inner = connections, make()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Have the new connection watched, and tell the inner protocol about it."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._connections.add(transport)
        self._inner.connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Stop watching the connection, which has ended, and tell the inner protocol."""
        self._connections.accept(self._transport)
        self._inner.connection_lost(error)

    def data_received(self, data: bytes) -> None:
        """Pass received data on to the inner protocol."""
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        """Tell the inner protocol that the other side sends no more data, and return its answer."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """Tell the inner protocol that the buffer for sent data is full."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Tell the inner protocol that the buffer for sent data has room again."""
        self._inner.resume_writing()


class ServerLog(logging.Handler):
    """Prints messages of aiohttp and asyncio as lines on standard error. Errors of clients, such as malformed requests,
    are left out: they are answered, and everybody who can connect could fill the terminal with them. Of other messages,
    only the first one of each kind is printed, which is the logger, the unformatted text and the exception's type."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._known: set[tuple[str, str, type | None]] = set()

    def install(self) -> None:
        """Print all messages of aiohttp and asyncio from now on, and have nothing else print them."""
        for name in ("aiohttp", "asyncio"):
            logger = logging.getLogger(name)
            logger.addHandler(self)
            logger.propagate = False

    def emit(self, record: logging.LogRecord) -> None:
        """Print a message, unless it is about a client or of a known kind."""
        error = record.exc_info[1] if record.exc_info else None
        kind = (record.name, str(record.msg), type(error))
        if isinstance(error, CLIENT_ERRORS) or kind in self._known:
            return
        self._known.add(kind)
        first_line = record.getMessage().partition("\n")[0]
        why = " ".join(f": {type(error).__name__}: {error}".split()) if error else ""
        tell(f"board: {first_line}{why}")
