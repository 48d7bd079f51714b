"""A search thread for games of fixed nodes, steered without the clocks, timers and reports of `search.searcher`."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import Variant
from kogoma.search.dice.worker import DiceWorker
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import root_moves
from kogoma.search.table import Table
from kogoma.search.thread import DECIDED, MAX_DEPTH
from kogoma.search.worker import Worker, worker_kind

HASH_MB = 8  # a game's nodes fit in, and it is quickly cleared
PLIES_PER_SQUARE = 8  # a longer game is a draw, where the rules have no limit of their own


class Thinker:
    """One search thread and its memory."""

    def __init__(self, variant: Variant) -> None:
        self._options = SearchOptions()
        self._table = Table(HASH_MB)
        kind: type[Worker] = DiceWorker if variant.die else worker_kind()
        self.worker = kind(variant, self._table)

    def forget(self) -> None:
        """As new."""
        self._table.clear()
        self.worker.forget()
        self._table.wait()

    def search(self, position: BasePosition, nodes: int) -> tuple[int, int]:
        """(score, best move) for the side to move, before its throw if there is none."""
        worker = self.worker
        self._table.next_generation()
        moves = root_moves(position, Limits(), worker.rules)
        worker.prepare(position, moves, Limits(), self._options)
        for depth in range(1, MAX_DEPTH + 1):
            worker.deepen(depth, 1, _ignore)
            if depth == 1:
                worker.limit_nodes(nodes)
            if worker.stopped or abs(worker.scores[0]) >= DECIDED:
                break
        return worker.scores[0], worker.lines[0][0]


def longest_game(variant: Variant) -> int:
    """The ply at which a game of self-play ends as a draw."""
    return variant.max_plies or PLIES_PER_SQUARE * variant.squares


def _ignore(index: int, score: int, bound: str) -> None:
    """No report of an iteration is wanted."""
