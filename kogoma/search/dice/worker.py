"""The Python side of a dice search: iterative deepening over the chance tree."""

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
from kogoma.search.worker import ReportScore, Worker, search_rules

CERTAIN_NODES = 20_000  # node budget of a proof
CERTAIN = 0.9  # share of FULL above which a proof is tried


class DiceWorker(Worker):
    """A search worker for variants with a die. It uses one thread, its lines consist of a single move, and it converts
    winning chances to centipawn scores."""

    def __init__(self, variant: Variant, table: Table, network: bool = True) -> None:
        """Create a worker that evaluates with the network, or, if `network` is false, with handcrafted terms only."""
        layout = layout_of(variant)
        super().__init__(new_struct(dice_thread_dtype(layout)), table)
        self.state["chance_curve"][:] = chance_curve()
        self.rules, self.weights = search_rules(variant), tuned(variant, network)[1]
        self._library = dice_library(layout)
        self._rolled, self._replies = False, [0] * FILES
        self.forget()

    def forget(self) -> None:
        """Clear the history of moves."""
        history = self.state["history"]
        history[:] = [0] * len(history)

    def prepare(self, position: BasePosition, moves: list[int], limits: Limits, options: SearchOptions) -> None:
        """Prepare a search of `position` in which `moves`, a list of move codes, are the root moves."""
        super().prepare(position, moves, limits, options)
        self._rolled = limits.dice is not None
        state = self.state
        state["last_ply"] = options.last_ply(position.variant) or NO_LIMIT
        state["draw_value"][:] = [value_of(draw) for draw in options.draw_values(position.turn)]
        self.lines = [[moves[0]]]
        self.scores = [0] * len(moves)  # in the order of `lines`

    def deepen(self, depth: int, multipv: int, report: ReportScore) -> None:
        """Search the root moves to `depth` plies. A line has only one move, because the moves after it depend on the
        die. Before the roll there is one line. After the roll, each further line is found by a search of the root moves
        that are left. The lines are reported only when all are found, because scores of different depths cannot be
        compared."""
        depth = min(depth, MAX_DEPTH)
        moves, found = self._root_moves(), list[list[int]]()
        for index in range(min(multipv, len(moves)) if self._rolled else 1):
            self._set_root_moves([move for move in moves if [move] not in found])
            value = self._call("expectimax", depth, int(self._rolled))
            if index == 0:
                moves = self._root_moves()  # the best move is now the first
            if move := int(self.state["root_best"]):
                found.append([move])
                self.lines = [*found, *(line for line in self.lines[1:] if line not in found)]
            if self.stopped:
                break
            self.scores[index] = centipawns_of(value) if index else self._score(value, depth)
            if not index:
                self._replies = [int(move) for move in self.state["best"][0]]
        else:
            self.depth, self.score = depth, self.scores[0]
            for index, score in enumerate(self.scores[: len(found)]):
                report(index, score, "")
        self._set_root_moves(moves)

    def _root_moves(self) -> list[int]:
        return [int(move) for move in self.state["root_move"][: int(self.state["root_count"])]]

    def _set_root_moves(self, moves: list[int]) -> None:
        self.state["root_count"] = len(moves)
        self.state["root_move"][: len(moves)] = moves

    def reply(self, roll: int) -> int:
        """Return the best move for the die roll `roll`, according to the last iteration of a search before the roll. If
        it found no move for this roll, return the best move for any roll."""
        files = min(int(fields(self.rules)["files"]), NAMED)
        return (self._replies[files - roll] if roll <= files else 0) or self.lines[0][0]

    @property
    def may_win_now(self) -> bool:
        """Whether some roll lets the side to move win at once, according to the last iteration of a search before the
        roll."""
        return int(self.state["root_value"]) == FULL

    def _call(self, name: str, *numbers: int) -> int:
        return self._library(name, self.rules, self.weights, self.struct, self.thread, *numbers)

    def _score(self, value: int, depth: int) -> int:
        """Return a value as a score in centipawns. If the game is proven to be decided for every roll, return a mate
        score that counts plies."""
        if abs(value) > CERTAIN * FULL:
            winning = int(value > 0)
            self.state["proof_nodes"] = CERTAIN_NODES
            for plies in range(1 if winning else 2, depth + 1, 2):
                # Before the roll, the result must be proven for every face.
                if self._call("certain", plies, winning) if self._rolled else self._call("decided", plies, 0, winning):
                    return MATE - plies if winning else plies - MATE
        return centipawns_of(value)

    def effort(self) -> float:
        """Return a fixed estimate of the share of nodes spent on the best move, because the dice search does not count
        nodes per move."""
        return 0.6
