"""Run searches: iterative deepening, threads, clocks, progress reports, and the memory kept between searches.

  searcher = Searcher(hash_mb=64, variant=position.variant)
  result = searcher.search(position, Limits(movetime=1000))

`Searcher.start` returns a `Search`, which other threads can stop before, during and after its run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from kogoma.eval.weights import tuned
from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed_codes
from kogoma.rules.library import rules_library
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import Struct
from kogoma.rules.variants import DEFAULT, Variant
from kogoma.search.answers import DECLARATION, UPPER_BOUND
from kogoma.search.dice.worker import DiceWorker
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.processors import useful_threads
from kogoma.search.table_memory import Table
from kogoma.search.thread import MATE, MATE_BOUND, MAX_DEPTH, RULE_WIN
from kogoma.search.time import Budget, Finding, budget
from kogoma.search.worker import AlphaBetaWorker, Worker


@dataclass(frozen=True)
class Info:
    """A progress report. `score` is in centipawns, or in plies to mate, for the side to move. `bound` is "" for an
    exact score, otherwise LOWER_BOUND or UPPER_BOUND."""

    depth: int
    seldepth: int
    multipv: int
    score_kind: str
    score: int
    bound: str
    nodes: int
    nps: int
    hashfull: int
    time_ms: int
    pv: list[str]


@dataclass(frozen=True)
class Result:
    """The result of a search. `best` is None if there is no legal move, and DECLARATION if a win is declared. The score
    is exact: it is that of the last finished iteration, to `depth` plies, even if `best` was found after it."""

    best: str | None
    ponder: str | None
    score_kind: str
    score: int
    depth: int
    nodes: int


ReportInfo = Callable[[Info], None]


def score_and_kind(score: int) -> tuple[str, int]:
    """Return a search score as ("cp", centipawns), or as ("mate", plies) if it is a mate. The plies are negative if the
    side to move is mated."""
    if abs(score) > MATE_BOUND:
        plies = MATE - abs(score)
        return "mate", plies if score > 0 else -plies
    return "cp", score


def root_moves(position: BasePosition, limits: Limits, rules: Struct) -> list[int]:
    """Return the codes of the root moves: the legal moves that the die roll and `searchmoves`, if given, allow. Moves
    that lose the king at once are left out if there are others. `rules` is the rules struct of the search. Raises
    ValueError for an impossible roll or an illegal move in `searchmoves`."""
    legal = allowed_codes(position, limits.dice)
    moves = _without_blunders(position, legal, rules)
    if limits.searchmoves:
        known = {position.usi(move): move for move in legal}
        if unknown := [move for move in limits.searchmoves if move not in known]:
            raise ValueError(f"searchmoves: {unknown[0]} is not legal here")
        wanted = {known[move] for move in limits.searchmoves}
        return [move for move in moves if move in wanted] or [move for move in legal if move in wanted]
    return moves


def _without_blunders(position: BasePosition, legal: list[int], rules: Struct) -> list[int]:
    """Return the legal moves without those that lose the king at once, in variants in which kings are captured. If the
    enemy king can be captured, return only the moves that capture it. If every move would be left out, return all of
    them."""
    if not position.variant.king_capture or position.variant.cards:
        return legal
    king = int(position.fields["king"][1 - position.turn][0])
    captures = [move for move in legal if move & int(SQUARE_MASK) == king]
    library = rules_library(layout_of(position.variant))
    struct = position.struct.copy()
    library("init_position", rules, struct)  # compute pins, which the variant's own rules do not need
    return (
        captures
        or [move for move in legal if library("may_play", rules, struct, move) or _ends(position, move)]
        or legal
    )


def _ends(position: BasePosition, move: int) -> bool:
    """Return whether the game is over after `move`, for example by a repetition."""
    after = position.copy()
    after.push(position.usi(move))
    return after.outcome() is not None


class State(Enum):
    """The state of a search."""

    HELD = "held"  # infinite or pondering: answers when told to, no clock
    RUNNING = "running"  # answers when a limit is reached
    STOPPING = "stopping"  # answers as soon as it has a move
    ENDED = "ended"


class Search:
    """One search of one position. `run` searches; `stop` and `ponderhit` may be called from any thread at any time."""

    def __init__(
        self,
        workers: list[Worker],
        table: Table,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions,
        started: float,
    ) -> None:
        """Prepare the search. `started` is the value of time.perf_counter() at which its clock started. Raises
        ValueError if `limits` contain an impossible roll or an illegal move."""
        self.moves = root_moves(position, limits, workers[0].rules)
        self._workers, self._table, self._position = workers, table, position
        self._limits, self._options, self.started = limits, options, started
        self._budget = self._budget_of(limits)
        self._state = State.HELD if limits.infinite or limits.ponder else State.RUNNING
        self._changed = threading.Condition()  # guards _state, _timer and _found
        self._clock_from = started
        self._found: Finding | None = None  # result of the last iteration; None if the current one contradicts it
        self._timer: threading.Timer | None = None
        for worker in workers[1:]:
            worker.wait()
        table.next_generation()
        if self.moves:
            for worker in workers:
                worker.prepare(position, self.moves, limits, options)
            if len(workers) > 1:
                workers[0].lead(workers[1:])

    @property
    def is_infinite(self) -> bool:
        """Whether only `stop` ends the search."""
        return self._limits.infinite

    @property
    def is_pondering(self) -> bool:
        """Whether the search is pondering, and so waits for `ponderhit` or `stop`."""
        return self._limits.ponder and self._state is State.HELD

    def stop(self) -> None:
        """End the search with the best move found so far, but not before the first iteration has found a move."""
        with self._changed:
            if self._state is not State.ENDED:
                self._state = State.STOPPING
                self._stop_workers()
                self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock, because the expected move was played. If `limits` is given, its times replace those with
        which the search was started. If the best move is already clear, the search ends soon."""
        with self._changed:
            if self._state is State.HELD and not self._limits.infinite:
                if limits is not None:
                    self._budget = self._budget_of(limits)
                self._state = State.RUNNING
                self._clock_from = time.perf_counter()
                self._start_timer(self._found)
                self._changed.notify_all()

    def _budget_of(self, limits: Limits) -> Budget | None:
        position = self._position
        return budget(limits, position.turn, position.ply, self._options.clock, position.variant.squares)

    def wait(self) -> None:
        """Wait until the search may answer. An infinite search waits for `stop`, a pondering one for `ponderhit` or
        `stop`."""
        with self._changed:
            self._changed.wait_for(lambda: self._state is not State.HELD)

    def run(self, report: ReportInfo | None = None) -> Result:
        """Search until a limit is reached or `stop` is called, and return the result. `report` is called with each
        progress report."""
        if not self.moves:
            return Result(None, None, "mate", 0, 0, 0)
        if self._options.declaration and self._position.may_declare():
            return Result(DECLARATION, None, "cp", RULE_WIN, 0, 0)
        self._table.wait()
        with self._changed:
            if self._state is State.RUNNING and self._timer is None:
                self._start_timer(None)
        try:
            self._deepen(report)
            self.wait()
        finally:
            with self._changed:
                self._state = State.ENDED
                if self._timer is not None:
                    self._timer.cancel()
                    self._timer = None  # the timer would keep this search and the table in memory
            for worker in self._workers:
                worker.stop()
        return self._result()

    def _start_timer(self, found: Finding | None) -> None:
        """Start the timer that ends the search when, according to `found`, another iteration is not worthwhile. If
        `found` is None, the timer ends the search when all time is used. The caller must hold `_changed`."""
        if self._budget is not None:
            latest = self._clock_from + self._budget.maximum / 1000
            end = latest if found is None else min(self._due(found), latest)
            self._timer = threading.Timer(max(end - time.perf_counter(), 0.0), self._look_at_clock, [found])
            self._timer.daemon = True
            self._timer.start()
            self._set_deadlines()

    def _look_at_clock(self, found: Finding | None) -> None:
        """Stop the search; the timer calls this. If a later iteration has replaced `found` since the timer was started,
        start the timer again instead."""
        with self._changed:
            if found is None or found is self._found:
                self.stop()
            elif self._state is State.RUNNING:
                self._start_timer(None)

    def _set_deadlines(self) -> None:
        """Tell the kernels the latest time to stop. They check it themselves, because the timer's thread may wake up
        late. Do nothing before the first iteration has found a move. The caller must hold `_changed`."""
        if self._timer is not None and self._budget is not None and self._workers[0].depth > 0:
            for worker in self._workers:
                worker.limit_time(self._clock_from + self._budget.maximum / 1000)

    def _stop_workers(self) -> None:
        """Stop the kernels if the search is stopping and the first iteration has found a move. The caller must hold
        `_changed`."""
        if self._state is State.STOPPING and self._workers[0].depth > 0:
            for worker in self._workers:
                worker.stop()

    def _deepen(self, report: ReportInfo | None) -> None:
        """Search with increasing depth until a limit is reached, the search is stopped, or another iteration is not
        worthwhile."""
        main, limits = self._workers[0], self._limits
        steady, since = 0, self.started
        for depth in range(1, min(limits.depth or MAX_DEPTH, MAX_DEPTH) + 1):
            before, last_score = main.lines[0][0], main.scores[0]

            def tell(index: int, score: int, bound: str, depth: int = depth, before: int = before) -> None:
                if main.lines[0][0] != before or (index == 0 and bound == UPPER_BOUND):
                    with self._changed:
                        self._found = None  # the score falls or the move changes: do not stop early
                if report is not None:
                    report(self._info(depth, index, score, bound))

            main.deepen(depth, self._options.multipv, tell)
            if depth == 1:
                main.limit_nodes(limits.nodes or 0)
                with self._changed:
                    self._stop_workers()
                    self._set_deadlines()
            if main.stopped:
                return
            steady = steady + 1 if depth > 1 and main.lines[0][0] == before else 0
            since = since if steady else time.perf_counter()
            falling = last_score - main.scores[0] if depth > 1 else 0
            if self._is_enough(self._finding(main, steady, falling, since)):
                return

    def _finding(self, main: Worker, steady: int, falling: int, since: float) -> Finding:
        plies_to_mate = MATE - abs(main.scores[0])
        proven = abs(main.scores[0]) > MATE_BOUND and main.depth > plies_to_mate + 2
        return Finding(main.depth, len(main.scores), steady, falling, main.effort(), since, proven)

    def _is_enough(self, found: Finding) -> bool:
        """Return whether the search should end after the iteration with the result `found`, because another iteration
        is not worthwhile."""
        with self._changed:
            self._found = found
            now = time.perf_counter()
            if self._state is State.HELD or self._budget is None or now < self._due(found):
                return False
            return found.proven or found.choices == 1 or not self._use_up_second(now)

    def _use_up_second(self, now: float) -> bool:
        """Extend the time to the end of the current second if the clock counts whole seconds. Return whether any time
        is left in that second. The caller must hold `_changed`."""
        assert self._budget is not None
        elapsed = (now - self._clock_from) * 1000
        end = self._budget.paid_until(elapsed)
        if end > elapsed:
            self._budget = replace(self._budget, maximum=end)
            if self._timer is not None:
                self._timer.cancel()
            self._start_timer(None)
        return end > elapsed

    def _due(self, found: Finding) -> float:
        """Return the value of time.perf_counter() after which another iteration is not worthwhile, given `found`, the
        result of the last one."""
        assert self._budget is not None
        credit = max(self._clock_from - found.since, 0.0) * 1000
        return self._clock_from + self._budget.due(found, credit) / 1000

    def _nodes(self) -> int:
        return sum(worker.nodes for worker in self._workers)

    def _info(self, depth: int, index: int, score: int, bound: str) -> Info:
        elapsed = time.perf_counter() - self.started
        kind, value = score_and_kind(score)
        nodes = self._nodes()
        return Info(
            depth=depth,
            seldepth=max(worker.seldepth for worker in self._workers),
            multipv=index + 1,
            score_kind=kind,
            score=value,
            bound=bound,
            nodes=nodes,
            nps=int(nodes / max(elapsed, 1e-6)),
            hashfull=self._table.permille_used(),
            time_ms=int(elapsed * 1000),
            pv=self._position.variation(self._workers[0].lines[index]),
        )

    def _result(self) -> Result:
        main = self._workers[0]
        if main.lines[0][0] not in self.moves:
            raise RuntimeError(f"the search chose the illegal move {main.lines[0][0]:#x}")
        line = self._position.variation(main.lines[0])
        kind, score = score_and_kind(main.score)
        return Result(line[0], line[1] if len(line) > 1 else None, kind, score, main.depth, self._nodes())


