"""An engine whose output is full can be ended even if the GUI reads nothing more. A slow GUI gets all of the output."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from support.scope import mostly_long
from support.usi_client import ENGINE, PATIENCE, ROOT, until

if sys.platform != "linux":
    pytest.skip("the size of a pipe is set, and its content counted", allow_module_level=True)

import fcntl
import termios

pytestmark = pytest.mark.slow

PAGE = 4096  # the size of the smallest pipe in bytes
MANY_MOVES = "R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"  # 593 legal moves
FILLS = {  # lines whose answers fill the output, so that the main thread or the thread of a task has to wait
    "the main thread": ["usi"] * 3,
    "diagrams": ["position startpos", *["d"] * 30],
    "a search": ["setoption name MultiPV value 60", "position startpos", "go infinite"],
    "a count": [f"position sfen {MANY_MOVES}", "go perft 1"],
    "the book": ["setoption name USI_OwnBook value true", *["position startpos", "go nodes 1"] * 60],
    "errors": ["nonsense"] * 90,
}


class Unread:
    """An engine whose output goes to a small pipe of one page, or to a socket. Nothing reads this output but the method
    `read`."""

    def __init__(self, kind: str = "pipe") -> None:
        self.kind = kind
        if kind == "socket":
            ours, its = socket.socketpair()
            its.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, PAGE)
            self.output, its_output = ours.detach(), its.detach()
        else:
            self.output, its_output = os.pipe()
            fcntl.fcntl(self.output, fcntl.F_SETPIPE_SZ, PAGE)
            os.set_blocking(its_output, kind == "pipe")
        self.process = subprocess.Popen(
            [*ENGINE], cwd=ROOT, stdin=subprocess.PIPE, stdout=its_output, stderr=subprocess.PIPE
        )
        os.close(its_output)
        self.send("setoption name USI_Variant value minishogi")

    def send(self, *lines: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def unread(self) -> int:
        """Return the number of bytes of the output that have not been read."""
        return int.from_bytes(fcntl.ioctl(self.output, termios.FIONREAD, bytes(4)), sys.byteorder)

    def fill(self, *lines: str) -> None:
        """Send lines, and wait until the output is full."""
        self.send(*lines)
        until(lambda: self.unread() > (500 if self.kind == "socket" else PAGE * 3 // 4))

    def leave(self, way: str) -> None:
        """Make the engine end in the given way: by `quit`, by the end of its input, or by a signal."""
        assert self.process.stdin is not None
        if way == "quit":
            self.send("quit")
        elif way == "the end of input":
            self.process.stdin.close()
        else:
            self.process.terminate()

    def read(self, most: int = 1 << 16) -> bytes:
        """Return some of the output, or b"" at its end."""
        return os.read(self.output, most)

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self.output)
        for stream in (self.process.stdin, self.process.stderr):
            with contextlib.suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]


@contextlib.contextmanager
def unread(kind: str = "pipe") -> Iterator[Unread]:
    engine = Unread(kind)
    try:
        yield engine
    finally:
        engine.close()


@pytest.mark.parametrize("way", mostly_long(["quit", "the end of input", "SIGTERM"], "quit"))
def test_an_engine_that_nobody_reads_ends(way: str) -> None:
    with contextlib.ExitStack() as stack:
        engines = {fill: stack.enter_context(unread()) for fill in FILLS}
        for fill, engine in engines.items():
            engine.fill(*FILLS[fill])
        for engine in engines.values():
            engine.leave(way)
        for fill, engine in engines.items():
            assert engine.process.wait(PATIENCE) == (-signal.SIGTERM if way == "SIGTERM" else 0), fill


@pytest.mark.long
@pytest.mark.parametrize("kind", ["socket", "non-blocking"])
def test_other_outputs_than_a_pipe(kind: str) -> None:
    """Check that an engine whose output is a socket or a non-blocking pipe ends after `quit`, even if nobody reads the
    output. If somebody reads the output, the reader must get all of it. Some programs start engines with such
    outputs."""
    lines = ["usi"] * 30
    with unread(kind) as engine:
        engine.fill(*lines)
        engine.leave("quit")
        assert engine.process.wait(PATIENCE) == 0
    with unread(kind) as engine:
        engine.fill(*lines)
        engine.leave("quit")
        text = b"".join(iter(engine.read, b""))
        assert text.count(b"usiok\n") == 30 and text.endswith(b"usiok\n")


@pytest.mark.long
def test_a_slow_reader_gets_everything() -> None:
    """Check that a reader gets all of the output even if the reader needs seconds for each page of the pipe.

    The pipe has no room for more output until a page has been read. The test reads from all engines at once.
    """
    engines: dict[Any, Unread] = {}
    with contextlib.ExitStack() as stack:
        for name in product(("diagrams", "a search"), ("quit", "the end of input")):
            engines[name] = stack.enter_context(unread())
        for (fill, _), engine in engines.items():
            engine.fill(*FILLS[fill][:15])
        for (_, way), engine in engines.items():
            engine.leave(way)
        texts = dict.fromkeys(engines, b"")
        left = set(engines)
        while left:
            time.sleep(0.1)  # the engine also checks its output this often, and ends after many checks without a change
            readable, _, _ = select.select([engines[name].output for name in left], (), (), 0)
            for name in [name for name in left if engines[name].output in readable]:
                if data := engines[name].read(160):
                    texts[name] += data
                else:
                    left.remove(name)
        assert all(engine.process.wait(PATIENCE) == 0 for engine in engines.values())
    for (fill, _), text in texts.items():
        assert len(text) > PAGE and text.endswith(b"\n")
        lines = text.decode().splitlines()
        assert fill != "diagrams" or text.count(b"Sfen: ") == 14
        assert fill != "a search" or (lines[-1].startswith("bestmove ") and text.count(b"bestmove") == 1)
