"""Iterative deepening, seen from Python: threads, clocks and reports around one kernel call an iteration."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from rules.dice.die import allowed_codes
from rules.native.layout import MAX_PLY
from rules.position import BasePosition
from rules.variants import DEFAULT, Variant
from search.dice.worker import DiceWorker
from search.root_moves import root_moves
from search.table import Table
from search.thread import MATE, MATE_BOUND, RULE_WIN
from search.time import DECLARATION, Budget, ClockOptions, Limits, budget
from search.worker import Line, Worker

MAX_DEPTH = MAX_PLY - 10
ENOUGH_WITHOUT_CHOICE = 4  # depth that gives a forced move its score


@dataclass(frozen=True)
class SearchOptions:
    """What a user may set. Draw values are centipawns for that colour; max_moves_to_draw is in plies of the game,
    0 for the variant's own limit; `declaration` whether a win may be declared where the variant has that."""

    multipv: int = 1
    draw_value_black: int = 0
    draw_value_white: int = 0
    max_moves_to_draw: int = 0
    declaration: bool = True
    clock: ClockOptions = field(default_factory=ClockOptions)


@dataclass(frozen=True)
class Info:
    """One line of progress. `score` is in centipawns, or in plies to mate, for the side to move; `bound` is "" for an
    exact score, otherwise lowerbound or upperbound."""

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
    """The end of a search. `best` is None where there is no legal move, DECLARATION where the game is won by it."""

    best: str | None
    ponder: str | None
    score_kind: str
    score: int
    depth: int
    nodes: int


Report = Callable[[Info], None]


def score_words(score: int) -> tuple[str, int]:
    """("cp", centipawns) or ("mate", plies), negative where the side to move is mated."""
    if abs(score) > MATE_BOUND:
        plies = MATE - abs(score)
        return "mate", plies if score > 0 else -plies
    return "cp", score


