"""A USI client for the tests, which talks to an engine process as a GUI would."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
# KOGOMA_TEST_ENGINE is the command of an installed engine that is tested instead of the checkout.
ENGINE = tuple(shlex.split(os.environ.get("KOGOMA_TEST_ENGINE", ""))) or (sys.executable, "-m", "kogoma")

# No answer takes this long. With this limit, an engine that hangs makes a test fail, but does not block the tests.
PATIENCE = 60.0  # seconds

SFEN = re.compile(r"(?:\+?[A-Za-z]|[0-9]|/)+ [bw] (?:-|[0-9A-Za-z]+) [0-9]+")


class Received(NamedTuple):
    """A line from the engine, and the time (time.perf_counter) at which it arrived. At the end of the output, `text` is
    None."""

    text: str | None
    at: float


@contextlib.contextmanager
def default_interrupt() -> Iterator[None]:
    """Make SIGINT end all processes that are started within this context. The tests ignore SIGINT if they were started
    by `nohup`, by cron, or with `&` in a script, and new processes would then ignore it, too. The Python handler that
    is set here prevents this: new processes do not inherit the handler, but start with the default action for
    SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def processor_time(pid: int) -> float:
    """Return the processor time in seconds that all threads of a running process have used, or 0 on systems other than
    Linux."""
    # Linux identifies the processor-time clock of a process by this number.
    return time.clock_gettime(~pid << 3 | 2) if sys.platform == "linux" else 0.0


class Cost(NamedTuple):
    """The cost of an answer in seconds: elapsed time, and processor time of the engine's process.

    A busy machine makes the elapsed time longer, but not the processor time. Use `worked` for upper limits and
    `elapsed` for lower limits.
    """

    elapsed: float
    worked: float


def until(true: Callable[[], object], seconds: float = PATIENCE, process: subprocess.Popen[str] | None = None) -> None:
    """Wait until `true()` returns a true value. Raise AssertionError if this takes longer than `seconds`, or if
    `process` has ended."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "the condition did not become true in time"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.01)


class UsiClient:
    """A client of a new engine process. The process ends when the `with` block ends.

    The default variant is minishogi, because its games are short. `variant` names another variant. If `variant` is
    None, the engine keeps its own default variant.
    """

    def __init__(
        self, command: Sequence[str] = ENGINE, env: Mapping[str, str] | None = None, variant: str | None = "minishogi"
    ) -> None:
        self.process = subprocess.Popen(
            list(command),
            cwd=ROOT,
            env={**os.environ, **(env or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self._received: queue.SimpleQueue[Received] = queue.SimpleQueue()
        self._errors: list[bytes] = []
        self._threads = [threading.Thread(target=self._read_output), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()
        if variant is not None:
            self.send(f"setoption name USI_Variant value {variant}")

    def __enter__(self) -> UsiClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def send(self, *lines: str | bytes) -> None:
        """Send lines to the engine. A line of type `bytes` is sent unchanged, followed by a newline."""
        assert self.process.stdin is not None
        data = b"".join((line.encode() if isinstance(line, str) else line) + b"\n" for line in lines)
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self, timeout: float = PATIENCE) -> Received:
        """Return the engine's next line. Raise TimeoutError if no line arrives within `timeout` seconds."""
        try:
            return self._received.get(timeout=timeout)
        except queue.Empty:
            raise TimeoutError(
                f"the engine sent no line within {timeout} s; standard error: {self.errors()!r}"
            ) from None

    def read_until(self, start: str, timeout: float = PATIENCE) -> list[str]:
        """Return the lines up to and including the first that begins with `start`. Raise EOFError if the process ends
        before that line."""
        lines: list[str] = []
        end = time.perf_counter() + timeout
        while True:
            text = self.read(max(end - time.perf_counter(), 0.01)).text
            if text is None:
                said = f"{lines[-5:]}; standard error: {self.errors()!r}"
                raise EOFError(f"the engine ended before it sent a line with {start!r}: {said}")
            lines.append(text)
            if text.startswith(start):
                return lines

    def ready(self) -> UsiClient:
        """Wait until the engine is ready, and return the client."""
        self.send("isready")
        self.read_until("readyok", 300)
        return self

    def answer(self, *lines: str | bytes) -> list[str]:
        """Send lines and `isready`, and return all lines that come before `readyok`."""
        self.send(*lines, "isready")
        return self.read_until("readyok")[:-1]

    def errors_for(self, *lines: str | bytes) -> list[str]:
        """Send lines, and return the engine's error messages. Assert that the engine answers with nothing else."""
        answer = self.answer(*lines)
        assert all(line.startswith("info string error: ") for line in answer), answer
        return answer

    def go(self, *words: str | int, timeout: float = PATIENCE) -> tuple[list[str], str]:
        """Send `go` with these words, and return the info lines and the best move."""
        self.send("go " + " ".join(map(str, words)))
        lines = self.read_until("bestmove ", timeout)
        return lines[:-1], lines[-1].split()[1]

    def cost(self, *lines: str | bytes, answer: str = "bestmove ") -> tuple[Cost, str]:
        """Send lines, and wait until the engine writes a line that begins with `answer`. Return the cost of this
        answer, and the line."""
        began, worked = time.perf_counter(), self.worked()
        self.send(*lines)
        while (received := self.read()).text is None or not received.text.startswith(answer):
            assert received.text is not None, f"the engine ended before {answer!r}: {self.errors()!r}"
        return Cost(received.at - began, self.worked() - worked), received.text

    def sfen(self) -> str:
        """Return the SFEN of the engine's position."""
        found = SFEN.search("\n".join(self.answer("d")))
        assert found is not None
        return found.group()

    def is_silent(self, seconds: float) -> bool:
        """Return whether the engine writes no line for `seconds` seconds."""
        try:
            self.read(seconds)
        except TimeoutError:
            return True
        return False

    def errors(self) -> str:
        """Return the text that the engine has written to standard error so far."""
        return b"".join(self._errors).decode(errors="replace")

    def resident(self) -> int:
        """Return the engine's resident memory in bytes (only on Linux)."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) * 1024

    def worked(self) -> float:
        """Return the processor time in seconds that the engine has used so far. On systems other than Linux, return
        0."""
        return processor_time(self.process.pid)

    def quit(self, timeout: float = PATIENCE) -> int:
        """Send `quit` and return the exit code."""
        self.send("quit")
        return self.process.wait(timeout)

    def close(self) -> None:
        """End the engine process and any compilers that it has started."""
        self._signal(signal.SIGTERM)  # lets a process under coverage write its data
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2)
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        self.process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):  # there was unsent input
                stream.close()

    def _signal(self, number: int) -> None:
        """Send a signal to the engine and all processes that it has started."""
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)
        elif self.process.poll() is None:
            self.process.kill()

    def _read_output(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._received.put(Received(line.decode("ascii").removesuffix("\n"), time.perf_counter()))
        self._received.put(Received(None, time.perf_counter()))

    def _read_errors(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors.append(line)


def info_fields(line: str) -> dict[str, str]:
    """Return the fields of an info line: depth, seldepth, multipv, cp or mate, bound, nodes, nps, hashfull, time,
    pv."""
    words, fields = line.split(), {}
    assert words[0] == "info", line
    position = 1
    while position < len(words):
        name = words[position]
        if name == "score":
            position += 1
        elif name in ("lowerbound", "upperbound"):
            fields["bound"] = name
            position += 1
        elif name == "pv":
            fields["pv"] = " ".join(words[position + 1 :])
            break
        else:
            fields[name] = words[position + 1]
            position += 2
    return fields
