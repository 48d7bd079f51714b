"""The kernels that drive a search, with the structs that they work on: one for each search thread, one that controls
the search."""

from __future__ import annotations

import sys
import threading

import numpy as np

from kogoma.rules.base_position import BasePosition
from kogoma.rules.dice.die import allowed_codes
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.structs import Fields, Struct, clear, fields, new_struct
from kogoma.rules.variants import Variant
from kogoma.search.control import DONE, HELP, control_dtype, now, write_limits, write_search
from kogoma.search.dice.curve import chance_curve
from kogoma.search.dice.values import dice_thread_dtype
from kogoma.search.game import search_game
from kogoma.search.library import dice_library, search_library
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.parameters import parameters_of
from kogoma.search.table_memory import Table
from kogoma.search.tablebase.root import Values
from kogoma.search.thread import thread_dtype, write_parameters

KERNELS_SEE_TIME = sys.platform == "linux" and sys.maxsize > 1 << 32  # kernels can read the clock (`native.clock`)


class SearchThread:
    """What one thread of a search works on: its struct, with histories that are kept until `forget`, and its copy of
    the position."""

    def __init__(self, variant: Variant) -> None:
        """Create the thread of a variant. Raises ParametersError if the search parameters come from a file that is
        invalid."""
        dtype = dice_thread_dtype if variant.die else thread_dtype
        self._variant = variant
        self.struct: Struct = new_struct(dtype(layout_of(variant)))
        self.fields: Fields = fields(self.struct)
        self.position: Struct = None
        self.parameters = parameters_of(variant)
        self.running: threading.Thread | None = None  # if this is a helper thread that searches
        self.forget()

    def forget(self) -> None:
        """Clear the struct with its histories, and write the constants of the search into it. A change of `parameters`
        takes effect here."""
        clear(self.struct)
        if self._variant.die:
            self.fields["chance_curve"][:] = chance_curve()
        else:
            write_parameters(self.fields, self.parameters)

    def stop(self) -> None:
        """Make the running kernel return within microseconds. Thread-safe."""
        self.fields["stop"] = 1

    def wait(self) -> None:
        """Wait until this helper thread has ended. It ends soon after the main thread's search has stopped."""
        if self.running is not None:
            self.running.join()
            self.running = None