class Searcher:
    """An engine's memory between searches: transposition table, histories and search workers. It runs one search at a
    time."""

    def __init__(self, hash_mb: int = 64, threads: int = 1, variant: Variant = DEFAULT, network: bool = True) -> None:
        """Allocate a transposition table of `hash_mb` MB, and create the search workers. They evaluate with the
        network, or, if `network` is false, with handcrafted terms only. Raises MemoryError if the table cannot be
        allocated, WeightsError if the network cannot be read."""
        self._table = Table(hash_mb)
        self._threads = threads
        self._variant, self._network = variant, network
        self._workers: list[Worker] = []
        self._fit_workers()

    def _fit_workers(self) -> None:
        """Create one search worker per useful thread, or a single one for a variant with a die. If the number of
        workers is right already, keep them."""
        kind, count = (DiceWorker, 1) if self._variant.die else (AlphaBetaWorker, useful_threads(self._threads))
        if len(self._workers) != count:
            self._workers = [kind(self._variant, self._table, self._network) for _ in range(count)]

    def wait(self) -> None:
        """Wait until the memory of the transposition table has been cleared."""
        self._table.wait()

    def lend(self) -> Table:
        """Return the transposition table, for another use between two searches. First wait until no helper thread uses
        it."""
        for worker in self._workers[1:]:
            worker.wait()
        return self._table

    def resize(self, hash_mb: int) -> None:
        """Replace the transposition table by an empty one of `hash_mb` MB. If the new table cannot be allocated, raise
        MemoryError and keep the old one."""
        self._table = Table(hash_mb)
        self._workers = []
        self._fit_workers()

    def set_threads(self, threads: int) -> None:
        """Set the number of threads for the following searches."""
        self._threads = threads
        self._fit_workers()

    def set_variant(self, variant: Variant) -> None:
        """Prepare searches of a variant. If it is another one than before, this clears the table and creates new
        workers, which takes some 30 ms for 9x9 shogi."""
        if variant != self._variant:
            self._variant = variant
            self._table.clear()
            self._workers = []
            self._fit_workers()

    def use_network(self, network: bool) -> None:
        """Set whether the following searches evaluate with the network, and forget what earlier searches found. Raises
        WeightsError, and changes nothing, if the network cannot be read."""
        tuned(self._variant, network)
        self.new_game()
        self._network, self._workers = network, []
        self._fit_workers()

    def new_game(self) -> None:
        """Forget everything that earlier searches found, so that the next search is reproducible."""
        for worker in self._workers[1:]:
            worker.wait()
        self._table.clear()
        for worker in self._workers:
            worker.forget()

    def start(
        self, position: BasePosition, limits: Limits, options: SearchOptions | None = None, started: float | None = None
    ) -> Search:
        """Return a search of a copy of the position, ready to run. `started` is the value of time.perf_counter() at
        which its clock started. Raises ValueError if `limits` contain an impossible roll or an illegal move."""
        self.set_variant(position.variant)
        started = time.perf_counter() if started is None else started
        return Search(self._workers, self._table, position, limits, options or SearchOptions(), started)

    def search(
        self,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions | None = None,
        report: ReportInfo | None = None,
        started: float | None = None,
    ) -> Result:
        """Start and run a search of the position, and return its result. `report` is called with each progress
        report."""
        return self.start(position, limits, options, started).run(report)
