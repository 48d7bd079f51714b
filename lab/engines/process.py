"""An engine's process: lines in, lines out, and whatever it does, no harm to the lab.

One thread reads both of its outputs, so that an engine never waits for the lab; what nobody has asked for is counted
and forgotten. Only for systems with process groups (Linux, macOS, other Unix).
"""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

CHUNK = 1 << 16  # bytes read at once
LONGEST_LINE = 1 << 16  # bytes; the rest of a longer line is dropped
FLOOD = 16 << 20  # bytes of output to one question that no engine needs
KEPT_LINES, KEPT_ERRORS, KEPT_WIDTH = 30, 10, 200  # of the log
WORDY = (b"info", b"option")
WORDY_LOGGED = tuple(f"< {word.decode()}" for word in WORDY)
GLANCE = 0.25  # seconds between two looks at whether a silent process lives
LAST_WORDS = 0.3  # seconds in which the output of a dead process has to arrive

Match = Callable[[str], Any]  # from a line to what was waited for, or None


class Silence(Exception):
    """Nothing that was waited for came in time, or the process did not read what it was sent."""


class Ended(Exception):
    """The process has died, or closed its pipes."""


class Flood(Exception):
    """The process writes more than anyone can want to read."""


@dataclass(frozen=True)
class Heard:
    """What a line was matched to, and how many seconds after the question it was read."""

    value: Any
    seconds: float


