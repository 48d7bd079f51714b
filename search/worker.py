"""One search thread: its record, its copy of the position, and iterative deepening over its root moves."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from eval.weights import tuned
from rules.native.rules_record import layout_of
from rules.position import BasePosition
from rules.variants import Variant
from search.library import search_library
from search.table import Table
from search.thread import DECIDED, INFINITE, REDUCTIONS, thread_dtype

WINDOW = 60  # centipawns to either side of the last score
WIDEST = 1000  # a window that has grown so far is opened wholly
REDUCTION_SCALE = 21.0

Line = tuple[int, int, list[int], str]  # (index of the line, score, moves, "" or the bound's name)


class Steered:
    """What steers a kernel through the record that it works in."""

    thread: Any

    def limit_nodes(self, limit: int) -> None:
        """Stop after so many nodes; 0 is no limit."""
        self.thread["node_limit"] = limit

    def stop(self) -> None:
        """From any thread: the kernel returns within microseconds."""
        self.thread["stop"] = 1

    @property
    def stopped(self) -> bool:
        """Whether the last iteration was broken off."""
        return bool(self.thread["stop"])

    @property
    def nodes(self) -> int:
        """Nodes of this search so far."""
        return int(self.thread["nodes"])


class Worker(Steered):
    """What one thread searches with. Histories live on from move to move, until the next game."""

    def __init__(self, variant: Variant, table: Table) -> None:
        layout = layout_of(variant)
        self.array: np.ndarray[Any, Any] = np.empty(1, thread_dtype(layout))
        self.thread = self.array[0]
        self.forget()
        self._rules, self.weights = tuned(variant)
        self.rules = self._rules
        self._library = search_library(layout)
        self._table = table

    def forget(self) -> None:
        """As new. This touches all pages, so that no search has to wait for them."""
        self.array.view(np.uint8).fill(0)
        self.thread["reduction"][1:] = [int(REDUCTION_SCALE * math.log(i)) for i in range(1, REDUCTIONS)]

    def prepare(
        self, position: BasePosition, moves: list[int], max_plies: int, draws: list[int], declaration: bool
    ) -> None:
        """Get ready for a search of `position` among these moves."""
        self.rules = self._rules if declaration else self._without_declaration
        self.record = position.record.copy()
        thread = self.thread
        thread["tt"], thread["tt_mask"] = self._table.address, self._table.buckets - 1
        thread["generation"] = self._table.generation
        thread["stop"], thread["nodes"], thread["seldepth"] = 0, 0, 0
        thread["node_limit"], thread["max_plies"] = 0, max_plies
        thread["draw_value"][:] = draws
        thread["root_count"] = len(moves)
        thread["root_move"][: len(moves)] = moves
        thread["root_nodes"][: len(moves)] = 0
        thread["killer"][:] = 0
        self.scores = [-INFINITE] * len(moves)  # of the last iteration, best first
        self.lines = [[move] for move in moves]  # variations in the same order
        self.depth = 0

    @cached_property
    def _without_declaration(self) -> np.ndarray[Any, Any]:
        rules = self._rules.copy()
        rules["declaration"] = 0
        return rules

    def deepen(self, depth: int, multipv: int, report: Callable[[Line], None]) -> None:
        """One iteration: bring the best `multipv` moves to the front, each with its score and variation."""
        count = min(multipv, len(self.scores))
        for index in range(count):
            self._line(depth, index, report)
            if self.stopped:
                # The line under way may hold a new best move, but only an older score to compare with.
                self._sort(index)
                return
        self._sort(count)
        self.depth = depth
        for index in range(count):
            report((index, self.scores[index], self.lines[index], ""))

    def _line(self, depth: int, index: int, report: Callable[[Line], None]) -> None:
        """Find the best move from `index` on, in a window around its last score, widened as far as needed."""
        expected = self.scores[index]
        delta = WINDOW
        alpha, beta = -INFINITE, INFINITE
        if depth >= 4 and abs(expected) < DECIDED:
            alpha, beta = expected - delta, expected + delta
        self.thread["root_first"] = index
        while True:
            score = self._library("search_root", self.rules, self.weights, self.record, self.array, alpha, beta, depth)
            self._order(index)
            if self.stopped:
                return
            if alpha < score < beta:
                break
            bound = "upperbound" if score <= alpha else "lowerbound"
            report((index, score, self.lines[index], bound))
            if score <= alpha:
                beta = (alpha + beta) // 2
                alpha = score - delta if delta < WIDEST else -INFINITE
            else:
                beta = score + delta if delta < WIDEST else INFINITE
            delta *= 2

    def _order(self, first: int) -> None:
        """Put the moves from `first` on into the order of their scores; those without one keep theirs, behind."""
        count = int(self.thread["root_count"])
        scores = self.thread["root_score"][first:count]
        order = first + np.argsort(-scores, kind="stable")
        found = [i for i in order.tolist() if self.thread["root_score"][i] > -INFINITE]
        lines = {i: self._variation(i) for i in found}
        old_lines, old_scores = self.lines, self.scores
        self.lines = old_lines[:first] + [lines.get(i, old_lines[i]) for i in order.tolist()]
        self.scores = old_scores[:first] + [
            int(self.thread["root_score"][i]) if i in lines else old_scores[i] for i in order.tolist()
        ]
        for name in ("root_move", "root_score", "root_nodes"):
            self.thread[name][first:count] = self.thread[name][order]

    def _sort(self, count: int) -> None:
        """Put the first `count` lines into the order of their scores: a later one may have turned out better."""
        order = sorted(range(count), key=lambda index: -self.scores[index])
        self.scores[:count] = [self.scores[index] for index in order]
        self.lines[:count] = [self.lines[index] for index in order]
        for name in ("root_move", "root_score", "root_nodes"):
            self.thread[name][:count] = self.thread[name][order]

    def _variation(self, index: int) -> list[int]:
        moves = self.thread["root_pv"][index].tolist()
        return [int(move) for move in moves[: moves.index(0)]]

    def effort(self) -> float:
        """The share of nodes that went into the best move, from 0 to 1."""
        total = int(self.thread["root_nodes"][: len(self.scores)].sum())
        return int(self.thread["root_nodes"][0]) / total if total else 0.0
