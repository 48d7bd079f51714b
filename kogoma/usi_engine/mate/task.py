"""One `go mate`: the solver, and the single `checkmate` that answers it whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kogoma.usi_engine.output import Output
from kogoma.usi_engine.task import Task, report_failure

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.mate.solver import MateAnswer, MateLimits, MateProgress, MateSolver


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
        super().__init__(output)
        self._solver, self._position, self._limits, self._started = solver, position.copy(), limits, started
        self._caveat = caveat.replace("bestmove", "answer")

    def work(self) -> list[str]:
        """Solve it, and answer."""
        said = [f"info string {self._caveat}"] if self._caveat else []
        try:
            answer = self._solver.solve(self._position, self._limits, self._report, self._started)
        except Exception as failure:
            report_failure(self.output, failure)
            return [*said, "checkmate timeout"]
        return [*said, *answer_lines(answer)]

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
