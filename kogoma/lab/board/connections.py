"""Limits of TCP connections that have not yet shown the token, so that idle ones cannot keep players out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

MAX_STRANGERS = 64  # connections without an accepted request; a new one replaces the oldest
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


class OncePerKind(logging.Filter):
    """A log filter that passes only the first message of each kind, which is the logger and the unformatted text."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[str] = set()

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether a log message is the first one of its logger with its text. Values inserted in the text are
        ignored."""
        kind = f"{record.name} {record.msg}".splitlines()[0]
        if kind in self._known:
            return False
        self._known.add(kind)
        return True
