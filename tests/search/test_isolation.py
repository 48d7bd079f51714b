"""Tests that searches of only some moves, nested null-move verifications and helper threads do not falsify the results
of other searches."""

from __future__ import annotations

import numpy as np
import pytest

from kogoma.rules.position import Position
from kogoma.rules.variants import find
from kogoma.search.game import search_game
from kogoma.search.library import search_library
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from kogoma.search.thread import INFINITE, MAX_DEPTH, thread_dtype
from support.kernels import LAYOUTS, entries_library

AFTER_A_PUSH = "rbsgk/4p/5/P1B2/KGS1R w - 2"


def test_a_search_of_some_moves_stores_no_score_of_the_position() -> None:
    """Check that a search that examines only some moves of a position stores no score for this position. A later search
    of the preceding position must therefore find about the same score as without the first search."""
    expected = Searcher(16, 1, find("minishogi")).search(Position("minishogi"), Limits(depth=8))
    searcher, position = Searcher(16, 1, find("minishogi")), Position("minishogi")
    position.push("2e3d")
    restricted = searcher.search(position, Limits(depth=12, searchmoves=("4a1d",)))
    assert restricted.score < -1000
    found = searcher.search(Position("minishogi"), Limits(depth=8))
    # Table entries of the deeper search change the score a little, but not by as much as the move loses.
    assert abs(found.score - expected.score) < 150


@pytest.mark.parametrize("options", [SearchOptions(), SearchOptions(multipv=3)])
def test_the_root_is_stored_only_after_all_its_moves(options: SearchOptions) -> None:
    for moves in ((), ("3e2d", "2e3d")):
        searcher, position = Searcher(1, 1, find("minishogi")), Position("minishogi")
        searcher.search(position, Limits(depth=5, searchmoves=moves), options)
        thread = np.zeros(1, thread_dtype("64"))
        table = searcher.lend()
        thread[0]["tt"], thread[0]["tt_mask"] = table.address, table.buckets - 1
        stored = entries_library("64")("probe_entry", thread, position.key, 0, np.zeros(6, np.int64))
        assert stored == (not moves)


def test_a_verification_inside_another_keeps_the_bound_of_the_outer_one() -> None:
    variant, position = find("minishogi"), Position("minishogi")
    table = Table(16)
    table.wait()
    thread = np.zeros(1, thread_dtype("64"))
    thread[0]["tt"], thread[0]["tt_mask"], thread[0]["null_from"] = table.address, table.buckets - 1, 5
    record = position.struct.copy()
    score = search_library("64")("search", search_game(variant), record, thread, -1501, -1500, 12, 6, 1, 0)
    assert score >= -1500 and thread[0]["null_from"] == 5


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_helper_reads_window_and_depth_of_one_task(layout: str) -> None:
    """Check that alpha, beta and depth can be read back from the integer in which a helper thread's task is stored, and
    that no two tasks have the same integer. A task is stored in a single integer so that no thread can read a mixture
    of two tasks."""
    stop = np.zeros(1, np.int64)  # of a helper thread
    stops = np.array([stop.ctypes.data], np.uint64)
    for alpha, beta, depth in ((-INFINITE, INFINITE, 4), (-1, 0, 17), (INFINITE - 1, -INFINITE, MAX_DEPTH)):
        for number in (1, 2, (1 << 23) - 1):
            fields = np.zeros(3, np.int64)
            thread = np.zeros(1, thread_dtype(layout))
            thread[0]["helpers"], thread[0]["helper_stops"] = 1, stops.ctypes.data
            thread[0]["tasks"] = number - 1
            entries_library(layout)("announce_task", thread, alpha, beta, depth)
            entries_library(layout)("task_of", thread, fields)
            assert fields.tolist() == [alpha, beta, depth]
    words = []
    for _ in range(1000):
        entries_library(layout)("announce_task", thread, -30, 30, 9)
        words.append(int(thread[0]["task"]))
    assert len(set(words)) == len(words) and 0 not in words
    assert stop[0] == 1  # so that the helper thread ends its current task
