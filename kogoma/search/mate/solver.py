"""The mate solver as Python steers it: limits, progress, and the solution's moves.

solver = MateSolver(Table(64))
answer = solver.solve(position, MateLimits(milliseconds=1000))
"""

from __future__ import annotations

import ctypes
import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import TypeVar

from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import position_dtype
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.rules_struct import layout_of, rules_record
from kogoma.rules.structs import Struct, fields, new_struct
from kogoma.rules.variants import Die, RepetitionResult, Variant
from kogoma.search.library import mate_library
from kogoma.search.mate.state import NO_LIMIT, REFUTED, UNDECIDED, USELESS_SHIFT, fill_origins, mate_dtype, parts_of
from kogoma.search.table_memory import Table
from kogoma.search.worker import CAPTURE_DELAY, KERNELS_SEE_TIME

MATE, NO_MATE, UNKNOWN = "mate", "nomate", "timeout"


@dataclass(frozen=True)
class MateLimits:
    """What one problem may take: `milliseconds` and `nodes`, None for no limit; `shortest`: a mate is proven to be the
    shortest; `plies`: a longer mate is none; `checks_only`: where a king is captured, only checks count, too."""

    milliseconds: int | None = None
    nodes: int | None = None
    shortest: bool = False
    plies: int | None = None
    checks_only: bool = False


@dataclass(frozen=True)
class MateProgress:
    """How far a search is."""

    depth: int
    nodes: int
    nps: int
    time_ms: int
    hashfull: int


@dataclass(slots=True)  # sooner made than a frozen one: many problems take less time than that
class MateAnswer:
    """What is known of a position. `verdict` is "mate", "nomate" or "timeout".

    Of a mate: `moves` is the solution against the longest defence, `plies` within how many plies the side to move mates
    whatever is played, and `is_shortest` whether it is proven that it can't in fewer. There may be fewer `moves` than
    that, for they have no useless interposition where there is another defence; where there is none, the last `useless`
    of them are such, and the captures that answer them.
    """

    verdict: str
    moves: list[str] = field(default_factory=list)
    plies: int = 0
    is_shortest: bool = False
    useless: int = 0
    nodes: int = 0
    time_ms: int = 0


TELL_EVERY = 1.0  # seconds
BUCKET = 4  # of the table's buckets make one of the solver's, with so many words, entries, and the rest from REST on
WORDS, SLOTS, REST = 32, 8, 24
SAMPLE = 250  # buckets looked at for `hashfull`

_SEARCHES = itertools.count(1)  # of this process: entries of one are none to another
OTHER_SALT = 0xA5A5A5A5A5A5A5A5  # makes a second search of one


Report = Callable[[MateProgress], None]
Found = TypeVar("Found")
UNLIMITED = MateLimits()


@cache
def mate_rules(variant: Variant) -> Struct:
    """The rules as the solver plays them: a king is not left to be captured. Shared, so not to be written."""
    rules = rules_record(variant).copy()
    if not variant.cards:
        fields(rules)["king_capture"] = 0
    return rules


def _name(found: int) -> str:
    """Of what the kernels' `solve` returns."""
    return MATE if found >= 0 else NO_MATE if found == REFUTED else UNKNOWN


def refusal(variant: Variant) -> str | None:
    """Why a game has no mates to be solved; None if it has."""
    return f"{variant.name} is played with a die" if variant.die is not Die.NONE else None


