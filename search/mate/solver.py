"""The mate solver as Python steers it: limits, progress, and the solution's moves.

solver = MateSolver(Table(64))
answer = solver.solve(position, MateLimits(milliseconds=1000))
"""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np

from rules.moves import SQUARE_MASK
from rules.native.layout import position_dtype
from rules.native.record import Fields, Record, fields, new_record
from rules.native.rules_record import layout_of, rules_record
from rules.position import BasePosition
from rules.variants import Die, RepetitionResult, Variant
from search.library import mate_library
from search.mate.answer import MATE as MATE  # `as`: others find these names here, too
from search.mate.answer import NO_MATE as NO_MATE
from search.mate.answer import UNKNOWN as UNKNOWN
from search.mate.answer import MateAnswer as MateAnswer
from search.mate.answer import MateLimits as MateLimits
from search.mate.answer import MateProgress as MateProgress
from search.mate.record import NO_LIMIT, mate_dtype
from search.table import Table
from search.worker import KERNELS_SEE_TIME

TELL_EVERY = 1.0  # seconds
BUCKET = 4  # of the table's buckets make one of the solver's, with so many words, entries, and the rest from REST on
WORDS, SLOTS, REST = 32, 8, 24
SAMPLE = 250  # buckets looked at for `hashfull`

_SEARCHES = itertools.count(1)  # of this process: entries of one are none to another


def _salt(number: int) -> int:
    """A word that differs from search to search, and is the same for the first one of every process."""
    return number * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15 & (1 << 64) - 1


Report = Callable[[MateProgress], None]


@cache
def mate_rules(variant: Variant) -> Record:
    """The rules as the solver plays them: a king is not left to be captured. Shared, so not to be written."""
    rules = rules_record(variant).copy()
    if not variant.cards:
        fields(rules)["king_capture"] = 0
    return rules


def refusal(variant: Variant) -> str | None:
    """Why a game has no mates to be solved; None if it has."""
    return f"{variant.name} is played with a die" if variant.die is not Die.NONE else None


