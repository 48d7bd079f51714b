"""What a search of a dice game works in, seen from Python: iterative deepening over the chance tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from eval.weights import tuned
from rules.native.rules_record import layout_of
from rules.position import BasePosition
from rules.variants import Variant
from search.dice.values import FULL, MAX_DEPTH, NO_LIMIT, centipawns_of, chance_curve, dice_thread_dtype, value_of
from search.library import dice_library
from search.table import Table
from search.thread import MATE
from search.worker import Line, Steered

CERTAIN_NODES = 20_000  # for the proof that a game is decided whatever the dice say
CERTAIN = 0.9  # of FULL: values below need no such proof


class DiceWorker(Steered):
    """As `search.worker.Worker`, for games with a die: one thread, one line, and scores made from winning chances."""

    def __init__(self, variant: Variant, table: Table) -> None:
        layout = layout_of(variant)
        self.array: np.ndarray[Any, Any] = np.zeros(1, dice_thread_dtype(layout))
        self.thread = self.array[0]
        self.thread["chance_curve"][:] = chance_curve()
        self.rules, self.weights = tuned(variant)
        self._library = dice_library(layout)
        self._table = table
        self.thrown = False  # whether the moves of the next search are those that a throw allows
        self.forget()

    def forget(self) -> None:
        """As new."""
        self.thread["history"][:] = 0

    def prepare(
        self, position: BasePosition, moves: list[int], max_plies: int, draws: list[int], declaration: bool = False
    ) -> None:
        """Get ready for a search of `position` among these moves; nothing is declared in these games."""
        self.record = position.record.copy()
        thread = self.thread
        thread["tt"], thread["tt_mask"] = self._table.address, self._table.buckets - 1
        thread["generation"] = self._table.generation
        thread["stop"], thread["nodes"], thread["seldepth"], thread["node_limit"] = 0, 0, 0, 0
        thread["last_ply"] = max_plies or NO_LIMIT
        thread["draw_value"][:] = [value_of(draw) for draw in draws]
        thread["tt_off"] = self._came_back(position)
        thread["root_count"] = len(moves)
        thread["root_move"][: len(moves)] = moves
        self.lines = [[moves[0]]]
        self.scores = [0] * len(moves)  # only the first is a score
        self.depth = 0

    def _came_back(self, position: BasePosition) -> bool:
        """Whether the game has been in one position twice, so that its past may decide a search."""
        record = self.record[0]
        return max(Counter(record["key"][: int(record["ply"]) + 1].tolist()).values()) > 1

    def deepen(self, depth: int, multipv: int, report: Callable[[Line], None]) -> None:
        """One iteration; there is one line, of one move, since what comes then depends on the dice."""
        depth = min(depth, MAX_DEPTH)
        value = self._call("expectimax", depth, int(self.thrown))
        if move := int(self.thread["root_best"]):
            self.lines = [[move]]
        if self.stopped:
            return
        self.scores[0] = self._score(value, depth)
        self.depth = depth
        report((0, self.scores[0], self.lines[0], ""))

    def _call(self, name: str, *numbers: int) -> int:
        return self._library(name, self.rules, self.weights, self.record, self.array, *numbers)

    def _score(self, value: int, depth: int) -> int:
        """Centipawns; plies to mate only where the dice have no say any more."""
        if abs(value) > CERTAIN * FULL:
            winning = int(value > 0)
            self.thread["proof_nodes"] = CERTAIN_NODES
            for plies in range(1 if winning else 2, depth + 1, 2):
                # Before the throw, a win has to be there for every face.
                if self._call("certain", plies, winning) if self.thrown else self._call("decided", plies, 0, winning):
                    return MATE - plies if winning else plies - MATE
        return centipawns_of(value)

    def effort(self) -> float:
        """The share of nodes that went into the best move: not counted here."""
        return 0.6
