"""Work that goes on while commands are read: at most one task at a time, each on a thread of its own. For a `go` or
`go mate` that is the search, and the single `bestmove` or `checkmate` that answers it whatever happens."""

from __future__ import annotations

import sys
import threading
import traceback
from typing import TYPE_CHECKING

from kogoma.search.levels import LimitedPlayer
from kogoma.search.limits import DECLARATION
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.options import NEVER_RESIGN
from kogoma.usi_engine.output import Output

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.mate.solver import MateAnswer, MateLimits, MateProgress, MateSolver
    from kogoma.search.searcher import Result, Search


class Task:
    """One piece of work; subclasses do it in `work`."""

    def __init__(self, output: Output, caveat: str = "") -> None:
        """`caveat` is to be said before an answer, by the lines `self.caveat`."""
        self.output = output
        self.caveat = [f"info string {caveat}"] if caveat else []
        self.stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ended = False

    def work(self) -> list[str]:
        """Do it; returns the last lines to send."""
        raise NotImplementedError

    def stop(self) -> None:
        """Ask it to come to its end at once. From any thread, at any time."""
        self.stopped.set()

    @property
    def ended(self) -> bool:
        """True from the moment its last line has been sent, so that whoever has read that line can go on at once."""
        with self.output.lock:
            return self._ended

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for its end, or for so many seconds."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            lines = self.work()
        except Exception as failure:  # a bug ends the command, not the engine
            report_failure(self.output, failure)
            lines = []
        with self.output.lock:
            for line in lines:
                self.output.line(line)
            self._ended = True


def report_failure(output: Output, failure: Exception) -> None:
    """An error that nobody foresaw: one line for the GUI, the whole story for standard error."""
    output.error(f"internal: {type(failure).__name__}: {failure}")
    print("".join(traceback.format_exception(failure)), file=sys.stderr, flush=True)


class Thinking(Task):
    """A search that is ready to be run, and what a GUI is told of it."""

    def __init__(
        self,
        output: Output,
        search: Search,
        reporter: Reporter,
        resign_value: int,
        fallback: str | None,
        handicap: LimitedPlayer | None = None,
        caveat: str = "",
    ) -> None:
        """`resign_value` in centipawns (NEVER_RESIGN: never); `fallback` answers where the search fails: a legal move,
        or without any DECLARATION where that has won, None where it has lost; `handicap` chooses among the lines of a
        search that is to play weakly; `caveat` is said before the answer."""
        super().__init__(output, caveat)
        self.search, self._reporter = search, reporter
        self._resign_value, self._fallback = resign_value, fallback
        self._handicap = handicap

    def work(self) -> list[str]:
        """Search, wait until an answer is wanted, and answer."""
        try:
            result = self.search.run(self._reporter.report)
            self._reporter.finish(result)
            best, ponder = self._answer(result)
        except Exception as failure:  # whatever it is, a GUI waits for a move
            report_failure(self.output, failure)
            best, ponder = self._fallback or "resign", None
        self.search.wait()
        return [*self.caveat, f"bestmove {best} ponder {ponder}" if ponder else f"bestmove {best}"]

    def stop(self) -> None:
        """`stop`: answer at once."""
        super().stop()
        self.search.stop()

    def _answer(self, result: Result) -> tuple[str, str | None]:
        if result.best is None and self._fallback != DECLARATION:
            self.output.line("info depth 0 score mate -0")
            return "resign", None
        if result.best is None:
            from kogoma.search.thread import RULE_WIN

            self.output.line(f"info depth 0 score cp {RULE_WIN}")
            return DECLARATION, None
        if result.best == DECLARATION:
            self.output.line(f"info depth 0 score cp {result.score}")
            return DECLARATION, None
        hopeless = self._resign_value < NEVER_RESIGN and self._reporter.stays_below(-self._resign_value)
        if hopeless and not self.search.is_infinite:
            return "resign", None
        if self._handicap is not None and (lines := self._reporter.lines()):
            moves = self._handicap.choose(lines).moves
            return moves[0], moves[1] if len(moves) > 1 else None
        return result.best, result.ponder


class Solving(Task):
    """A position that may have a mate, and what a GUI is told of it."""

    def __init__(
        self,
        output: Output,
        solver: MateSolver,
        position: BasePosition,
        limits: MateLimits,
        started: float,
        caveat: str = "",
    ) -> None:
        """`started` is the time.perf_counter() from which the clock counts; `caveat` is said before the answer."""
        super().__init__(output, caveat.replace("bestmove", "answer"))
        self._solver, self._position, self._limits, self._started = solver, position.copy(), limits, started

    def work(self) -> list[str]:
        """Solve it, and answer."""
        try:
            answer = self._solver.solve(self._position, self._limits, self._report, self._started)
        except Exception as failure:  # whatever it is, a GUI waits for an answer
            report_failure(self.output, failure)
            return [*self.caveat, "checkmate timeout"]
        return [*self.caveat, *answer_lines(answer)]

    def stop(self) -> None:
        """`stop`: answer at once."""
        super().stop()
        self._solver.stop()

    def _report(self, progress: MateProgress) -> None:
        self.output.line(
            f"info depth {progress.depth} nodes {progress.nodes} nps {progress.nps} hashfull {progress.hashfull} "
            f"time {progress.time_ms}"
        )


def answer_lines(answer: MateAnswer) -> list[str]:
    """The last lines: for a mate its score, moves and what is known of it."""
    if not answer.moves:
        return [f"checkmate {answer.verdict}"]
    line = " ".join(answer.moves)
    about = "the shortest" if answer.is_shortest else "there may be a shorter one"
    return [
        f"info depth {answer.plies} score mate {answer.plies} nodes {answer.nodes} time {answer.time_ms} pv {line}",
        f"info string mate within {answer.plies} plies, {about}{useless_words(answer)}",
        f"checkmate {line}",
    ]


def useless_words(answer: MateAnswer) -> str:
    """What is said of useless interpositions at the end of a solution."""
    return f"; the last {answer.useless} only answer useless interpositions" if answer.useless else ""
