"""What a search of a dice game works in, seen from Python: iterative deepening over the chance tree."""

from __future__ import annotations

from kogoma.eval.weights import tuned
from kogoma.rules.base_position import BasePosition
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import fields, new_struct
from kogoma.rules.variants import Variant
from kogoma.search.dice.values import (
    FILES,
    FULL,
    MAX_DEPTH,
    NAMED,
    NO_LIMIT,
    centipawns_of,
    chance_curve,
    dice_thread_dtype,
    value_of,
)
from kogoma.search.library import dice_library
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.table_memory import Table
from kogoma.search.thread import MATE
from kogoma.search.worker import Report, Worker, search_rules

CERTAIN_NODES = 20_000  # for the proof that a game is decided whatever the dice say
CERTAIN = 0.9  # of FULL: values below need no such proof


class DiceWorker(Worker):
    """The worker of games with a die: one thread, one line of one move, and scores made from winning chances."""

    def __init__(self, variant: Variant, table: Table) -> None:
        layout = layout_of(variant)
        super().__init__(new_struct(dice_thread_dtype(layout)), table)
        self.state["chance_curve"][:] = chance_curve()
        self.rules, self.weights = search_rules(variant), tuned(variant)[1]
        self._library = dice_library(layout)
        self._thrown, self._replies = False, [0] * FILES
        self.forget()

    def forget(self) -> None:
        """As new."""
        history = self.state["history"]
        history[:] = [0] * len(history)

    def prepare(self, position: BasePosition, moves: list[int], limits: Limits, options: SearchOptions) -> None:
        """Get ready for a search of `position` among `moves`, which these limits leave."""
        super().prepare(position, moves, limits, options)
        self._thrown = limits.dice is not None
        state = self.state
        state["last_ply"] = options.last_ply(position.variant) or NO_LIMIT
        state["draw_value"][:] = [value_of(draw) for draw in options.draw_values(position.turn)]
        self.lines = [[moves[0]]]
        self.scores = [0] * len(moves)  # only the first is a score

    def deepen(self, depth: int, multipv: int, report: Report) -> None:
        """One iteration; there is one line, of one move, since what comes then depends on the dice."""
        depth = min(depth, MAX_DEPTH)
        value = self._call("expectimax", depth, int(self._thrown))
        if move := int(self.state["root_best"]):
            self.lines = [[move]]
        if self.stopped:
            return
        self.scores[0] = self._score(value, depth)
        self._replies = [int(move) for move in self.state["best"][0]]
        self.depth = depth
        report(0, self.scores[0], "")

    def reply(self, throw: int) -> int:
        """The best move once the die shows `throw`, by the last iteration of a search before it; of all moves where
        none of the file is known."""
        files = min(int(fields(self.rules)["files"]), NAMED)
        return (self._replies[files - throw] if throw <= files else 0) or self.lines[0][0]

    @property
    def may_win_now(self) -> bool:
        """Whether some throw lets the next move end the game, by the last iteration of a search before it."""
        return int(self.state["root_value"]) == FULL

    def _call(self, name: str, *numbers: int) -> int:
        return self._library(name, self.rules, self.weights, self.record, self.thread, *numbers)

    def _score(self, value: int, depth: int) -> int:
        """Centipawns; plies to mate only where the dice have no say any more."""
        if abs(value) > CERTAIN * FULL:
            winning = int(value > 0)
            self.state["proof_nodes"] = CERTAIN_NODES
            for plies in range(1 if winning else 2, depth + 1, 2):
                # Before the throw, a win has to be there for every face.
                if self._call("certain", plies, winning) if self._thrown else self._call("decided", plies, 0, winning):
                    return MATE - plies if winning else plies - MATE
        return centipawns_of(value)

    def effort(self) -> float:
        """The share of nodes that went into the best move: not counted here."""
        return 0.6
