"""Run searches: iterative deepening, threads, clocks, progress reports, and the memory kept between searches.

  searcher = Searcher(hash_mb=64, variant=position.variant)
  result = searcher.search(position, Limits(movetime=1000))

`Searcher.start` returns a `Search`, which other threads can stop before, during and after its run.
"""

from __future__ import annotations

import threading
import time

from kogoma.eval.game import default_game
from kogoma.rules.base_position import BasePosition
from kogoma.rules.variants import DEFAULT, FACES, Variant
from kogoma.search.answers import DECLARATION, LOWER_BOUND, UPPER_BOUND
from kogoma.search.control import DECLARES, now
from kogoma.search.dice.curve import FULL
from kogoma.search.dice.values import NAMED
from kogoma.search.driver import KERNELS_SEE_TIME, Driver
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.processors import useful_threads
from kogoma.search.score import score_and_kind
from kogoma.search.search import Info, ReportInfo, Result, Search, State
from kogoma.search.table_memory import Table
from kogoma.search.tablebase.root import Values, look_up
from kogoma.search.thread import RULE_WIN


class TreeSearch(Search):
    """A search of the game tree by the kernels."""

    def __init__(
        self,
        driver: Driver,
        table: Table,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions,
        started: float,
        endings: Values | None = None,
    ) -> None:
        """Prepare the search, whose nodes look up positions in `endings` if those are Onitama's. Raises ValueError if
        `limits` contain an impossible roll or an illegal move."""
        super().__init__(position, limits, started)
        self._driver, self._table = driver, table
        self._begun = driver.begin(position, limits, options, started, endings)
        self.moves = driver.root_moves
        if driver.control["limited"] and self._state is State.RUNNING:
            self.latest = int(driver.control["maximum"]) / 1000
        self._timer: threading.Timer | None = None  # guarded by _changed

    def _stop(self) -> None:
        self._driver.stop()

    def _start_clock(self, limits: Limits | None) -> None:
        self._driver.start_clock(limits)
        self._watch_clock()

    def run(self, report: ReportInfo | None = None) -> Result:
        """Search until a limit is reached or `stop` is called, and return the result. `report` is called with each
        progress report."""
        if self._begun == 0:
            return Result(None, None, "mate", 0, 0, 0)
        if self._begun == DECLARES:
            return Result(DECLARATION, None, "cp", RULE_WIN, 0, 0)
        self._table.wait()
        try:
            while self._driver.iterate():
                self._watch_clock()
                if report is not None:
                    report(self._info())
            self.wait()
        finally:
            with self._changed:
                self._state = State.ENDED
                if self._timer is not None:
                    self._timer.cancel()
                    self._timer = None  # the timer would keep this search and the table in memory
            self._driver.end()
        return self._result()

    def _watch_clock(self) -> None:
        """Stop the search at its deadline if the kernels cannot read the clock on this system. The deadline is looked
        up again when the time is over, because an iteration may have moved it."""
        if KERNELS_SEE_TIME:
            return
        with self._changed:
            if self._state is not State.RUNNING or self._timer is not None:
                return
            if deadline := int(self._driver.main.fields["deadline"]):
                self._timer = threading.Timer(max(deadline - now(), 0) / 1e9, self._look_at_clock)
                self._timer.daemon = True
                self._timer.start()

    def _look_at_clock(self) -> None:
        with self._changed:
            self._timer = None
            if now() >= int(self._driver.main.fields["deadline"]):
                self.stop()
        self._watch_clock()

    def _info(self) -> Info:
        elapsed = time.perf_counter() - self.started
        driver, control = self._driver, self._driver.control
        kind, value = score_and_kind(int(control["line_score"]))
        bound = ("", UPPER_BOUND, LOWER_BOUND)[int(control["line_bound"])]
        nodes = driver.nodes
        return Info(
            depth=int(control["depth"] if not bound else control["iteration"]),
            seldepth=driver.seldepth,
            multipv=int(control["line_index"]) + 1,
            score_kind=kind,
            score=value,
            bound=bound,
            nodes=nodes,
            nps=int(nodes / max(elapsed, 1e-6)),
            hashfull=self._table.permille_used(),
            time_ms=int(elapsed * 1000),
            pv=self._position.variation(driver.line),
            tbhits=driver.endings_hits,
        )

    def _result(self) -> Result:
        driver, control = self._driver, self._driver.control
        line = driver.line
        if not line or line[0] not in self.moves:
            raise RuntimeError(f"the search chose an illegal move: {line[:1]}")
        moves = self._position.variation(line)
        kind, score = score_and_kind(int(control["line_score"]))
        return Result(moves[0], moves[1] if len(moves) > 1 else None, kind, score, int(control["depth"]), driver.nodes)