class EngineProcess:
    """A running engine, in a session of its own. OSError if it can't be started."""

    def __init__(self, command: Sequence[str], folder: str | None = None) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            start_new_session=True,
        )
        assert self._process.stdin is not None
        self._input = self._process.stdin.fileno()
        os.set_blocking(self._input, False)
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._errors: deque[str] = deque(maxlen=KEPT_ERRORS)
        self._match: Match | None = None
        self._heard: Any = None
        self._heard_at = 0.0
        self._event = threading.Event()
        self._bytes = 0  # of output since the last question
        self._last_output = 0.0
        self._ended = self._flooded = self._closing = False
        self._reader = threading.Thread(target=self._read, name=f"engine {self.pid}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process's number, which is also its group's."""
        return self._process.pid

    def alive(self) -> bool:
        """True while the process runs and its output is open."""
        return not self._ended and not self._closing and self._process.poll() is None

    def log(self) -> list[str]:
        """The last lines of the conversation, and then the last ones of standard error."""
        return list(self._lines) + list(self._errors)

    def send(self, lines: Sequence[str], patience: float = 5.0) -> None:
        """Send lines. Silence if they are not read for `patience` seconds, Ended if nobody can read them any more."""
        if self._closing:
            raise Ended("has been ended")
        self._lines.extend(f"> {_cut(line)}" for line in lines)
        data = memoryview(("\n".join(lines) + "\n").encode())
        while data:
            try:
                data = data[os.write(self._input, data) :]
            except BlockingIOError:
                with selectors.DefaultSelector() as selector:
                    selector.register(self._input, selectors.EVENT_WRITE)
                    if not selector.select(patience):
                        raise Silence(f"did not read its input for {patience:g} s") from None
            except OSError:
                raise Ended("no longer reads its input") from None

    def ask(self, lines: Sequence[str], match: Match, timeout: float, patient: bool = False) -> Heard:
        """Send lines and wait until `match` makes something of one of the answer's.

        `match` runs on the reading thread. Silence after `timeout` seconds; if `patient`, after so long without any
        output. Ended and Flood as soon as they are seen.
        """
        self._check()
        self._event.clear()
        self._heard, self._bytes = None, 0
        self._match = match
        asked = self._last_output = time.perf_counter()
        try:
            if lines:
                self.send(lines, max(timeout, 1.0))
            died = 0.0
            while True:
                since = max(asked, self._last_output) if patient else asked
                left = since + timeout - time.perf_counter()
                if self._event.wait(max(0.0, min(GLANCE, left))):
                    break
                if left <= 0:
                    raise Silence(f"no answer within {timeout:.3g} s" if not patient else f"silent for {timeout:.3g} s")
                if self._process.poll() is not None:  # a child of it may still hold the pipe open
                    died = died or time.perf_counter()
                    if time.perf_counter() >= died + LAST_WORDS:
                        raise Ended("ended")
        except Ended:
            if self._heard is None:
                raise
        finally:
            self._match = None
        if self._heard is None:
            self._check()
        return Heard(self._heard, self._heard_at - asked)

    def _check(self) -> None:
        if self._flooded:
            raise Flood(f"wrote more than {FLOOD >> 20} MB")
        if self._ended:
            raise Ended("closed its output")

    def exit_text(self, patience: float = 0.5) -> tuple[int | None, str]:
        """How the process ended: its exit code (negative: a signal), or None if it still runs; and that in words."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            code = self._process.wait(patience)
            if code < 0:
                with contextlib.suppress(ValueError):
                    return code, f"killed by {signal.Signals(-code).name}"
            return code, f"exit code {code}"
        return None, "still running"

    def close(self, farewell: Sequence[str] = (), patience: float = 0.0) -> None:
        """End the process and all of its group: with a farewell and `patience` seconds to go by itself, or at once."""
        if self._process.stdin is None or self._process.stdin.closed:
            return
        with contextlib.suppress(Silence, Ended):
            if farewell:
                self.send(farewell, patience)
        self._closing = True
        self._process.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            if patience:
                self._process.wait(patience)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait()
        self._reader.join()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _read(self) -> None:
        """The reading thread: until both outputs have ended, or the process is closed while others hold them open."""
        assert self._process.stdout is not None and self._process.stderr is not None
        output, errors = self._process.stdout.fileno(), self._process.stderr.fileno()
        rests = {output: b"", errors: b""}
        with selectors.DefaultSelector() as selector:
            for pipe in rests:
                selector.register(pipe, selectors.EVENT_READ)
            while rests:
                ready = selector.select(GLANCE)
                if self._closing and not ready:
                    break
                for key, _ in ready:
                    data = os.read(key.fd, CHUNK)
                    now = self._last_output = time.perf_counter()
                    *lines, rest = (rests[key.fd] + data).split(b"\n")
                    if not data and rest:
                        lines, rest = [rest], b""
                    rests[key.fd] = rest[:LONGEST_LINE]
                    if key.fd == output:
                        self._take(lines, now)
                        self._bytes += len(data)
                        self._flooded = self._bytes > FLOOD
                    else:
                        self._errors.extend(f"! {_text(line)}" for line in lines[-KEPT_ERRORS:])
                    if not data or (self._flooded and key.fd == output):
                        # Whoever floods us waits from now on: it is going to be killed.
                        selector.unregister(key.fd)
                        del rests[key.fd]
                        if key.fd == output:
                            self._ended = not data
                            self._event.set()

    def _take(self, lines: list[bytes], now: float) -> None:
        if (match := self._match) is not None:
            for line in lines:
                value = match(line[:LONGEST_LINE].decode(errors="replace").strip())
                if value is not None:
                    self._match, self._heard, self._heard_at = None, value, now
                    self._event.set()
                    break
        for line in lines[-KEPT_LINES:]:
            if line.startswith(WORDY) and self._lines and self._lines[-1].startswith(WORDY_LOGGED):
                self._lines.pop()  # of many such lines in a row the last one is kept
            self._lines.append(f"< {_text(line)}")


def _text(line: bytes) -> str:
    return _cut(line[:LONGEST_LINE].decode(errors="replace").rstrip("\r"))


def _cut(line: str) -> str:
    """A line for the log; of a long one its beginning and its end."""
    return line if len(line) <= KEPT_WIDTH else f"{line[: KEPT_WIDTH - 60]} ... {line[-55:]}"
