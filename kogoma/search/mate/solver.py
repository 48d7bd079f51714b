"""The Python side of the mate solver: limits, progress, and the moves of a solution.

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
from kogoma.rules.rules_struct import layout_of, rules_struct
from kogoma.rules.structs import Struct, fields, new_struct
from kogoma.rules.variants import Die, RepetitionResult, Variant
from kogoma.search.driver import KERNELS_SEE_TIME
from kogoma.search.game import CAPTURE_DELAY
from kogoma.search.library import mate_library
from kogoma.search.mate.state import NO_LIMIT, REFUTED, UNDECIDED, USELESS_SHIFT, fill_constants, mate_dtype
from kogoma.search.table_memory import Table

MATE, NO_MATE, UNKNOWN = "mate", "nomate", "timeout"


@dataclass(frozen=True)
class MateLimits:
    """Limits of one problem. `milliseconds` and `nodes` are None for no limit. `shortest` asks for a proof that no mate
    is shorter. `short_first` asks for short mates by checks before longer ones, and for a shorter mate than the first
    one that is found, both with few nodes. `plies` is the length of the longest mate to accept. `checks_only` excludes
    quiet moves in variants in which kings are captured."""

    milliseconds: int | None = None
    nodes: int | None = None
    shortest: bool = False
    short_first: bool = False
    plies: int | None = None
    checks_only: bool = False


@dataclass(frozen=True)
class MateProgress:
    """A progress report of a mate search. `depth` is the largest depth reached, `hashfull` is in thousandths."""

    depth: int
    nodes: int
    nps: int
    time_ms: int
    hashfull: int


@dataclass(slots=True)  # faster to create than a frozen one, which matters for easy problems
class MateAnswer:
    """The result of a mate search. `verdict` is "mate", "nomate" or "timeout". For a mate, `moves` is the solution
    against the longest defence, `plies` the number of plies within which the side to move mates against any defence,
    and `is_shortest` whether a shorter mate is excluded. Useless interpositions are left out of `moves` if there is
    another defence; otherwise the last `useless` moves are such interpositions and their captures."""

    verdict: str
    moves: list[str] = field(default_factory=list)
    plies: int = 0
    is_shortest: bool = False
    useless: int = 0
    nodes: int = 0
    time_ms: int = 0


TELL_EVERY = 1.0  # seconds
SHORT = 7  # plies of the longest mate that `short_first` looks for before others
SHORT_NODES, SHORT_PART = 10_000, 8  # at most so many nodes for each length, and at most this part of the limits
NODES_PER_MS = 1000  # about
BUCKET = 4  # transposition table buckets per solver bucket
WORDS, SLOTS, REST = 32, 8, 24  # of a solver bucket: words, entries, and index of the first "rest" word
SAMPLE = 250  # buckets sampled for `hashfull`

_SEARCHES = itertools.count(1)  # numbers the searches of this process, which do not share entries
# They distinguish other searches of the same problem.
OTHER_SALT = 0xA5A5A5A5A5A5A5A5
SHORT_SALT = 0x3C3C3C3C3C3C3C3C


ReportProgress = Callable[[MateProgress], None]
Found = TypeVar("Found")
UNLIMITED = MateLimits()


@cache
def mate_rules(variant: Variant) -> Struct:
    """Return the solver's rules struct. Under these rules, moves that leave the king in check are illegal, even in
    shogi variants that allow them. The struct is shared and must not be changed."""
    rules = rules_struct(variant).copy()
    if not variant.cards:
        fields(rules)["king_capture"] = 0
    return rules


def _name(found: int) -> str:
    """Return the verdict (MATE, NO_MATE or UNKNOWN) that corresponds to `found`, a result of the kernel `solve`."""
    return MATE if found >= 0 else NO_MATE if found == REFUTED else UNKNOWN


def refusal(variant: Variant) -> str | None:
    """Return the reason why the mate solver does not support a variant, or None if it does."""
    return f"{variant.name} is played with a die" if variant.die is not Die.NONE else None


class MateSolver:
    """A mate solver that keeps its entries in a given `Table`. It solves one problem at a time; `stop` may be called
    from any thread. Most problems take about ten microseconds in kernels, so the Python part is kept short."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._layout = ""
        self._mate: Struct = None
        self._board: Struct = None
        self._rules: Struct = None
        self._variant: Variant | None = None
        self.structs = (0, 0, 0)
        self.stopping = threading.Event()

    def stop(self) -> None:
        """End the current search. Its verdict is "timeout" unless a mate has been found already."""
        self.stopping.set()
        if self._mate is not None:
            fields(self._mate)["stop"] = 1

    def solve(
        self,
        position: BasePosition,
        limits: MateLimits | None = None,
        report: ReportProgress | None = None,
        started: float | None = None,
    ) -> MateAnswer:
        """Search for a forced mate by the side to move, and return the result. At first, only checks are tried. If they
        do not mate, all moves are tried in variants in which kings are captured, unless `limits.checks_only` is set.
        `started` is the value of time.perf_counter() at which the clock started. Raises ValueError for a variant with a
        die."""
        return _Problem(self, position, limits or UNLIMITED, report, started).answer()

    def verdict(self, position: BasePosition, limits: MateLimits | None = None) -> str:
        """Search for a forced mate by the side to move, and return only the verdict: "mate", "nomate" or "timeout"."""
        return _Problem(self, position, limits or UNLIMITED).verdict(False)

    def verdict_after_move(self, position: BasePosition, limits: MateLimits) -> str:
        """Search for a forced mate by the side that has just moved, and return only the verdict: "mate", "nomate" or
        "timeout"."""
        return _Problem(self, position, limits).verdict(True)

    def set_up(self, variant: Variant) -> None:
        """Create the structs for a variant, unless they exist already. Raises ValueError for a variant with a die."""
        if variant is self._variant:
            return
        if reason := refusal(variant):
            raise ValueError(f"the mate solver cannot search this position: {reason}")
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
            self.state["copy"] = self._board.ctypes.data
            self.state["tt"], self.state["tt_full"] = self.table.address, self.table.buckets // BUCKET - 1
        self._variant, self._rules = variant, mate_rules(variant)
        self.ends_early = bool(variant.king_capture or variant.goal or variant.cards or variant.max_plies)
        fill_constants(self.state, self._board.dtype, None if variant.cards else fields(self._rules))
        self.structs = (self._rules.ctypes.data, self._board.ctypes.data, self._mate.ctypes.data)

    def permille_used(self) -> int:
        """Return how many thousandths of the solver's table are filled with entries of the current search, estimated
        from a sample."""
        words = min(SAMPLE * WORDS, self.table.buckets * WORDS // BUCKET)
        memory = (ctypes.c_uint64 * words).from_address(self.table.address)
        rests = [word for start in range(REST, words, WORDS) for word in memory[start : start + SLOTS]]
        generation = int(self.state["generation"])
        used = sum(word >> 48 & 255 == generation for word in rests) * 1000 // len(rests)
        return used * int(self.state["tt_mask"]) // max(int(self.state["tt_full"]), 1)


class _Problem:
    """One position and its search."""

    def __init__(
        self,
        solver: MateSolver,
        position: BasePosition,
        limits: MateLimits,
        report: ReportProgress | None = None,
        started: float | None = None,
    ) -> None:
        self._solver, self._position, self._limits, self._report = solver, position, limits, report
        self._variant = position.variant
        solver.set_up(position.variant)
        self._started = time.perf_counter() if started is None else started

    def answer(self) -> MateAnswer:
        """Search within the limits, and return the result, including the moves of the solution."""
        self._begin(False)
        found = self._within_limits(self._solved)
        self._tell()
        return found

    def verdict(self, defending: bool) -> str:
        """Search within the limits, and return the verdict. The attacker is the side to move or, if `defending`, the
        side that has just moved."""
        if not defending and self._is_over():
            return NO_MATE
        if not defending and self._king_to_take():
            return MATE
        self._begin(defending)
        return _name(self._within_limits(self._decided))

    def _begin(self, defending: bool) -> None:
        """Prepare the structs and the table for a new search. If `defending`, the attacker is the side that is not to
        move."""
        limits, position, deadline, same_hands = self._limits, self._position, 0, False
        if limits.milliseconds is not None and KERNELS_SEE_TIME:
            deadline = int((self._started + limits.milliseconds / 1000) * 1e9)
        # If one more repetition may end the game, only table entries for equal hands are used.
        if position.moves and self._variant.repetition_result is not RepetitionResult.NONE:
            keys = position.fields["key"][: int(position.fields["ply"]) + 1].tolist()
            same_hands = max(Counter(keys).values()) >= self._variant.repetition_fold - 1
        solver, source = self._solver, position.addresses[1]
        self._structs, self._state = solver.structs, solver.state
        solver.table.wait()
        solver.start(*self._structs, source, next(_SEARCHES), defending, limits.nodes or 0, deadline, same_hands)

    def _within_limits(self, search: Callable[[], Found]) -> Found:
        """Run `search` and return its result. If necessary, another thread reports progress and stops the search at the
        time limit."""
        if self._report is None and (self._limits.milliseconds is None or KERNELS_SEE_TIME):
            return search()  # no report is wanted, and the kernels check the time limit
        done = threading.Event()
        watch = threading.Thread(target=self._watch, args=(done,), name="mate progress", daemon=True)
        watch.start()
        try:
            return search()
        finally:
            done.set()

    def _watch(self, done: threading.Event) -> None:
        """Report progress every second, and stop the search at the time limit. This runs on a thread of its own, until
        `done` is set."""
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
        """Return the longest mate to search for, in plies, according to `limits.plies` and the variant's ply limit."""
        allowed = min(self._limits.plies, NO_LIMIT) if self._limits.plies else NO_LIMIT
        most = self._variant.max_plies
        delay = CAPTURE_DELAY if self._variant.king_capture and not self._variant.cards else 0
        return min(allowed, most - delay - self._position.ply) if most else allowed

    def _decided(self) -> int:
        """Run the kernel `solve` with checks and winning moves only. If there is no mate and `_tries_all_moves` is
        true, run it again with all moves. Return its result."""
        allowed = self._plies_left()
        if self._limits.short_first and (found := self._short_mate(min(allowed, SHORT))) > 0:
            return found
        found = self._ask(allowed)
        if found == REFUTED and self._tries_all_moves:
            # Checks and winning moves alone do not mate, so try all moves.
            self._allow_every_move()
            found = self._ask(allowed)
        return found

    def _short_mate(self, longest: int) -> int:
        """Search for mates within 1, 3, ... `longest` plies, with few nodes for each length. Return the plies of
        the first that is found, which may not be the shortest, otherwise REFUTED or UNDECIDED. Without a mate, the
        following searches do not use the table entries of these: numbers that hold for few plies would mislead them."""
        found, salt = REFUTED, int(self._state["salt"])
        self._state["salt"] = salt ^ SHORT_SALT
        for plies in range(1, longest + 1, 2):
            found = self._ask(plies, self._few_nodes())
            if found > 0:
                return found
            if self._state["stop"]:
                break
        self._state["salt"] = salt
        return found

    def _few_nodes(self) -> int:
        """Return how many nodes the search for short mates may use for each length: a small part of the limits."""
        nodes, milliseconds = self._limits.nodes, self._limits.milliseconds
        most = SHORT_NODES if nodes is None else min(SHORT_NODES, nodes // SHORT_PART)
        return most if milliseconds is None else min(most, milliseconds * NODES_PER_MS // SHORT_PART)

    def _is_over(self) -> bool:
        """Return whether the game has ended already. If it can have ended only by a lack of legal moves, return False,
        because the search detects that itself."""
        position = self._position
        return bool((position.moves or self._solver.ends_early) and position.outcome() is not None)

    def _king_to_take(self) -> str:
        """Return a move that wins by capturing the enemy king. Return "" if there is none, and always in Onitama and in
        variants that do not allow the capture of kings."""
        position = self._position
        if not self._variant.king_capture or self._variant.cards:
            return ""
        king = int(position.fields["king"][1 - position.turn][0])
        return next((position.usi(move) for move in position.legal_codes() if move & int(SQUARE_MASK) == king), "")

    @property
    def _tries_all_moves(self) -> bool:
        """Whether all moves are tried if checks and winning moves alone do not mate."""
        return self._variant.king_capture and not self._limits.checks_only

    def _allow_every_move(self) -> None:
        """Let the attacker play any move in the following searches. These do not use the table entries of earlier
        searches."""
        self._state["every_move"] = 1
        self._state["salt"] = int(self._state["salt"]) ^ OTHER_SALT

    def _solved(self) -> MateAnswer:
        """Return the result of the search, including the moves of a mate."""
        if self._is_over():
            return self._make_answer(NO_MATE)
        if capture := self._king_to_take():
            return self._make_answer(MATE, [capture], 1, True)
        plies, is_shortest = self._decided(), False
        if plies < 0:
            return self._make_answer(_name(plies))
        best = self._line(plies)
        if best is not None and (self._limits.shortest or self._limits.short_first):
            nodes = None if self._limits.shortest else max(self._few_nodes(), int(self._state["nodes"]))
            best, plies, is_shortest = self._shorten(best, plies, nodes)
        if best is None:
            return self._make_answer(UNKNOWN)
        moves, useless = best
        return self._make_answer(MATE, moves, plies, is_shortest or plies == 1, useless)

    def _make_answer(
        self, verdict: str, moves: list[str] | None = None, plies: int = 0, is_shortest: bool = False, useless: int = 0
    ) -> MateAnswer:
        nodes = int(self._state["nodes"])
        return MateAnswer(verdict, moves or [], plies, is_shortest, useless, nodes, self._elapsed())

    def _ask(self, limit: int, nodes: int | None = None) -> int:
        """Run the kernel `solve` once with the limit of `limit` plies, and return its result. If `nodes` is given, it
        searches at most so many nodes."""
        return self._within_nodes(nodes, lambda: self._solver.search(*self._structs, limit))

    def _within_nodes(self, nodes: int | None, run: Callable[[], int]) -> int:
        """Run a kernel, with at most `nodes` nodes if that is not None, and return its result."""
        state, most = self._state, self._limits.nodes
        if self._solver.stopping.is_set():
            state["stop"] = 1
        last = None if nodes is None else int(state["nodes"]) + nodes
        if last is None or (most and most <= last):
            return run()
        state["node_limit"] = last
        found = run()
        state["node_limit"] = most or 0
        if int(state["nodes"]) >= last and not self._is_out_of_time():
            state["stop"] = 0  # the kernel has set it because of `nodes`
        return found

    def _is_out_of_time(self) -> bool:
        """Whether the time limit is reached. A call of `stop` is seen by the next search."""
        milliseconds = self._limits.milliseconds
        return milliseconds is not None and time.perf_counter() >= self._started + milliseconds / 1000

    def _shorten(
        self, best: tuple[list[str], int], plies: int, nodes: int | None
    ) -> tuple[tuple[list[str], int], int, bool]:
        """Search for shorter mates until there is none, with `nodes` nodes for each length if that is not None. `best`
        is a result of `_line`. Return the last line found, the plies of its mate, and whether it is proven to be the
        shortest."""
        state = self._state
        if self._tries_all_moves and not state["every_move"]:
            self._allow_every_move()
        while plies > 1:
            shorter = self._ask(plies - 2, nodes)
            if shorter == REFUTED:
                return self._line(plies, True, nodes) or best, plies, True
            if shorter == UNDECIDED:
                return best, plies, False
            line = self._line(shorter)
            if line is None:
                return best, plies, False
            best, plies = line, shorter
        return best, plies, True

    def _line(self, plies: int, exact: bool = False, nodes: int | None = None) -> tuple[list[str], int] | None:
        """Return the moves of a mate within `plies` plies, which must be proven, against the longest defence, and how
        many of the last moves are useless interpositions and their captures. Return None if the search was stopped, or
        needs more than `nodes` nodes. `exact` is explained in the kernel `solution`."""
        found = self._within_nodes(nodes, lambda: self._solver.follow(*self._structs, plies, exact))
        if not found:
            return None
        useless, count = divmod(found, 1 << USELESS_SHIFT)
        return self._position.variation(self._solver.line[:count].tolist()), useless
