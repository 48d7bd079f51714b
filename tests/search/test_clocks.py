"""Searches with a clock end by themselves at the right time, and end soon after a command.

Upper limits are of processor time, which does not depend on how busy the machine is. Lower limits are of elapsed time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from kogoma.rules.position import Position
from kogoma.search.limits import Limits
from kogoma.search.processors import processors
from kogoma.search.search import Result
from kogoma.search.searcher import Searcher
from support.usi_client import PATIENCE

START = "rbsgk/4p/5/P4/KGSBR b - 1"


HOUR = 3_600_000

pytestmark = pytest.mark.clock


class Started:
    """A search on its own thread. The constructor lets the search run for `seconds` and then returns."""

    def __init__(self, searcher: Searcher, position: Position, limits: Limits, seconds: float) -> None:
        self._results = list[Result]()
        self.search = searcher.start(position, limits)
        self._thread = threading.Thread(target=lambda: self._results.append(self.search.run()))
        self._thread.start()
        time.sleep(seconds)
        assert self._thread.is_alive()

    def ended(self, tell: Callable[[], None]) -> tuple[Result, float]:
        """Call `tell`, which ends the search. Return the result of the search, and the processor time in seconds
        between the call and the end of the search."""
        worked = time.process_time()
        tell()
        self._thread.join(PATIENCE)
        return self._results[0], time.process_time() - worked


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True, btime=60_000), Limits(nodes=10**12)])
def test_stop_ends_a_search_at_once(limits: Limits, threads: int) -> None:
    position = Position("minishogi", START)
    started = Started(Searcher(hash_mb=16, threads=threads), position, limits, seconds=0.15)
    result, worked = started.ended(started.search.stop)
    assert worked < 2
    assert result.best in position.legal_moves() and result.nodes > 1_000


def test_ponderhit_starts_the_clock() -> None:
    position = Position("minishogi", START)
    limits = Limits(ponder=True, btime=0, byoyomi=200)
    started = Started(Searcher(hash_mb=16), position, limits, seconds=0.4)  # twice the time after ponderhit
    result, worked = started.ended(started.search.ponderhit)
    assert worked < 2
    assert result.best in position.legal_moves()


def spent(searcher: Searcher, position: Position, limits: Limits) -> tuple[Result, float, float]:
    """Return the result of a search, its elapsed time and its processor time, both in seconds."""
    began, worked = time.perf_counter(), time.process_time()
    result = searcher.search(position, limits)
    return result, time.perf_counter() - began, time.process_time() - worked


def test_a_move_time_is_used_and_kept_with_a_die() -> None:
    position = Position("dice")
    result, elapsed, worked = spent(Searcher(4, 2, position.variant), position, Limits(movetime=200))
    assert elapsed > 0.1 and worked < 0.3 * min(2, processors())
    assert result.depth >= 2 and result.best in position.legal_moves() and result.ponder is None


def test_a_forced_move_needs_no_thought() -> None:
    """Check that the engine plays the only legal move at once, although it could spend several minutes of its time on
    this move."""
    position = Position("minishogi", "4k/5/5/rp3/K4 b - 1")
    result, _, worked = spent(Searcher(16), position, Limits(btime=HOUR, wtime=HOUR))
    assert worked < 1
    assert [result.best] == position.legal_moves()


@pytest.mark.parametrize("limits", [Limits(btime=HOUR, wtime=HOUR), Limits(movetime=60_000)])
def test_a_proven_mate_ends_a_search(limits: Limits) -> None:
    result, _, worked = spent(Searcher(16), Position("minishogi", "4k/5/4G/5/K2R1 b G 1"), limits)
    assert worked < 1
    assert (result.score_kind, result.score) == ("mate", 1)


def test_an_open_position_gets_its_share() -> None:
    result, elapsed, worked = spent(Searcher(16), Position("minishogi", START), Limits(btime=10_000, wtime=10_000))
    assert elapsed > 0.05 and worked < 3.5
    assert result.depth > 5
