"""One `go`: the search, and the single `bestmove` that answers it whatever happens."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from search.time import DECLARATION, Limits
from usi_engine.info import Reporter
from usi_engine.options import NEVER_RESIGN
from usi_engine.output import Output
from usi_engine.task import Task, report_failure

if TYPE_CHECKING:
    from rules.position import BasePosition
    from search.searcher import Result, Searcher, SearchOptions


class Thinking(Task):
    """A search of `position`, which it keeps to itself."""

    def __init__(
        self,
        output: Output,
        searcher: Searcher,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions,
        resign_value: int,
        started: float,
    ) -> None:
        """`resign_value` in centipawns (NEVER_RESIGN: never); `started`: when `go` was read (time.perf_counter)."""
        super().__init__(output)
        self.pondering = limits.ponder
        self._searcher, self._position, self._limits, self._options = searcher, position, limits, options
        self._resign_value = resign_value
        self._started = started
        self._reporter = Reporter(output, options.multipv, started)
        # Set once the answer may be sent, which a search that ponders or is infinite must not do by itself.
        self._released = threading.Event()
        if not (limits.infinite or limits.ponder):
            self._released.set()

    def work(self) -> list[str]:
        """Search, wait until an answer is wanted, and answer."""
        from rules.dice.die import playable

        legal = playable(self._position, self._limits.dice)
        best, ponder = self._choose(legal) if legal else self._no_move()
        self._released.wait()
        return [f"bestmove {best} ponder {ponder}" if ponder else f"bestmove {best}"]

    def stop(self) -> None:
        """`stop`: answer at once."""
        super().stop()
        self.pondering = False
        self._searcher.stop()
        self._released.set()

    def ponder_hit(self) -> None:
        """`ponderhit`: the opponent played the expected move, so the clock runs from now."""
        self.pondering = False
        self._searcher.ponderhit()
        if not self._limits.infinite:
            self._released.set()

    def _choose(self, legal: list[str]) -> tuple[str, str | None]:
        result = self._search()
        if result is not None and result.best == DECLARATION:
            self.output.line(f"info depth 0 score cp {result.score}")
            return DECLARATION, None
        if result is None or result.best not in legal:
            if result is not None:
                self.output.error(f"internal: the search chose {result.best}, which is not legal: playing another move")
            return (self._limits.searchmoves or legal)[0], None
        hopeless = self._resign_value < NEVER_RESIGN and self._reporter.stays_below(-self._resign_value)
        if hopeless and not self._limits.infinite:
            return "resign", None
        return result.best, result.ponder

    def _no_move(self) -> tuple[str, None]:
        self.output.line("info depth 0 score mate -0")
        return "resign", None

    def _search(self) -> Result | None:
        try:
            result = self._searcher.search(
                self._position, self._limits, self._options, self._reporter.report, self._started
            )
            self._reporter.finish(result)
            return result
        except Exception as failure:
            report_failure(self.output, failure)
            return None
