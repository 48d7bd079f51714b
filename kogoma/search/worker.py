"""Search workers: the Python side of one search thread, with its struct, its copy of the position and its root
moves."""

from __future__ import annotations

import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache, cached_property
from itertools import takewhile

from kogoma.eval.weights import tuned
from kogoma.rules.base_position import BasePosition
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import Fields, Struct, clear, fields, new_struct
from kogoma.rules.variants import CheckRule, Die, RepetitionResult, Variant
from kogoma.search.answers import LOWER_BOUND, UPPER_BOUND
from kogoma.search.aspiration import around, widened
from kogoma.search.library import search_library
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.parameters import parameters_of
from kogoma.search.table_memory import Table
from kogoma.search.thread import INFINITE, task_word, thread_dtype, write_parameters

CAPTURE_DELAY = 2  # plies from mate to the capture of the king
HELP_FROM = 4  # plies; shallower iterations end before a helper has started
KERNELS_SEE_TIME = sys.platform == "linux" and sys.maxsize > 1 << 32  # kernels can read the clock (`native.clock`)

ReportScore = Callable[[int, int, str], None]  # arguments: line index, score, bound name or ""


@cache
def search_rules(variant: Variant) -> Struct:
    """Return the rules struct for searches of the variant, which differs in details from the rules of the game. The
    struct is shared and must not be changed."""
    rules = tuned(variant, False)[0].copy()  # the same with a network
    if not variant.cards:
        if variant.king_capture and variant.die is Die.NONE:
            # A move that loses the king at once is never better than another, so searches leave such moves out.
            # Searches with a die keep them, because a roll may allow no other move.
            fields(rules)["king_capture"], fields(rules)["capture_delay"] = 0, CAPTURE_DELAY
        if variant.repetition_result is RepetitionResult.NONE and not variant.max_plies:
            # Without a repetition rule or a ply limit, the search treats repetitions as draws.
            fields(rules)["repetition_result"], fields(rules)["check_rule"] = RepetitionResult.DRAW, CheckRule.NONE
    return rules


class Worker(ABC):
    """The base class of search workers. The kernels work on the structs `thread` and `struct` (the position). After an
    iteration, `lines` and `scores` hold the principal variations and the scores of the root moves, best first. If the
    iteration was stopped, some of these scores are bounds. `depth` is the last finished depth, and `score` the best
    score in that iteration."""

    rules: Struct
    struct: Struct

    def __init__(self, thread: Struct, table: Table) -> None:
        self.thread, self._table = thread, table
        self.state: Fields = fields(thread)
        self.lines: list[list[int]] = []
        self.scores: list[int] = []
        self.depth = self.score = 0

    def prepare(self, position: BasePosition, moves: list[int], limits: Limits, options: SearchOptions) -> None:
        """Prepare a search of `position` in which `moves`, a list of move codes, are the root moves."""
        self.struct = position.struct.copy()
        state = self.state
        state["tt"], state["tt_mask"] = self._table.address, self._table.buckets - 1
        state["generation"] = self._table.generation
        for name in ("stop", "nodes", "seldepth", "node_limit", "deadline"):
            state[name] = 0
        state["root_count"] = len(moves)
        state["root_move"][: len(moves)] = moves
        self.lines = [[move] for move in moves]
        self.scores = [-INFINITE] * len(moves)
        self.depth = self.score = 0

    def wait(self) -> None:
        """Wait until no helper thread uses the structs. In this base class there are no helper threads, so it returns
        at once."""
        return

    def lead(self, helpers: list[Worker]) -> None:
        """Make `helpers`, which are prepared for the same search, helper threads of this worker. This base class does
        nothing."""
        return

    @abstractmethod
    def forget(self) -> None:
        """Clear everything that was learned in earlier games."""

    @abstractmethod
    def deepen(self, depth: int, multipv: int, report: ReportScore) -> None:
        """Search the root moves to `depth` plies, and move the best `multipv` moves to the front of `lines` and
        `scores`. `report` is called with each of their scores."""

    @abstractmethod
    def effort(self) -> float:
        """Return the share of nodes spent on the best move, from 0 to 1."""

    def limit_nodes(self, limit: int) -> None:
        """Make the kernels stop after `limit` nodes; 0 means no limit."""
        self.state["node_limit"] = limit

    def limit_time(self, until: float) -> None:
        """Make the kernels stop when time.perf_counter() reaches `until`. If they cannot read the clock on this system,
        do nothing: `stop` must then be called in time."""
        if KERNELS_SEE_TIME:
            self.state["deadline"] = int(until * 1e9)

    def stop(self) -> None:
        """Make the running kernel return within microseconds. Thread-safe."""
        self.state["stop"] = 1

    @property
    def stopped(self) -> bool:
        """Whether the last iteration was stopped."""
        return bool(self.state["stop"])

    @property
    def nodes(self) -> int:
        """The number of nodes of this search so far."""
        return int(self.state["nodes"])

    @property
    def seldepth(self) -> int:
        """The largest ply that this search has reached so far."""
        return int(self.state["seldepth"])


