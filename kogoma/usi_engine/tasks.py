"""Tasks that run while the engine reads commands: at most one at a time, each on its own thread.

For `go` and `go mate` a task is the search and its one answer, `bestmove` or `checkmate`, even if the search fails.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
from collections.abc import Iterable
from typing import TYPE_CHECKING

from kogoma.arena.codingame.time_margin import processor_waits
from kogoma.output_file import shortage
from kogoma.search.answers import DECLARATION
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.settings import NEVER_RESIGN

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.mate.solver import MateAnswer, MateLimits, MateProgress, MateSolver
    from kogoma.search.search import Result, Search
    from kogoma.search.tablebase.root import Values
    from kogoma.usi_engine.loading import Build
    from kogoma.usi_engine.network_delay import MeasuredDelay


INCONCLUSIVE = "checkmate timeout"  # the answer to `go mate` if it is not known whether there is a mate


class Task:
    """The base class of tasks; subclasses implement `work`. `if_failed` are the last lines to send if it fails."""

    if_failed: tuple[str, ...] = ()

    def __init__(self, output: Output, caveat: str = "") -> None:
        """`caveat` is a note to send before the answer, or ""."""
        self.output, self.caveat = output, caveat
        self.stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ended = False

    def work(self) -> list[str]:
        """Do the work of the task, and return the last lines to send."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ask the task to end at once. Thread-safe."""
        self.stopped.set()

    @property
    def ended(self) -> bool:
        """Whether the task has ended and has sent its last line."""
        with self.output.lock:
            return self._ended

    def start(self) -> None:
        """Start the task's thread."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the task ends, for at most `seconds` (None: without limit). Return whether it has ended."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            lines: Iterable[str] = self.work()
        except Exception as failure:  # a bug must not end the engine
            report_failure(self.output, failure)
            lines = self.if_failed
        with self.output.lock:
            self.output.block(lines, self.caveat)
            self._ended = True


def report_failure(output: Output, failure: Exception) -> None:
    """Report an unexpected error: one line to the GUI, the traceback to standard error. If memory is too short, there
    is only the line."""
    if text := shortage(failure):
        output.error(text)
        return
    output.error(f"internal: {type(failure).__name__}: {failure}")
    print("".join(traceback.format_exception(failure)), file=sys.stderr, flush=True)


def bestmove(best: str, ponder: str | None) -> str:
    """Return the line that answers `go`. `ponder` is the expected reply; None or "" if it is not known."""
    return f"bestmove {best} ponder {ponder}" if ponder else f"bestmove {best}"


class Thinking(Task):
    """A search and its `bestmove`."""

    def __init__(
        self,
        output: Output,
        search: Search,
        reporter: Reporter,
        resign_value: int,
        fallback: str | None,
        delay: MeasuredDelay,
        caveat: str = "",
    ) -> None:
        """`resign_value` is in centipawns; NEVER_RESIGN means never. `fallback` is the answer if the search fails: a
        legal move or, if there is none, DECLARATION for a win and None for a loss. `delay` takes how late the answer
        is. `caveat` is sent before the answer."""
        super().__init__(output, caveat)
        self.search, self._reporter = search, reporter
        self._resign_value, self._fallback, self._delay = resign_value, fallback, delay

    def work(self) -> list[str]:
        """Search, and return the lines of the answer. After an infinite or pondering search, first wait for `stop` or
        `ponderhit`."""
        try:
            result = self.search.run(self._reporter.report)
            self._reporter.finish(result)
            best, ponder = self._answer(result)
            if self.search.latest is not None and not self.stopped.is_set():
                elapsed = (time.perf_counter() - self.search.started) * 1000
                self._delay.note(elapsed - self.search.latest, processor_waits())
        except Exception as failure:  # the GUI waits for a move in any case
            report_failure(self.output, failure)
            best, ponder = self._fallback or "resign", None
        self.search.wait()
        return [bestmove(best, ponder)]

    def stop(self) -> None:
        """End the search, so that the answer is sent at once."""
        super().stop()
        self.search.stop()

    def _answer(self, result: Result) -> tuple[str, str | None]:
        if result.best is None and self._fallback != DECLARATION:
            self.output.line("info depth 0 score mate -0")
            return "resign", None
        if result.best in (None, DECLARATION):
            from kogoma.search.thread import RULE_WIN

            self.output.line(f"info depth 0 score cp {RULE_WIN}")
            return DECLARATION, None
        hopeless = self._resign_value < NEVER_RESIGN and self._reporter.stays_below(-self._resign_value)
        if hopeless and not self.search.is_infinite:
            return "resign", None
        return result.best, result.ponder


class Solving(Task):
    """A mate search and its `checkmate`."""

    if_failed = (INCONCLUSIVE,)

    def __init__(
        self,
        output: Output,
        solver: MateSolver,
        build: Build | None,
        position: BasePosition,
        limits: MateLimits,
        started: float,
        tablebase: Values | None,
    ) -> None:
        """`build` is the build to wait for if the solver is not compiled yet. `started` is the value of
        time.perf_counter() from which the time limit counts. `tablebase` is asked first, if there is one."""
        super().__init__(output)
        self._tablebase = tablebase
        self._build = build
        self._solver, self._position, self._limits, self._started = solver, position.copy(), limits, started

    def work(self) -> list[str]:
        """Solve the position, and return the lines of the answer."""
        if self._tablebase is not None and (known := self._known(self._tablebase)) is not None:
            return answer_lines(known)
        if self._build is not None and not self._is_built(self._build):
            return [INCONCLUSIVE]
        return answer_lines(self._solver.solve(self._position, self._limits, self._report, self._started))

    def _known(self, tablebase: Values) -> MateAnswer | None:
        """Return the answer of a tablebase, which counts to the end of the game, or None if it does not know the
        position."""
        from kogoma.search.mate.solver import MATE, NO_MATE, MateAnswer
        from kogoma.search.tablebase.root import known_win

        moves = known_win(tablebase, self._position, self._position.variant.max_plies)
        if moves is None:
            return None
        ms = max(round((time.perf_counter() - self._started) * 1000), 0)
        return MateAnswer(MATE if moves else NO_MATE, moves, len(moves), is_shortest=True, time_ms=ms)

    def _is_built(self, build: Build) -> bool:
        """Wait until the solver is compiled, the time limit is reached, or `stop` is called. Return whether the solver
        is compiled."""
        self.output.note("the mate solver is still being compiled")
        limit = self._limits.milliseconds
        if not build.wait(self.stopped, None if limit is None else self._started + limit / 1000):
            return False
        if build.failure is not None:
            self.output.error(f"the mate solver cannot be compiled: {build.failure}")
        return build.failure is None

    def stop(self) -> None:
        """End the mate search, so that the answer is sent at once."""
        super().stop()
        self._solver.stop()

    def _report(self, progress: MateProgress) -> None:
        self.output.line(
            f"info depth {progress.depth} nodes {progress.nodes} nps {progress.nps} hashfull {progress.hashfull} "
            f"time {progress.time_ms}"
        )


def answer_lines(answer: MateAnswer) -> list[str]:
    """Return the lines that answer `go mate`. For a mate, these are its score, a note on its length, and its moves."""
    if not answer.moves:
        return [f"checkmate {answer.verdict}"]
    line = " ".join(answer.moves)
    about = ", the shortest mate" if answer.is_shortest else "; there may be a shorter mate"
    return [
        f"info depth {answer.plies} score mate {answer.plies} nodes {answer.nodes} time {answer.time_ms} pv {line}",
        f"info string mate in {answer.plies} plies{about}{useless_words(answer)}",
        f"checkmate {line}",
    ]


def useless_words(answer: MateAnswer) -> str:
    """Return a note for a solution that ends with useless interpositions, or "" for other solutions."""
    return f"; the last {answer.useless} moves are useless interpositions and their captures" if answer.useless else ""