class MateSolver:
    """A solver with a table of its own, or the engine's. One problem at a time; `stop` may come from any thread.

    Most problems take the kernels some ten microseconds, so that what Python does for each is kept short.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self._layout = ""
        self._mate: Struct = None
        self._board: Struct = None
        self._rules: Struct = None
        self._variant: Variant | None = None
        self.records = (0, 0, 0)
        self.stopping = threading.Event()

    def stop(self) -> None:
        """End the search under way: its answer is "timeout", unless a mate is known."""
        self.stopping.set()
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
        return _Problem(self, position, limits or UNLIMITED, report, started).answer()

    def verdict(self, position: BasePosition, limits: MateLimits | None = None) -> str:
        """As `solve`, but the verdict alone."""
        return _Problem(self, position, limits or UNLIMITED).verdict(False)

    def is_mated(self, position: BasePosition, limits: MateLimits) -> str:
        """The verdict on the move that led here: whether the side that made it mates, whatever is played now."""
        return _Problem(self, position, limits).verdict(True)

    def set_up(self, variant: Variant) -> None:
        """Records and entries for a game, unless they are there; ValueError for one with a die."""
        if variant is self._variant:
            return
        if reason := refusal(variant):
            raise ValueError(f"no mates are solved: {reason}")
        layout = layout_of(variant)
        if layout != self._layout:
            library = mate_library(layout)
            self.start = library.function("begin", 9)
            self.search = library.function("solve", 4)
            self.follow = library.function("solution", 5)
            self._board = new_struct(position_dtype(layout))
            self._mate, self._layout = new_struct(mate_dtype(layout)), layout
            self.state = fields(self._mate)
            self.line = self.state["line"]
            parts = parts_of(self._board.dtype)
            self.state["copy"], self.state["part_count"] = self._board.ctypes.data, len(parts)
            self.state["parts"][: len(parts)] = parts
            self.state["tt"], self.state["tt_full"] = self.table.address, self.table.buckets // BUCKET - 1
        self._variant, self._rules = variant, mate_rules(variant)
        self.ends_early = bool(variant.king_capture or variant.goal or variant.cards or variant.max_plies)
        if not variant.cards:
            fill_origins(fields(self._rules), self.state["origins"])
        self.records = (self._rules.ctypes.data, self._board.ctypes.data, self._mate.ctypes.data)

    def permille_used(self) -> int:
        """How full the table is with this search's entries, in thousandths, by a sample of the part in use."""
        words = min(SAMPLE * WORDS, self.table.buckets * WORDS // BUCKET)
        memory = (ctypes.c_uint64 * words).from_address(self.table.address)
        rests = [word for start in range(REST, words, WORDS) for word in memory[start : start + SLOTS]]
        generation = int(self.state["generation"])
        used = sum(word >> 48 & 255 == generation for word in rests) * 1000 // len(rests)
        return used * int(self.state["tt_mask"]) // max(int(self.state["tt_full"]), 1)


class _Problem:
    """One position, and what is found of it."""

    def __init__(
        self,
        solver: MateSolver,
        position: BasePosition,
        limits: MateLimits,
        report: Report | None = None,
        started: float | None = None,
    ) -> None:
        self._solver, self._position, self._limits, self._report = solver, position, limits, report
        self._variant = position.variant
        solver.set_up(position.variant)
        self._started = time.perf_counter() if started is None else started

    def answer(self) -> MateAnswer:
        """Search within the limits, for the moves, too."""
        self._begin(False)
        found = self._within_limits(self._solved)
        self._tell()
        return found

    def verdict(self, defending: bool) -> str:
        """Search within the limits, for the verdict alone; `defending`: of the side that has just moved."""
        if not defending and self._is_over():
            return NO_MATE
        if not defending and self._king_to_take():
            return MATE
        self._begin(defending)
        return _name(self._within_limits(self._decided))

    def _begin(self, defending: bool) -> None:
        """Get ready, with a table of which nothing is known. `defending`: the side that is not to move is to mate."""
        limits, position, deadline, same_hands = self._limits, self._position, 0, False
        if limits.milliseconds is not None and KERNELS_SEE_TIME:
            deadline = int((self._started + limits.milliseconds / 1000) * 1e9)
        # A position of the game that may come once more only is the end of some lines, whatever the hands are.
        if position.moves and self._variant.repetition_result is not RepetitionResult.NONE:
            keys = position.fields["key"][: int(position.fields["ply"]) + 1].tolist()
            same_hands = max(Counter(keys).values()) >= self._variant.repetition_fold - 1
        solver, source = self._solver, position.addresses[1]
        self._records, self._state = solver.records, solver.state
        solver.table.wait()
        solver.start(*self._records, source, next(_SEARCHES), defending, limits.nodes or 0, deadline, same_hands)

    def _within_limits(self, search: Callable[[], Found]) -> Found:
        """What a search finds, told of meanwhile, and ended in time."""
        if self._report is None and (self._limits.milliseconds is None or KERNELS_SEE_TIME):
            return search()  # nobody has to be told anything, and the kernels end in time by themselves
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,), name="mate progress", daemon=True)
        watch.start()
        try:
            return search()
        finally:
            done.set()

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
            self._report(MateProgress(depth, nodes, nodes * 1000 // max(ms, 1), ms, used))

    def _plies_left(self) -> int:
        """Plies of the game until it is a draw, and those that the limits allow."""
        allowed = min(self._limits.plies, NO_LIMIT) if self._limits.plies else NO_LIMIT
        most = self._variant.max_plies
        delay = CAPTURE_DELAY if self._variant.king_capture and not self._variant.cards else 0
        return min(allowed, most - delay - self._position.ply) if most else allowed

    def _decided(self) -> int:
        """What `solve` says of the position."""
        allowed = self._plies_left()
        found = self._ask(allowed)
        if found == REFUTED and self._by_force:
            # Not by threats alone: then by any moves.
            self._allow_every_move()
            found = self._ask(allowed)
        return found

    def _is_over(self) -> bool:
        """Whether the game has ended already. Where nothing but the lack of moves could have ended it, the search finds
        that out sooner: there is no check then."""
        position = self._position
        return bool((position.moves or self._solver.ends_early) and position.outcome() is not None)

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
        self._state["salt"] = int(self._state["salt"]) ^ OTHER_SALT

    def _solved(self) -> MateAnswer:
        """The verdict, and the moves of a mate."""
        if self._is_over():
            return self._told(NO_MATE)
        if capture := self._king_to_take():
            return self._told(MATE, [capture], 1, True)
        plies, is_shortest = self._decided(), False
        if plies < 0:
            return self._told(_name(plies))
        best = self._line(plies)
        if self._limits.shortest and best is not None:
            best, plies, is_shortest = self._shorten(best, plies)
        if best is None:
            return self._told(UNKNOWN)
        moves, useless = best
        return self._told(MATE, moves, plies, is_shortest or plies == 1, useless)

    def _told(
        self, verdict: str, moves: list[str] | None = None, plies: int = 0, is_shortest: bool = False, useless: int = 0
    ) -> MateAnswer:
        nodes = int(self._state["nodes"])
        return MateAnswer(verdict, moves or [], plies, is_shortest, useless, nodes, self._elapsed())

    def _ask(self, limit: int) -> int:
        """What `solve` says of the position as it is now."""
        if self._solver.stopping.is_set():
            self._state["stop"] = 1
        return self._solver.search(*self._records, limit)

    def _shorten(self, best: tuple[list[str], int], plies: int) -> tuple[tuple[list[str], int], int, bool]:
        """Look for shorter mates until there is none; whether that was proven."""
        state = self._state
        if self._by_force and not state["every_move"]:
            self._allow_every_move()
        while plies > 1:
            shorter = self._ask(plies - 2)
            if shorter == REFUTED:
                return self._line(plies, True) or best, plies, True
            if shorter == UNDECIDED:
                return best, plies, False
            line = self._line(shorter)
            if line is None:
                return best, plies, False
            best, plies = line, shorter
        return best, plies, True

    def _line(self, plies: int, exact: bool = False) -> tuple[list[str], int] | None:
        """The moves of a proven mate against the longest defence, and how many at the end are useless interpositions
        and their captures; None where the search is stopped first."""
        found = self._solver.follow(*self._records, plies, exact)
        if not found:
            return None
        useless, count = divmod(found, 1 << USELESS_SHIFT)
        return self._position.variation(self._solver.line[:count].tolist()), useless