class Searcher:
    """An engine's memory: table, histories and threads, kept from move to move.

    One search at a time; stop() and ponderhit() may come from any thread, also when nothing is searched.
    """

    def __init__(self, hash_mb: int = 64, threads: int = 1, variant: Variant = DEFAULT) -> None:
        self._table = Table(hash_mb)
        self._threads = threads
        self._variant = variant
        self._workers: list[Worker | DiceWorker] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._armed = False  # flags are clear for the next search
        self._halting = False
        self._may_halt = False  # the first depth is done: there is a move to answer with
        self._released = threading.Event()  # an answer may be given: not infinite, not pondering
        self._budget: Budget | None = None
        self._clock_from = 0.0
        self._staff()

    def _staff(self) -> None:
        """As many workers as threads, with the table and the variant of now; one where there is a die."""
        kind, count = (DiceWorker, 1) if self._variant.die else (Worker, self._threads)
        while len(self._workers) < count:
            self._workers.append(kind(self._variant, self._table))
        del self._workers[count:]

    def wait(self) -> None:
        """Until the memory that a new searcher asks for is there: loading can go on in the meantime."""
        self._table.wait()

    def resize(self, hash_mb: int) -> None:
        """A new, empty table of that many MB; MemoryError, and the old one kept, if it can't be had."""
        self._table = Table(hash_mb)
        self._workers = []
        self._staff()

    def set_threads(self, threads: int) -> None:
        """How many threads the next search uses."""
        self._threads = threads
        self._staff()

    def new_game(self) -> None:
        """Forget all earlier games, so that the next search repeats node for node."""
        self._table.clear()
        for worker in self._workers:
            worker.forget()

    def arm(self) -> None:
        """Announce a search: a stop() or ponderhit() from now on is meant for it, even if it comes before search()."""
        with self._lock:
            self._armed = True
            self._halting = self._may_halt = False
            self._released.clear()

    def stop(self) -> None:
        """End the search: it returns the best move found so far, after at least one depth."""
        self._released.set()
        self._halt()

    def ponderhit(self) -> None:
        """The expected move was played: the clock runs from now."""
        with self._lock:
            if not self._released.is_set():
                self._released.set()
                self._start_clock(time.perf_counter())

    def _halt(self) -> None:
        with self._lock:
            self._halting = True
            self._halt_workers()

    def _halt_workers(self) -> None:
        if self._halting and self._may_halt:
            for worker in self._workers:
                worker.stop()

    def _start_clock(self, since: float) -> None:
        self._clock_from = since
        if self._budget is not None:
            remaining = since + self._budget.maximum / 1000 - time.perf_counter()
            self._timer = threading.Timer(max(remaining, 0.0), self._halt)
            self._timer.daemon = True
            self._timer.start()

    def search(
        self,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions | None = None,
        report: Report | None = None,
        started: float | None = None,
    ) -> Result:
        """Search until a limit is reached or stop() comes; blocks. `started` is the time.perf_counter() from which
        the clock counts."""
        started = time.perf_counter() if started is None else started
        options = options or SearchOptions()
        self._enter(position.variant)
        moves = root_moves(position, self._workers[0].rules)
        if not moves:
            return Result(None, None, "mate", 0, 0, 0)
        if options.declaration and position.may_declare():
            return Result(DECLARATION, None, "cp", RULE_WIN, 0, 0)
        if limits.dice is not None:
            moves = allowed_codes(position, limits.dice)
        wanted = [move for move in moves if position.usi(move) in limits.searchmoves]
        moves = wanted or moves
        self._prepare(position, moves, limits, options)
        if not self._armed:
            self.arm()
        with self._lock:
            self._armed = False
            self._budget = budget(limits, position.turn, position.ply, options.clock, position.variant.squares)
            if limits.ponder and self._released.is_set():
                self._start_clock(time.perf_counter())
            elif not (limits.infinite or limits.ponder):
                self._released.set()
                self._start_clock(started)
        helpers = [
            threading.Thread(target=self._help, args=(worker, number), daemon=True)
            for number, worker in enumerate(self._workers[1:])
        ]
        for helper in helpers:
            helper.start()
        try:
            self._deepen(position, limits, options, report, started)
            self._released.wait()
        finally:
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            self._may_halt = True
            self._halt()
            for helper in helpers:
                helper.join()
        main = self._workers[0]
        line = position.variation(main.lines[0])
        kind, score = score_words(main.scores[0])
        return Result(line[0], line[1] if len(line) > 1 else None, kind, score, main.depth, self._nodes())

    def _enter(self, variant: Variant) -> None:
        """Another game needs another memory."""
        if variant != self._variant:
            self._variant = variant
            self._table.clear()
            self._workers = []
            self._staff()

    def _prepare(self, position: BasePosition, moves: list[int], limits: Limits, options: SearchOptions) -> None:
        self._table.wait()
        self._table.next_generation()
        ends = [plies for plies in (position.variant.max_plies, options.max_moves_to_draw) if plies]
        # What a draw is worth to the engine's side, it is not worth to the other.
        draw = options.draw_value_white if position.turn else options.draw_value_black
        draws = [-draw, draw] if position.turn else [draw, -draw]
        for worker in self._workers:
            if isinstance(worker, DiceWorker):
                worker.thrown = limits.dice is not None
            worker.prepare(position, moves, min(ends, default=0), draws, options.declaration)

    def _nodes(self) -> int:
        return sum(worker.nodes for worker in self._workers)

    def _help(self, worker: Worker | DiceWorker, number: int) -> None:
        """A helper fills the table; every other one runs a ply ahead, so that they spread out."""
        for depth in range(1 + number % 2, MAX_DEPTH + 1):
            worker.deepen(depth, 1, lambda line: None)
            if worker.stopped:
                return

    def _deepen(
        self, position: BasePosition, limits: Limits, options: SearchOptions, report: Report | None, started: float
    ) -> None:
        main = self._workers[0]
        last_best, steady, last_score = 0, 0, 0
        for depth in range(1, min(limits.depth or MAX_DEPTH, MAX_DEPTH) + 1):

            def tell(line: Line, depth: int = depth) -> None:
                if report is not None:
                    report(self._info(position, depth, line, started))

            main.deepen(depth, options.multipv, tell)
            if depth == 1:
                main.limit_nodes(limits.nodes or 0)
                with self._lock:
                    self._may_halt = True
                    self._halt_workers()
            if main.stopped:
                return
            best, score = main.lines[0][0], main.scores[0]
            steady = steady + 1 if best == last_best else 0
            falling = last_score - score if depth > 1 else 0
            last_best, last_score = best, score
            if self._released.is_set() and self._enough(main, limits, depth, steady, falling):
                return

    def _enough(self, main: Worker | DiceWorker, limits: Limits, depth: int, steady: int, falling: int) -> bool:
        """Whether another iteration is not worth its time."""
        score = main.scores[0]
        plies = MATE - abs(score)
        if abs(score) > MATE_BOUND and (
            (limits.mate is not None and score > 0 and plies <= limits.mate) or (self._budget and depth > plies + 2)
        ):
            return True
        if self._budget is None:
            return False
        elapsed = (time.perf_counter() - self._clock_from) * 1000
        if len(main.scores) == 1 and depth >= ENOUGH_WITHOUT_CHOICE:
            return elapsed >= self._budget.minimum
        if self._budget.optimum >= self._budget.maximum:
            return elapsed >= self._budget.maximum
        # A settled move deserves less than its share, a falling score or a contested move more.
        share = self._budget.optimum * (1.2 - 0.08 * min(steady, 8))
        share *= 1.0 + min(max(falling, 0), 200) / 200
        share *= 1.5 - 0.8 * main.effort()
        return elapsed >= max(share * 0.7, self._budget.minimum)

    def _info(self, position: BasePosition, depth: int, line: Line, started: float) -> Info:
        index, score, moves, bound = line
        elapsed = time.perf_counter() - started
        kind, value = score_words(score)
        nodes = self._nodes()
        return Info(
            depth=depth,
            seldepth=max(int(worker.thread["seldepth"]) for worker in self._workers),
            multipv=index + 1,
            score_kind=kind,
            score=value,
            bound=bound,
            nodes=nodes,
            nps=int(nodes / max(elapsed, 1e-6)),
            hashfull=self._table.permille_used(),
            time_ms=int(elapsed * 1000),
            pv=position.variation(moves),
        )