class AlphaBetaWorker(Worker):
    """The worker for variants without a die. Its histories are kept from one move of a game to the next, and cleared
    for a new game. A change of `parameters` takes effect with the next `forget`."""

    def __init__(self, variant: Variant, table: Table, network: bool = True) -> None:
        """Create a worker that evaluates with the network, or, if `network` is false, with handcrafted terms only.
        Raises ParametersError if the search parameters come from a file that is invalid."""
        layout = layout_of(variant)
        super().__init__(new_struct(thread_dtype(layout)), table)
        self._helpers: list[AlphaBetaWorker] = []
        self._helping: threading.Thread | None = None
        self._tasks = 0  # number of tasks published so far
        self.parameters = parameters_of(variant)
        self.forget()
        self._rules, self.weights = search_rules(variant), tuned(variant, network)[1]
        self.rules = self._rules
        self._library = search_library(layout)

    def wait(self) -> None:
        """Wait until this worker's helper thread, if it has one, has ended. A helper thread ends soon after the main
        thread's search has stopped."""
        if self._helping is not None:
            self._helping.join()
            self._helping = None

    def lead(self, helpers: list[Worker]) -> None:
        """Make `helpers`, which are prepared for the same search, helper threads of this worker, which becomes the main
        thread."""
        self._helpers = [worker for worker in helpers if isinstance(worker, AlphaBetaWorker)]
        self.state["task"] = 0
        for worker in (self, *self._helpers):
            worker.state["marks"] = self._table.marks

    def _announce(self, alpha: int, beta: int, depth: int) -> None:
        """Publish a search to `depth` with the window (alpha, beta) as the next task of the helper threads. Do nothing
        if the depth is less than HELP_FROM."""
        if depth >= HELP_FROM:
            self._tasks += 1
            self.state["task"] = task_word(self._tasks, alpha, beta, depth)
            for helper in self._helpers:
                helper.follow(self)

    def follow(self, leader: AlphaBetaWorker) -> None:
        """Start a thread that searches the tasks of `leader`, the main thread's worker, until the leader stops. If this
        thread is already running, end only its current task."""
        if self._helping is None:
            self._helping = threading.Thread(target=self._help, args=(leader,), daemon=True)
            self._helping.start()
        else:
            self.stop()

    def _help(self, leader: AlphaBetaWorker) -> None:
        # A helper makes only one kernel call in a whole search, so it never waits for the interpreter.
        self._library("help_root", self.rules, self.weights, self.struct, self.thread, leader.thread)

    def forget(self) -> None:
        """Clear the thread struct, including its histories, and write the search parameters into it."""
        clear(self.thread)
        write_parameters(self.state, self.parameters)

    def prepare(self, position: BasePosition, moves: list[int], limits: Limits, options: SearchOptions) -> None:
        """Prepare a search of `position` in which `moves`, a list of move codes, are the root moves."""
        super().prepare(position, moves, limits, options)
        self.rules = self._rules if options.declaration else self._without_declaration
        state = self.state
        state["root_restricted"] = int(bool(limits.searchmoves))
        state["max_plies"] = options.last_ply(position.variant)
        state["draw_value"][:] = options.draw_values(position.turn)
        state["root_nodes"][: len(moves)] = [0] * len(moves)
        for killers in state["killer"]:
            killers[:] = [0, 0]

    @cached_property
    def _without_declaration(self) -> Struct:
        rules = self._rules.copy()
        fields(rules)["declaration"][:] = [0, 0]
        return rules

    def deepen(self, depth: int, multipv: int, report: ReportScore) -> None:
        """Search the root moves to `depth` plies, and move the best `multipv` moves to the front of `lines` and
        `scores`. `report` is called with each of their scores."""
        count = min(multipv, len(self.scores))
        for index in range(count):
            self._find_line(depth, index, report)
            if self.stopped:
                # The line at `index` is unfinished and left where it is: its move may be new, but its score is old.
                self._order(sorted(range(index), key=lambda i: -self.scores[i]), 0)
                return
        self._order(sorted(range(count), key=lambda i: -self.scores[i]), 0)  # a later line may be better
        self.depth, self.score = depth, self.scores[0]
        for index in range(count):
            report(index, self.scores[index], "")

    def _find_line(self, depth: int, index: int, report: ReportScore) -> None:
        """Find the best of the root moves from `index` on. The search begins with an aspiration window around the last
        score, and widens it until the score lies inside."""
        width = self.parameters.window
        alpha, beta = around(self.scores[index], depth, width)
        self.state["task"] = 0  # helper threads read the root moves, which are about to change
        self.state["root_first"] = index
        while True:
            if self._helpers:
                self._announce(alpha, beta, depth)
            score = self._library("search_root", self.rules, self.weights, self.struct, self.thread, alpha, beta, depth)
            self.state["task"] = 0
            self._take_scores(index)
            if self.stopped or alpha < score < beta:
                return
            report(index, score, UPPER_BOUND if score <= alpha else LOWER_BOUND)
            alpha, beta = widened(alpha, beta, score, width)
            width *= 2

    def _take_scores(self, first: int) -> None:
        """Read the scores of the root moves from index `first` on from the struct, and sort these moves by score. Moves
        that got no score come last, in their old order."""
        scores = [*map(int, self.state["root_score"][first : len(self.scores)])]
        for index, score in enumerate(scores, first):
            if score > -INFINITE:
                self.lines[index], self.scores[index] = self._variation(index), score
        self._order(sorted(range(first, len(self.scores)), key=lambda i: -scores[i - first]), first)

    def _order(self, order: list[int], first: int) -> None:
        """Reorder the root moves from index `first` on, in this object and in the thread struct. `order` lists their
        old indices."""
        last = first + len(order)
        if order == [*range(first, last)]:
            return
        self.scores[first:last] = [self.scores[index] for index in order]
        self.lines[first:last] = [self.lines[index] for index in order]
        for name in ("root_move", "root_score", "root_nodes"):
            row = self.state[name]
            found = [*map(int, row[first:last])]
            row[first:last] = [found[index - first] for index in order]

    def _variation(self, index: int) -> list[int]:
        return [int(move) for move in takewhile(bool, self.state["root_pv"][index])]

    def effort(self) -> float:
        """Return the share of nodes spent on the best move, from 0 to 1."""
        nodes = [int(count) for count in self.state["root_nodes"][: len(self.scores)]]
        return nodes[0] / sum(nodes) if sum(nodes) else 0.0