class Driver:
    """Runs the searches of a variant, one at a time. `main` is the main thread, and `control` the struct that controls
    the search, by field names."""

    def __init__(self, variant: Variant, table: Table, threads: int = 1, network: bool = True) -> None:
        """Prepare searches with `threads` threads, or with one if the variant has a die. They evaluate with the
        network, or, if `network` is false, with handcrafted terms only. Raises ParametersError if the search parameters
        come from a file that is invalid."""
        layout = layout_of(variant)
        self._table, self._variant, self._network = table, variant, network
        self._library = dice_library(layout) if variant.die else search_library(layout)
        self.main, *self._helpers = [SearchThread(variant) for _ in range(1 if variant.die else threads)]
        self._control: Struct = new_struct(control_dtype(layout))
        self.control: Fields = fields(self._control)
        self._stops = np.array([_address(helper.struct, "stop") for helper in self._helpers], np.uint64)
        self._game: Struct = search_game(variant, network)
        self._endings: Values | None = None  # their memory is used by the threads' structs

    @property
    def threads(self) -> int:
        """The number of threads."""
        return 1 + len(self._helpers)

    def forget(self) -> None:
        """Forget what earlier searches have learned, except for the transposition table."""
        self.wait()
        for thread in (self.main, *self._helpers):
            thread.forget()

    def wait(self) -> None:
        """Wait until no helper thread uses the structs."""
        for helper in self._helpers:
            helper.wait()

    def begin(
        self,
        position: BasePosition,
        limits: Limits,
        options: SearchOptions,
        started: float,
        endings: Values | None = None,
    ) -> int:
        """Begin a search of `position`, whose clock started at the time.perf_counter() `started`. Its nodes look up
        positions in `endings`, if those are Onitama's. Return the number of its root moves, or DECLARES if a win is
        declared. Raises ValueError if `limits` contain an impossible roll or an illegal move."""
        self.wait()
        self._endings = endings if endings is not None and endings.tables is not None else None
        wanted = _wanted(position, limits)
        write_search(self.control, position.variant, limits, wanted, options, started)
        self._game = search_game(self._variant, self._network, bool(options.declaration))
        self.main.position = position.struct.copy()
        count = self._library("begin", position.rules, self._game, self.main.position, self._control)
        self._table.next_generation()
        for thread in (self.main, *self._helpers):
            self._prepare(thread, position)
        if self._helpers:
            self.main.fields["helpers"], self.main.fields["helper_stops"] = len(self._helpers), self._stops.ctypes.data
        return count

    def _prepare(self, thread: SearchThread, position: BasePosition) -> None:
        if thread is not self.main:
            thread.position = position.struct.copy()
        state, table = thread.fields, self._table
        state["tt"], state["tt_mask"], state["generation"] = table.address, table.buckets - 1, table.generation
        if self._helpers:
            state["marks"] = table.marks
        if "endings" in state.dtype.fields:
            state["endings"]["men"], state["endings_hits"] = 0, 0
            if self._endings is not None:
                state["endings"] = self._endings.tables[0]
        self._library("prepare", thread.position, thread.struct, self._control)

    def iterate(self) -> bool:
        """Search until there is a report in the control struct, and return True; or until the end of the search, and
        return False. At the end the report is the answer."""
        main = self.main
        while True:
            structs = self._game, main.position, main.struct, self._control
            status = self._library("iterate", *structs, now())
            if status != HELP:
                return status != DONE
            for helper in self._helpers:
                helper.running = threading.Thread(target=self._help, args=(helper,), daemon=True)
                helper.running.start()

    def _help(self, helper: SearchThread) -> None:
        # A helper makes only one kernel call in a whole search, so it never waits for the interpreter.
        structs = self._game, helper.position, helper.struct, self.main.struct
        self._library("help_root", *structs)

    def start_clock(self, limits: Limits | None) -> None:
        """Start the clock of a pondering search, because the expected move was played. If `limits` is given, its times
        replace those with which the search was begun."""
        if limits is not None:
            write_limits(self.control, limits)
        self._library("start_clock", self._control, now())
        if int(self.control["depth"]) > 0:  # the first iteration has no deadline
            self.main.fields["deadline"] = self.control["deadline"]

    def stop(self) -> None:
        """End the search soon, but not before its first iteration has found a move. Thread-safe."""
        self.main.stop()

    def end(self) -> None:
        """Make the helper threads end."""
        for thread in (self.main, *self._helpers):
            thread.stop()

    @property
    def root_moves(self) -> list[int]:
        """The codes of the root moves, as `begin` has found them."""
        return [int(move) for move in self.control["root_move"][: int(self.control["root_count"])]]

    @property
    def line(self) -> list[int]:
        """The codes of the moves of the reported line."""
        return [int(move) for move in self.control["line"][: int(self.control["line_length"])]]

    @property
    def nodes(self) -> int:
        """The number of nodes of this search so far, in all threads."""
        return sum(int(thread.fields["nodes"]) for thread in (self.main, *self._helpers))

    @property
    def endings_hits(self) -> int:
        """How many positions this search has found in the endings of Onitama so far, in all threads."""
        threads = (self.main, *self._helpers) if self._endings is not None else ()
        return sum(int(thread.fields["endings_hits"]) for thread in threads)

    @property
    def seldepth(self) -> int:
        """The largest ply that this search has reached so far."""
        return max(int(thread.fields["seldepth"]) for thread in (self.main, *self._helpers))


def _address(struct: Struct, name: str) -> int:
    """Return the address of a field of a struct."""
    return int(struct.ctypes.data) + int(struct.dtype.fields[name][1])


def _wanted(position: BasePosition, limits: Limits) -> list[int]:
    """Return the codes of `limits.searchmoves`. Raises ValueError if one of them is illegal or the die roll is
    impossible."""
    legal = allowed_codes(position, limits.dice)
    if not limits.searchmoves:
        return []
    known = {position.usi(move): move for move in legal}
    if unknown := [move for move in limits.searchmoves if move not in known]:
        raise ValueError(f"searchmoves: {unknown[0]} is not legal here")
    return [known[move] for move in dict.fromkeys(limits.searchmoves)]
