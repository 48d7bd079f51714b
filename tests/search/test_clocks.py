"""Searches under a clock: when they stop by themselves, and how soon once they are told to."""

from __future__ import annotations

import threading
import time

import pytest

from rules.position import Position
from search.searcher import Result, Searcher
from search.time import Limits

START = "rbsgk/4p/5/P4/KGSBR b - 1"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("limits", [Limits(infinite=True), Limits(ponder=True, btime=60_000), Limits(nodes=10**12)])
def test_stop_ends_a_search_at_once(limits: Limits, threads: int) -> None:
    searcher = Searcher(hash_mb=16, threads=threads)
    position, results = Position("minishogi", START), list[Result]()
    thread = threading.Thread(target=lambda: results.append(searcher.search(position, limits)))
    thread.start()
    time.sleep(0.15)
    assert thread.is_alive()
    started = time.perf_counter()
    searcher.stop()
    thread.join(10)
    assert time.perf_counter() - started < 0.5
    assert results[0].best in position.legal_moves() and results[0].nodes > 1_000


def test_ponderhit_starts_the_clock() -> None:
    searcher = Searcher(hash_mb=16)
    position, results = Position("minishogi", START), list[Result]()
    limits = Limits(ponder=True, btime=0, byoyomi=200)
    thread = threading.Thread(target=lambda: results.append(searcher.search(position, limits)))
    thread.start()
    time.sleep(0.4)
    assert thread.is_alive()
    started = time.perf_counter()
    searcher.ponderhit()
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
