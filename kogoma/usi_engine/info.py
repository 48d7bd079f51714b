"""`info` lines: their text, and how often they are sent to the GUI."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from kogoma.usi_engine.output import Output

if TYPE_CHECKING:
    from kogoma.search.search import Info, Result

# So many lines are shown at once; then one more for each REFILL seconds. (The first depths take microseconds each.)
BURST, REFILL = 20, 0.01

# Some clients have line buffers of 1024 bytes.
LONGEST_PV = 100


def score_text(kind: str, score: int) -> str:
    """Return a score as USI text: `cp 35`, `mate 5` (plies), `mate -0` if the side to move is mated."""
    return f"{kind} -0" if kind == "mate" and score == 0 else f"{kind} {score}"


def info_line(info: Info, with_multipv: bool) -> str:
    """Return an `info` line with its fields in the usual order. If `with_multipv` is true, it has the field
    `multipv`."""
    words = [f"info depth {info.depth} seldepth {info.seldepth}"]
    if with_multipv:
        words.append(f"multipv {info.multipv}")
    words.append(f"score {score_text(info.score_kind, info.score)}")
    if info.bound:
        words.append(info.bound)
    words.append(f"nodes {info.nodes} nps {info.nps} hashfull {info.hashfull} time {info.time_ms}")
    if info.tbhits:
        words.append(f"tbhits {info.tbhits}")
    if info.pv:
        words.append("pv " + " ".join(info.pv[:LONGEST_PV]))
    return " ".join(words)


def last_info(info: Info, result: Result) -> Info:
    """Return the report to send when a search ends. `info` is the last report on the best line with an exact score (not
    a bound). It is returned unchanged if its first move is the best move of `result`. Otherwise the last iteration was
    stopped after it had found a better move, and the report is about that move."""
    if result.best is None or info.pv[:1] == [result.best]:
        return info
    pv = [move for move in (result.best, result.ponder) if move]
    return replace(info, pv=pv, depth=result.depth, score_kind=result.score_kind, score=result.score)


class Reporter:
    """Sends the progress reports of a search: every depth and bound, unless they come too fast to read."""

    def __init__(
        self, output: Output, multipv: int, started: float, interval: float = 0.0, with_bounds: bool = True
    ) -> None:
        """`started` is the value of time.perf_counter() when `go` was read. Lines are at least `interval` seconds
        apart, except the last. `with_bounds` says whether scores that are bounds are shown."""
        self._output = output
        self._with_multipv = multipv > 1
        self._started = started
        self._interval, self._with_bounds = interval, with_bounds
        self._shown_at = started
        self._lines_left = float(BURST)
        self._refilled_at = started
        self._show_group = True
        self._latest: dict[int, Info] = {}  # the last report with an exact score, by MultiPV number
        self._shown: dict[int, Info] = {}
        self._scores: list[float] = []

    def report(self, info: Info) -> None:
        """Handle one progress report of the search. Show it, unless it is an unwanted bound or the last one was shown
        too recently. Called on the search's thread."""
        if info.bound and (self._with_multipv or not self._with_bounds):
            return  # with several lines, only exact scores can be compared
        if info.multipv == 1:
            self._show_group = self._may_show()
        if not info.bound:
            self._latest[info.multipv] = info
            if info.multipv == 1:
                self._scores.append(_as_number(info.score_kind, info.score))
        if self._show_group:
            self._show(info)

    def finish(self, result: Result) -> None:
        """For each MultiPV number, send the last `info` line with an exact score (not a bound) again, now with the
        final node count. Send nothing if these lines were just shown."""
        first = self._latest.get(1)
        if first is None:
            return  # the first depth was not finished
        self._latest[1] = last_info(first, result)
        if self._latest == self._shown and max(info.nodes for info in self._latest.values()) == result.nodes:
            return
        ms = max(1, round((time.perf_counter() - self._started) * 1000))
        nps = result.nodes * 1000 // ms
        for _, info in sorted(self._latest.items()):
            self._show(replace(info, nodes=result.nodes, nps=nps, time_ms=ms))

    def stays_below(self, value: int) -> bool:
        """Return whether the scores of the last two depths (or of the only one) are at most `value` centipawns."""
        return bool(self._scores) and all(score <= value for score in self._scores[-2:])

    def _show(self, info: Info) -> None:
        if not info.bound:
            self._shown[info.multipv] = info
        self._lines_left -= 1
        self._output.line(info_line(info, self._with_multipv))

    def _may_show(self) -> bool:
        now = time.perf_counter()
        self._lines_left = min(BURST, self._lines_left + (now - self._refilled_at) / REFILL)
        self._refilled_at = now
        if self._lines_left < 1 or now - self._shown_at < self._interval:
            return False
        self._shown_at = now
        return True


def _as_number(kind: str, score: int) -> float:
    if kind == "mate":
        return float("inf") if score > 0 else float("-inf")
    return float(score)
