"""One `go`: the search, and the single `bestmove` that answers it whatever happens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kogoma.search.limits import DECLARATION
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.options import NEVER_RESIGN
from kogoma.usi_engine.output import Output
from kogoma.usi_engine.strength import Handicap
from kogoma.usi_engine.task import Task, report_failure

if TYPE_CHECKING:
    from kogoma.search.searcher import Result, Search


class Thinking(Task):
    """A search that is ready to be run, and what a GUI is told of it."""

    def __init__(
        self,
        output: Output,
        search: Search,
        reporter: Reporter,
        resign_value: int,
        fallback: str | None,
        handicap: Handicap | None = None,
        caveat: str = "",
    ) -> None:
        """`resign_value` in centipawns (NEVER_RESIGN: never); `fallback` answers where the search fails: a legal move,
        or without any DECLARATION where that has won, None where it has lost; `handicap` chooses among the lines of a
        search that is to play weakly; `caveat` is said before the answer."""
        super().__init__(output)
        self.search, self._reporter = search, reporter
        self._resign_value, self._fallback = resign_value, fallback
        self._handicap, self._caveat = handicap, caveat

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
        answer = f"bestmove {best} ponder {ponder}" if ponder else f"bestmove {best}"
        return [f"info string {self._caveat}", answer] if self._caveat else [answer]

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
