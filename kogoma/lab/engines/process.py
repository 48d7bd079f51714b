"""An engine's process, with its input and output as lines.

One thread reads standard output and standard error, so that the engine never blocks; output that answers no question is
only logged. On Windows, pipes cannot be polled, so each needs a thread.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TextIO

from kogoma.escapes import printable
from kogoma.lab.engines.process_tree import kill_tree, new_mark, processes_of
from kogoma.native.processes import own_group
from kogoma.output_file import opener

READ_BYTES = 1 << 16  # bytes read at once
POLL_SECONDS = 0.25  # between reports that nothing arrived
WAITING_CHUNKS = 16  # maximum number of unprocessed chunks; at more, the reading threads wait
WAITABLE = sys.platform != "win32"  # whether pipes can be polled
LONGEST_LINE = 1 << 16  # bytes; the rest of a longer line is dropped
FLOOD = 16 << 20  # maximum bytes of output between a question and its answer
KEPT_LINES, KEPT_ERRORS, KEPT_WIDTH = 30, 10, 200  # limits of the log
VERBOSE = ("info", "option")
VERBOSE_LOGGED = tuple(f"< {word}" for word in VERBOSE)
DELAY_SECONDS = 3.0  # after which users are told what is awaited
DRAIN_SECONDS = 0.3  # for the output of a dead process to arrive

Expect = Callable[[str], Any]  # returns a value for the awaited line, None for others


def read_pipes(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    """Yield (descriptor, data) when a pipe has data, (descriptor, b"") at the end of a pipe, and None after
    POLL_SECONDS without either. The caller removes pipes that have ended or are no longer wanted from `pipes`; the
    generator ends when `pipes` is empty."""
    return _selected(pipes) if WAITABLE else _from_threads(pipes)


def _selected(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    with selectors.DefaultSelector() as selector:
        for pipe in pipes:
            selector.register(pipe, selectors.EVENT_READ)
        while pipes:
            ready = selector.select(POLL_SECONDS)
            if not ready:
                yield None
            for key, _ in ready:
                yield key.fd, os.read(key.fd, READ_BYTES)
                if key.fd not in pipes:
                    selector.unregister(key.fd)


def _from_threads(pipes: set[int]) -> Iterator[tuple[int, bytes] | None]:
    chunks: queue.Queue[tuple[int, bytes]] = queue.Queue(WAITING_CHUNKS)

    def pump(pipe: int) -> None:
        data = b"-"
        while data and pipe in pipes:
            try:
                data = os.read(pipe, READ_BYTES)
            except OSError:
                data = b""
            while pipe in pipes:
                with contextlib.suppress(queue.Full):
                    chunks.put((pipe, data), timeout=POLL_SECONDS)
                    break

    threads = [threading.Thread(target=pump, args=(pipe,), daemon=True) for pipe in sorted(pipes)]
    for thread in threads:
        thread.start()
    while pipes:
        try:
            yield chunks.get(timeout=POLL_SECONDS)
        except queue.Empty:
            yield None
    for thread in threads:
        thread.join()


def write_pipe(pipe: int, data: bytes, timeout: float) -> None:
    """Write all data to a pipe. It must be non-blocking, except on Windows. Raises TimeoutError if the pipe stays full
    for `timeout` seconds, OSError if nobody can read it any more."""
    if not WAITABLE:
        _write_on_a_thread(pipe, data, timeout)
        return
    left = memoryview(data)
    while left:
        try:
            left = left[os.write(pipe, left) :]
        except BlockingIOError:
            with selectors.DefaultSelector() as selector:
                selector.register(pipe, selectors.EVENT_WRITE)
                if not selector.select(timeout):
                    raise TimeoutError from None


def _write_on_a_thread(pipe: int, data: bytes, timeout: float) -> None:
    failures: list[OSError] = []
    duplicate = os.dup(pipe)  # `pipe` may be closed and its number reused while the thread still writes

    def put() -> None:
        try:
            with open(duplicate, "wb") as stream:
                stream.write(data)
        except OSError as error:
            failures.append(error)

    thread = threading.Thread(target=put, daemon=True)
    thread.start()
    thread.join(timeout)
    if thread.is_alive():
        raise TimeoutError
    if failures:
        raise failures[0]


class NoAnswer(Exception):
    """No answer arrived in time, or the process did not read its input."""


class Ended(Exception):
    """The process has died, or closed its pipes."""


class Flood(Exception):
    """The process writes more than FLOOD bytes without answering."""


@dataclass(frozen=True)
class Reply:
    """The value of an awaited line, and the seconds between the question and the line."""

    value: Any
    seconds: float


class EngineProcess:
    """A running engine process in its own process group. Raises OSError if it cannot be started."""

    def __init__(
        self,
        command: Sequence[str],
        folder: str | None = None,
        environment: Mapping[str, str] | None = None,
        log: str | None = None,
        name: str = "",
    ) -> None:
        """`log` is a file to which all lines of the conversation are appended, with the time and `name`."""
        self._log: TextIO | None = None
        if log:
            self._log = open(log, "a", buffering=1, encoding="utf-8", errors="replace", opener=opener)  # noqa: SIM115
        self._name = name
        self._mark = new_mark()
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env={**os.environ, **(environment or {}), self._mark: "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            **own_group(),
        )
        assert self._process.stdin is not None
        self._input = self._process.stdin.fileno()
        if WAITABLE:
            os.set_blocking(self._input, False)
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._errors: deque[str] = deque(maxlen=KEPT_ERRORS)
        self._expect: Expect | None = None
        self._reply: Any = None
        self._reply_at = 0.0
        self._event = threading.Event()
        self._bytes = 0  # output since the last question
        self._most_bytes = FLOOD
        self._asked = 0.0
        self._last_output = 0.0
        self._ended = self._flooded = self._closing = False
        self._reader = threading.Thread(target=self._read, name=f"engine {self.pid}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The id of the process, and also of its process group."""
        return self._process.pid

    def alive(self) -> bool:
        """Return whether the process runs and its output is open."""
        return not self._ended and not self._closing and self._process.poll() is None

    def log(self) -> list[str]:
        """Return the last lines sent and received, followed by the last lines that the process wrote to standard
        error."""
        return list(self._lines) + list(self._errors)

    def send(self, lines: Sequence[str], timeout: float = 5.0) -> None:
        """Send lines to the process. Raises NoAnswer if it does not read them within `timeout` seconds, Ended if it can
        no longer read."""
        if self._closing:
            raise Ended("the engine process was stopped")
        self._lines.extend(f"> {_cut(line)}" for line in lines)
        self._write_log(">", lines)
        try:
            write_pipe(self._input, ("\n".join(lines) + "\n").encode(), timeout)
        except TimeoutError:
            raise NoAnswer(f"did not read its input for {timeout:g} s") from None
        except OSError:
            raise Ended("no longer reads its input") from None

    def ask(
        self,
        lines: Sequence[str],
        expect: Expect,
        timeout: float,
        since_output: bool = False,
        on_delay: Callable[[], object] | None = None,
    ) -> Reply:
        """Send lines and wait for the line for which `expect` returns a value other than None; `expect` is called on
        the reading thread. Otherwise like `wait`."""
        self.post(lines, expect, max(timeout, 1.0))
        return self.wait(timeout, since_output, on_delay)

    def post(self, lines: Sequence[str], expect: Expect, timeout: float, most_bytes: int = FLOOD) -> None:
        """Send lines without waiting: `wait` then returns the reply. If the process writes more than `most_bytes`
        before the reply, `wait` raises Flood."""
        self._check()
        self._event.clear()
        self._reply, self._bytes, self._most_bytes = None, 0, most_bytes
        self._expect = expect
        self._asked = self._last_output = time.perf_counter()
        try:
            if lines:
                self.send(lines, timeout)
        except (NoAnswer, Ended) as error:
            self._expect = None
            if self._reply is None or isinstance(error, NoAnswer):
                raise

    def wait(self, timeout: float, since_output: bool = False, on_delay: Callable[[], object] | None = None) -> Reply:
        """Return the reply to `post`. Raises NoAnswer `timeout` seconds after `post`, or after the last output if
        `since_output` is set. Raises Ended as soon as the process ends, Flood as soon as it writes too much. `on_delay`
        is called once if there is no reply after DELAY_SECONDS."""
        try:
            died = 0.0
            while True:
                since = max(self._asked, self._last_output) if since_output else self._asked
                left = since + timeout - time.perf_counter()
                if self._event.wait(max(0.0, min(POLL_SECONDS, left))):
                    break
                if on_delay is not None and time.perf_counter() >= self._asked + DELAY_SECONDS:
                    on_delay()
                    on_delay = None
                if left <= 0:
                    raise NoAnswer(f"{'silent for' if since_output else 'no answer within'} {timeout:.3g} s")
                if self._process.poll() is not None:  # a child of the process may keep the output open
                    died = died or time.perf_counter()
                    if time.perf_counter() >= died + DRAIN_SECONDS:
                        raise Ended("ended")
        except Ended:
            if self._reply is None:
                raise
        finally:
            self._expect = None
        if self._reply is None:
            self._check()
        return Reply(self._reply, self._reply_at - self._asked)

    def _check(self) -> None:
        if self._flooded:
            raise Flood(f"wrote more than {self._most_bytes >> 20} MB")
        if self._ended:
            raise Ended("closed its output")

    def exit_text(self, timeout: float = 0.5) -> tuple[int | None, str]:
        """Return (exit code, description of how the process ended). The code is negative if a signal killed the
        process, and None if it still runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(timeout)
            self._reader.join(DRAIN_SECONDS)  # so that the log contains its last output
            if code < 0:
                with contextlib.suppress(ValueError):
                    return code, f"killed by {signal.Signals(-code).name}"
            return code, f"exit code {code}"
        return None, "still running"

    def kill(self) -> None:
        """Kill the process and those that it has started. Any thread may call this."""
        kill_tree(self._process, self._mark)

    def close(self, quit_lines: Sequence[str] = (), timeout: float = 0.0) -> None:
        """End the process and those that it has started: send `quit_lines`, wait `timeout` seconds for its end, then
        kill what still runs."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        known = processes_of(self._process, self._mark) if timeout else set()  # some are found only while it runs
        with contextlib.suppress(NoAnswer, Ended):
            if quit_lines:
                self.send(quit_lines, timeout)
        self._closing = True
        if timeout:
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout)
        # Without a timeout, the input closes after this, because many engines end when it closes.
        kill_tree(self._process, self._mark, known)
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr, self._log):
            if stream is not None:
                stream.close()

    def _write_log(self, mark: str, lines: Sequence[str]) -> None:
        """Append lines to the log file, if there is one. Errors, such as a full disk, are ignored."""
        if self._log is not None and lines:
            head = f"{time.time():.3f} {self._name}({self.pid}) {mark} "
            with contextlib.suppress(OSError, ValueError):
                self._log.write("".join(f"{head}{line}\n" for line in lines))

    def _read(self) -> None:
        """Read standard output and standard error until both have ended. If other processes hold them open, read until
        `close`. Runs on a thread of its own."""
        assert self._process.stdout is not None and self._process.stderr is not None
        output, errors = self._process.stdout.fileno(), self._process.stderr.fileno()
        rests = {output: b"", errors: b""}
        open_pipes = set(rests)
        for chunk in read_pipes(open_pipes):
            if chunk is None:
                if self._closing:
                    break
                continue
            pipe, data = chunk
            now = self._last_output = time.perf_counter()
            *lines, rest = (rests[pipe] + data).split(b"\n")
            if not data and rest:
                lines, rest = [rest], b""
            rests[pipe] = rest[:LONGEST_LINE]
            # Nothing that an engine writes reaches a terminal, a journal or an exception with control characters.
            texts = [printable(line[:LONGEST_LINE].decode(errors="replace").rstrip("\r")) for line in lines]
            if pipe == output:
                self._take(texts, now)
                self._bytes += len(data)
                self._flooded = self._bytes > self._most_bytes
            else:
                self._write_log("!", [_cut(text) for text in texts])
                self._errors.extend(f"! {_cut(text)}" for text in texts[-KEPT_ERRORS:])
            if not data or (self._flooded and pipe == output):
                open_pipes.discard(pipe)  # a flooding process will be killed
                if pipe == output:
                    self._ended = not data
                    self._event.set()

    def _take(self, lines: list[str], now: float) -> None:
        self._write_log("<", lines)
        if (expect := self._expect) is not None:
            for line in lines:
                value = expect(line.strip())
                if value is not None:
                    self._expect, self._reply, self._reply_at = None, value, now
                    self._event.set()
                    break
        for line in lines[-KEPT_LINES:]:
            if line.startswith(VERBOSE) and self._lines and self._lines[-1].startswith(VERBOSE_LOGGED):
                self._lines.pop()  # of consecutive info lines, keep only the last
            self._lines.append(f"< {_cut(line)}")


def _cut(line: str) -> str:
    """Return a line for the log. If it is long, its middle is left out."""
    return line if len(line) <= KEPT_WIDTH else f"{line[: KEPT_WIDTH - 60]} ... {line[-55:]}"