class Searcher:
    """An engine's memory between searches: transposition table and histories. It runs one search at a
    time."""

    def __init__(self, hash_mb: int = 64, threads: int = 1, variant: Variant = DEFAULT, network: bool = True) -> None:
        """Allocate a transposition table of `hash_mb` MB, and the memory of the search threads. Searches evaluate with
        the network, or, if `network` is false, with handcrafted terms only. Raises MemoryError if the table cannot be
        allocated, WeightsError if the network cannot be read."""
        self._table = Table(hash_mb)
        self._threads = threads
        self._variant, self._network = variant, network
        self._driver = self._new_driver()
        self._tablebase: Values | None = None

    def use_tablebase(self, tablebase: Values | None) -> None:
        """Answer the following searches from a tablebase if it has the position (None: search all positions)."""
        self._tablebase = tablebase

    def _new_driver(self) -> Driver:
        return Driver(self._variant, self._table, useful_threads(self._threads), self._network)

    def wait(self) -> None:
        """Wait until the memory of the transposition table has been cleared."""
        self._table.wait()

    def lend(self) -> Table:
        """Return the transposition table, for another use between two searches. First wait until no helper thread uses
        it."""
        self._driver.wait()
        return self._table

    def resize(self, hash_mb: int) -> None:
        """Replace the transposition table by an empty one of `hash_mb` MB. If the new table cannot be allocated, raise
        MemoryError and keep the old one."""
        self._table = Table(hash_mb)
        self._driver = self._new_driver()

    def set_threads(self, threads: int) -> None:
        """Set the number of threads for the following searches."""
        self._threads = threads
        if self._driver.threads != useful_threads(threads) and not self._variant.die:
            self._driver = self._new_driver()

    def set_variant(self, variant: Variant) -> None:
        """Prepare searches of a variant. If it is another one than before, this clears the table and creates new
        workers, which takes some 30 ms for 9x9 shogi."""
        if variant != self._variant:
            self._variant = variant
            self._table.clear()
            self._driver = self._new_driver()

    def use_network(self, network: bool) -> None:
        """Set whether the following searches evaluate with the network, and forget what earlier searches found. Raises
        WeightsError, and changes nothing, if the network cannot be read."""
        default_game(self._variant, network)
        self.new_game()
        self._network = network
        self._driver = self._new_driver()

    def new_game(self) -> None:
        """Forget everything that earlier searches found, so that the next search is reproducible."""
        self._driver.wait()
        self._table.clear()
        self._driver.forget()

    def start(
        self, position: BasePosition, limits: Limits, options: SearchOptions | None = None, started: float | None = None
    ) -> Search:
        """Return a search of a copy of the position, ready to run. `started` is the value of time.perf_counter() at
        which its clock started. Raises ValueError if `limits` contain an impossible roll or an illegal move."""
        self.set_variant(position.variant)
        started = time.perf_counter() if started is None else started
        options = options or SearchOptions()
        tablebase = None if options.noise else self._tablebase
        if tablebase is not None:
            if (known := look_up(tablebase, position, limits, options, started)) is not None:
                return known
        return TreeSearch(self._driver, self._table, position, limits, options, started, tablebase)

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

    def roll_values(self, position: BasePosition, depth: int) -> list[float]:
        """Return the winning chance, from 0 to 1, of the side to move for each die roll from 1 to 6, found by one
        search to `depth` before the roll. The position's variant must have a die, and there must be a legal move."""
        codes = [position.legal_codes(roll) for roll in range(1, FACES + 1)]
        free = [len(allowed) == len(codes[-1]) for allowed in codes]  # a 6 allows every move
        if all(free):
            return [0.5] * FACES  # it does not matter here, so it is not searched
        self.search(position, Limits(depth=depth))
        thread = self._driver.main.fields
        named = min(position.variant.files, NAMED)  # files that faces name; face 1 names the right-most one
        values = {roll: int(thread["lo"][0, named - 1 - roll]) for roll in range(FACES) if not free[roll]}
        others = [int(thread["lo"][0, NAMED])] if thread["best"][0, NAMED] else []  # moves to files without a name
        best = max(*values.values(), *others)
        return [(values.get(roll, best) / FULL + 1) / 2 for roll in range(FACES)]