class MateSolver:
    """A solver with a table of its own, or the engine's. One problem at a time; `stop` may come from any thread."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._layout = ""
        self._mate: Record = None
        self._board: Record = None
        self._rules: Record = None
        self._variant: Variant | None = None
        self._records = list[int]()
        self._stopping = threading.Event()
        self._generation = 0

    def stop(self) -> None:
        """End the search under way: its answer is "timeout", unless a mate is known."""
        self._stopping.set()
        if self._mate is not None:
            fields(self._mate)["stop"] = 1

    def solve(
        self,
        position: BasePosition,
        limits: MateLimits | None = None,
        report: Report | None = None,
        started: float | None = None,
    ) -> MateAnswer:
        """Whether the side to move mates by force: with checks alone, or, where the king or master is captured, at all.

        `started` is the time.perf_counter() from which the clock counts. ValueError for a game with a die.
        """
        if reason := refusal(position.variant):
            raise ValueError(f"no mates are solved: {reason}")
        return _Problem(self, position, limits or MateLimits(), report, started).answer()

    def verdict(self, position: BasePosition, limits: MateLimits | None = None) -> str:
        """As `solve`, but the verdict alone."""
        if reason := refusal(position.variant):
            raise ValueError(f"no mates are solved: {reason}")
        return _Problem(self, position, limits or MateLimits(), None, None).verdict()

    def is_mated(self, position: BasePosition, limits: MateLimits | None = None) -> str:
        """The verdict on the move that led here: whether the side that made it mates, whatever is played now."""
        return _Problem(self, position, limits or MateLimits(), None, None, 1 - position.turn).verdict_on_move()

    def prepared(self, position: BasePosition, attacker: int) -> tuple[Fields, list[int]]:
        """The solver's record by names, ready for a search with a table of which nothing is known, and the addresses of
        the rules, of a copy of the position, and of that record."""
        if position.variant is not self._variant:
            self._set_up(position.variant)
        state = fields(self._mate)
        self._table.wait()
        state["tt"] = self._table.address
        state["tt_mask"] = self._table.buckets // BUCKET - 1
        number = next(_SEARCHES)
        self._generation = number % 255 + 1
        state["generation"] = self._generation
        state["salt"] = _salt(number)
        state["attacker"] = attacker
        for name in ("stop", "node_limit", "deadline", "nodes", "seldepth", "every_move", "same_hands"):
            state[name] = 0
        if self._stopping.is_set():
            state["stop"] = 1
        self._board.view(np.uint8)[:] = position.record.view(np.uint8)  # as one block: field by field takes longer
        return state, self._records

    def _set_up(self, variant: Variant) -> None:
        """Records for another game. What they need is worked out once: a short search takes no longer than that."""
        layout = layout_of(variant)
        if layout != self._layout:
            self._mate, self._layout = new_record(mate_dtype(layout)), layout
            self._board = new_record(position_dtype(layout))
        self._variant, self._rules = variant, mate_rules(variant)
        self._records = [record.ctypes.data for record in (self._rules, self._board, self._mate)]

    @property
    def stopped(self) -> bool:
        """Whether `stop` has come."""
        return self._stopping.is_set()

    def forget_stop(self) -> None:
        """A new search begins: an earlier `stop` was not for it."""
        self._stopping.clear()

    def permille_used(self) -> int:
        """How full the table is with this search's entries, in thousandths, by a sample."""
        words = min(SAMPLE * WORDS, self._table.buckets * WORDS // BUCKET)
        memory = (ctypes.c_uint64 * words).from_address(self._table.address)
        rests = [word for start in range(REST, words, WORDS) for word in memory[start : start + SLOTS]]
        return sum(word >> 48 & 255 == self._generation for word in rests) * 1000 // len(rests)


class _Problem:
    """One position, and what is found of it."""

    def __init__(
        self,
        solver: MateSolver,
        position: BasePosition,
        limits: MateLimits,
        report: Report | None,
        started: float | None,
        attacker: int | None = None,
    ) -> None:
        """`attacker` is the side that is to mate, by default the side to move."""
        self._solver, self._limits, self._report = solver, limits, report
        self._position = position
        self._variant = position.variant
        self._library = mate_library(layout_of(position.variant))
        self._library.load()
        self._started = time.perf_counter() if started is None else started
        self._state, self._records = solver.prepared(position, position.turn if attacker is None else attacker)
        self._text = "looking for a mate"

    def answer(self) -> MateAnswer:
        """Search within the limits, for the moves, too."""
        with self._watched():
            found = self._solved()
        self._tell()
        return replace(found, nodes=int(self._state["nodes"]), time_ms=self._elapsed())

    def verdict(self) -> str:
        """Search within the limits, for the verdict alone."""
        if self._is_over():
            return NO_MATE
        if self._king_to_take():
            return MATE
        return self.verdict_on_move()

    def verdict_on_move(self) -> str:
        """The same where the defender is to move, who may have no move."""
        with self._watched():
            return (UNKNOWN, MATE, NO_MATE)[self._decided()]

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Within the limits."""
        self._limit()
        if self._report is None and (self._limits.milliseconds is None or KERNELS_SEE_TIME):
            yield  # nobody has to be told anything, and the kernels end in time by themselves
            return
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,), name="mate progress", daemon=True)
        watch.start()
        try:
            yield
        finally:
            done.set()

    def _limit(self) -> None:
        state, variant = self._state, self._variant
        state["node_limit"] = self._limits.nodes or 0
        if self._limits.milliseconds is not None and KERNELS_SEE_TIME:
            state["deadline"] = int((self._started + self._limits.milliseconds / 1000) * 1e9)
        # A position of the game that may come once more only is the end of some lines, whatever the hands are.
        if self._position.moves and variant.repetition_result is not RepetitionResult.NONE:
            keys = self._position.fields["key"][: int(self._position.fields["ply"]) + 1].tolist()
            state["same_hands"] = int(max(Counter(keys).values()) >= variant.repetition_fold - 1)

    def _watch(self, done: threading.Event) -> None:
        """Tell how far the search is, and end it in time, on a thread of its own."""
        end = None if self._limits.milliseconds is None else self._started + self._limits.milliseconds / 1000
        tell_at = time.perf_counter() + TELL_EVERY
        while True:
            until = tell_at if end is None else min(tell_at, end)
            if done.wait(max(until - time.perf_counter(), 0.0)):
                return
            now = time.perf_counter()
            if end is not None and now >= end:
                self._state["stop"] = 1
                return
            if now >= tell_at:
                self._tell()
                tell_at = now + TELL_EVERY

    def _elapsed(self) -> int:
        return max(round((time.perf_counter() - self._started) * 1000), 0)

    def _tell(self) -> None:
        if self._report is not None:
            ms, nodes = self._elapsed(), int(self._state["nodes"])
            depth, used = int(self._state["seldepth"]), self._solver.permille_used()
            self._report(MateProgress(depth, nodes, nodes * 1000 // max(ms, 1), ms, used, self._text))

    def _plies_left(self) -> int:
        """Plies of the game until it is a draw, and those that the limits allow."""
        variant, position = self._variant, self._position
        left = variant.max_plies - position.ply if variant.max_plies else NO_LIMIT
        return min(left, self._limits.plies or NO_LIMIT, NO_LIMIT)

    def _decided(self) -> int:
        """What `solve` says of the position: 1 a mate, 2 none, 0 unknown."""
        allowed = self._plies_left()
        verdict = self._ask(allowed)
        if verdict == 2 and self._by_force:
            # Not by threats alone: then by any moves.
            self._text = "not by threats alone"
            self._allow_every_move()
            verdict = self._ask(allowed)
        return verdict

    def _is_over(self) -> bool:
        """Whether the game has ended already. Where nothing but the lack of moves could have ended it, the search finds
        that out sooner: there is no check then."""
        position, variant = self._position, self._variant
        by_rules = variant.king_capture or variant.goal or variant.cards or variant.max_plies
        return bool((position.moves or by_rules) and position.outcome() is not None)

    def _king_to_take(self) -> str:
        """A move that captures the king, where that is how the game is won; "" if there is none."""
        position = self._position
        if not self._variant.king_capture or self._variant.cards:
            return ""
        king = int(position.fields["king"][1 - position.turn][0])
        return next((position.usi(move) for move in position.legal_codes() if move & int(SQUARE_MASK) == king), "")

    @property
    def _by_force(self) -> bool:
        """Whether a win counts that takes moves without a threat."""
        return self._variant.king_capture and not self._limits.checks_only

    def _allow_every_move(self) -> None:
        self._state["every_move"] = 1
        self._state["salt"] = _salt(next(_SEARCHES))

    def _solved(self) -> MateAnswer:
        """The verdict, and the moves of a mate."""
        if self._is_over():
            return MateAnswer(NO_MATE)
        if capture := self._king_to_take():
            return MateAnswer(MATE, [capture], 1, True)
        verdict = self._decided()
        if verdict != 1:
            return MateAnswer(NO_MATE if verdict == 2 else UNKNOWN)
        plies, is_shortest = int(self._state["length"][1]), False
        self._text = f"mate in {plies}"
        best = self._line(plies)
        if self._limits.shortest and best is not None:
            best, plies, is_shortest = self._shorten(best, plies)
        if best is None:
            return MateAnswer(UNKNOWN)
        moves, useless = best
        return MateAnswer(MATE, moves, plies, is_shortest or plies == 1, useless)

    def _ask(self, limit: int) -> int:
        """What `solve` says of the position as it is now."""
        if self._solver.stopped:
            self._state["stop"] = 1
        return self._library("solve", *self._records, limit)

    def _shorten(self, best: tuple[list[str], int], plies: int) -> tuple[tuple[list[str], int], int, bool]:
        """Look for shorter mates until there is none; whether that was proven."""
        state = self._state
        if self._by_force and not state["every_move"]:
            self._allow_every_move()
        while plies > 1:
            verdict = self._ask(plies - 2)
            if verdict == 2:
                return self._line(plies, True) or best, plies, True
            if verdict == 0:
                return best, plies, False
            shorter = int(state["length"][1])
            line = self._line(shorter)
            if line is None:
                return best, plies, False
            best, plies = line, shorter
            self._text = f"mate in {plies}"
        return best, plies, True

    def _line(self, plies: int, exact: bool = False) -> tuple[list[str], int] | None:
        """The moves of a proven mate against the longest defence, and how many at the end are useless interpositions
        and their captures; None where the search is stopped first."""
        count = self._library("solution", *self._records, plies, int(exact))
        moves = self._state["line"][:count].tolist()
        return (self._position.variation(moves), int(self._state["useless"])) if count else None
