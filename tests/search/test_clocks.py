"""Searches under a clock: when they stop by themselves, and how soon once they are told to."""

from __future__ import annotations

import threading
import time

import pytest

from rules.position import Position
from search.limits import Limits
from search.searcher import Result, Searcher

START = "rbsgk/4p/5/P4/KGSBR b - 1"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True, btime=60_000), Limits(nodes=10**12)])
def test_stop_ends_a_search_at_once(limits: Limits, threads: int) -> None:
    searcher = Searcher(hash_mb=16, threads=threads)
    position, results = Position("minishogi", START), list[Result]()
    search = searcher.start(position, limits)
    thread = threading.Thread(target=lambda: results.append(search.run()))
    thread.start()
    time.sleep(0.15)  # in which it searches
    assert thread.is_alive()
    started = time.perf_counter()
    search.stop()
    thread.join(10)
    assert time.perf_counter() - started < 0.5
    assert results[0].best in position.legal_moves() and results[0].nodes > 1_000


def test_ponderhit_starts_the_clock() -> None:
    searcher = Searcher(hash_mb=16)
    position, results = Position("minishogi", START), list[Result]()
    limits = Limits(ponder=True, btime=0, byoyomi=200)
    search = searcher.start(position, limits)
    thread = threading.Thread(target=lambda: results.append(search.run()))
    thread.start()
    time.sleep(0.4)  # twice what it has once the clock runs
    assert thread.is_alive()
    started = time.perf_counter()
    search.ponderhit()
    thread.join(10)
    assert time.perf_counter() - started < 0.5
    assert results[0].best in position.legal_moves()


def test_a_move_time_is_used_and_kept_with_a_die() -> None:
    position = Position("dice")
    searcher = Searcher(4, 2, position.variant)
    started = time.perf_counter()
    result = searcher.search(position, Limits(movetime=200))
    assert 0.1 < time.perf_counter() - started < 0.4
    assert result.depth >= 3 and result.best in position.legal_moves() and result.ponder is None


HOUR = 3_600_000


def seconds(searcher: Searcher, sfen: str, limits: Limits) -> tuple[float, Result]:
    """How long a search takes, and its result."""
    started = time.perf_counter()
    result = searcher.search(Position("minishogi", sfen), limits)
    return time.perf_counter() - started, result


def test_a_forced_move_needs_no_thought() -> None:
    """Its share of the clock is minutes."""
    took, result = seconds(Searcher(16), "4k/5/5/rp3/K4 b - 1", Limits(btime=HOUR, wtime=HOUR))
    assert took < 5
    assert [result.best] == Position("minishogi", "4k/5/5/rp3/K4 b - 1").legal_moves()


@pytest.mark.parametrize("limits", [Limits(btime=HOUR, wtime=HOUR), Limits(movetime=60_000)])
def test_a_proven_mate_ends_a_search(limits: Limits) -> None:
    took, result = seconds(Searcher(16), "4k/5/4G/5/K2R1 b G 1", limits)
    assert took < 5
    assert (result.score_kind, result.score) == ("mate", 1)


def test_an_open_position_gets_its_share() -> None:
    took, result = seconds(Searcher(16), START, Limits(btime=10_000, wtime=10_000))
    assert 0.05 < took < 3.5
    assert result.depth > 5
