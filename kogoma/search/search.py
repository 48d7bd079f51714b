"""One search of a position: its reports, its result, and how it is stopped."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from kogoma.rules.base_position import BasePosition
from kogoma.search.limits import Limits


@dataclass(frozen=True)
class Info:
    """A progress report. `score` is in centipawns, or in plies to mate, for the side to move. `bound` is "" for an
    exact score, otherwise LOWER_BOUND or UPPER_BOUND."""

    depth: int
    seldepth: int
    multipv: int
    score_kind: str
    score: int
    bound: str
    nodes: int
    nps: int
    hashfull: int
    time_ms: int
    pv: list[str]
    tbhits: int = 0  # positions found in a tablebase


@dataclass(frozen=True)
class Result:
    """The result of a search. `best` is None if there is no legal move, and DECLARATION if a win is declared. The score
    is that of the last finished iteration, to `depth` plies, even if `best` was found after it. It is exact (`bound` is
    ""), unless an external engine has sent nothing but bounds."""

    best: str | None
    ponder: str | None
    score_kind: str
    score: int
    depth: int
    nodes: int
    bound: str = ""


ReportInfo = Callable[[Info], None]


class State(Enum):
    """The state of a search."""

    HELD = "held"  # infinite or pondering: answers when told to, no clock
    RUNNING = "running"  # answers when a limit is reached
    STOPPING = "stopping"  # answers as soon as it has a move
    ENDED = "ended"


class Search:
    """One search of one position. `run` searches; `stop` and `ponderhit` may be called from any thread at any time."""

    moves: list[int]  # the codes of the moves that may be chosen

    def __init__(self, position: BasePosition, limits: Limits, started: float) -> None:
        """Prepare the search. `started` is the value of time.perf_counter() at which its clock started."""
        self._position, self._limits = position, limits
        self.started = started
        self._state = State.HELD if limits.infinite or limits.ponder else State.RUNNING
        self._changed = threading.Condition()  # guards _state
        self.latest: float | None = None  # ms after `started` at which a limit of time ends the search

    @property
    def is_infinite(self) -> bool:
        """Whether only `stop` ends the search."""
        return self._limits.infinite

    @property
    def is_pondering(self) -> bool:
        """Whether the search is pondering, and so waits for `ponderhit` or `stop`."""
        return self._limits.ponder and self._state is State.HELD

    def stop(self) -> None:
        """End the search with the best move found so far, but not before the first iteration has found a move."""
        with self._changed:
            if self._state is not State.ENDED:
                self._state = State.STOPPING
                self._stop()
                self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock, because the expected move was played. If `limits` is given, its times replace those with
        which the search was started. If the best move is already clear, the search ends soon."""
        with self._changed:
            if self._state is State.HELD and not self._limits.infinite:
                self._state = State.RUNNING
                self._start_clock(limits)
                self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the search may answer. An infinite search waits for `stop`, a pondering one for `ponderhit` or
        `stop`."""
        with self._changed:
            self._changed.wait_for(lambda: self._state is not State.HELD)

    def run(self, report: ReportInfo | None = None) -> Result:
        """Search until a limit is reached or `stop` is called, and return the result. `report` is called with each
        progress report."""
        raise NotImplementedError

    def _stop(self) -> None:
        """Do what `stop` needs, while `_changed` is locked."""

    def _start_clock(self, limits: Limits | None) -> None:
        """Do what `ponderhit` needs, while `_changed` is locked."""
