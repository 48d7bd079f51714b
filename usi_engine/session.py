"""The engine's side of a game: its options, its position, and what it is doing."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from rules.variants import Variant, infer
from search.limits import ClockOptions, Limits, SearchOptions
from usi_engine.loading import load_game, load_searcher
from usi_engine.options import CSA_RULE_27, Options
from usi_engine.output import Output
from usi_engine.parse import PositionCommand, UsiError
from usi_engine.task import Task
from usi_engine.thinking import Thinking

if TYPE_CHECKING:
    from rules.position import BasePosition
    from search.searcher import Searcher


class Session:
    """What the commands of the protocol act upon. Methods raise ValueError, and change nothing, where they can't."""

    def __init__(self, output: Output, quit_seen: threading.Event) -> None:
        self.options = Options()
        self.output = output
        self._quit_seen = quit_seen
        self._searcher: Searcher | None = None
        self._position: BasePosition | None = None
        self._start_sfen: str | None = None  # as `position` gave it; None for the start position
        self._task: Task | None = None
        self._loaded: set[Variant] = set()
        self._loaded_at = 0.0

    @property
    def task(self) -> Task | None:
        """What is running now."""
        return None if self._task is None or self._task.ended else self._task

    def load(self, variant: Variant | None = None) -> Searcher:
        """The searcher; loads or builds what it needs for the game (by default that of the options) when it is new."""
        variant = variant or self.options.variant
        if self._searcher is None:
            searcher = load_searcher(self.output, self.options.number("USI_Hash"), variant, self._quit_seen)
            searcher.set_threads(self.options.number("Threads"))
            self._searcher = searcher
        elif variant not in self._loaded:
            load_game(self.output, variant, self._quit_seen)
        if variant not in self._loaded:
            self._loaded.add(variant)
            self._loaded_at = time.perf_counter()
        return self._searcher

    def set_option(self, name: str, value: str | None) -> None:
        """`setoption`."""
        old_hash, old_variant = self.options.number("USI_Hash"), self.options.variant
        changed = self.options.set(name, value)
        if changed == "USI_Variant" and self.options.variant != old_variant:
            self._position = None
        elif changed == "Threads" and self._searcher is not None:
            self._searcher.set_threads(self.options.number("Threads"))
        elif changed == "USI_Hash" and self._searcher is not None and self.options.number("USI_Hash") != old_hash:
            try:
                self._searcher.resize(self.options.number("USI_Hash"))
            except MemoryError:
                self.options.set("USI_Hash", str(old_hash))
                raise UsiError(f"not enough memory for USI_Hash {value}: it stays {old_hash}") from None

    def new_game(self) -> None:
        """`usinewgame`: forget the game and all that was learned in it."""
        self._position = None
        if self._searcher is not None:
            self._searcher.new_game()

    def position(self) -> BasePosition:
        """The position that was set last, or the start position."""
        if self._position is None:
            self.load()
            from rules.position import new_position

            self._position, self._start_sfen = new_position(self.options.variant), None
        return self._position

    def set_position(self, command: PositionCommand) -> None:
        """`position`: the old one stays unless the whole line makes sense."""
        variant = self.options.variant if command.sfen is None else infer(command.sfen, self.options.variant)
        from rules.position import check_sfen, new_position

        if command.sfen is not None:
            check_sfen(variant, command.sfen)  # before a build that may take a minute
        self.load(variant)
        position = self._continued(command, variant.name) or new_position(variant, command.sfen)
        for move in command.moves[len(position.moves) :]:
            position.push(move)
        self._position, self._start_sfen = position, command.sfen

    def _continued(self, command: PositionCommand, variant: str) -> BasePosition | None:
        """A copy of the present position if the new one only goes on from it, as it does all through a game."""
        now = self._position
        if now is None or now.variant.name != variant or self._start_sfen != command.sfen:
            return None
        return now.copy() if tuple(now.moves) == command.moves[: len(now.moves)] else None

    def go(self, limits: Limits, read_at: float) -> None:
        """Start a search; `read_at` is when the line was read. Its `bestmove` comes from another thread."""
        position = self.position()
        searcher = self.load(position.variant)
        clocks = (limits.btime, limits.wtime, limits.binc, limits.winc)
        if not limits.has_clock(position.turn) and any(clock is not None for clock in clocks):
            raise UsiError(f"go: {'wtime' if position.turn else 'btime'}, the clock of the side to move, is missing")
        options = self._search_options()
        try:
            # The first build may have taken a minute, which is not thinking time.
            search = searcher.start(position, limits, options, max(read_at, self._loaded_at))
        except ValueError as error:
            raise UsiError(f"go: {error}") from None
        fallback = position.usi(search.moves[0]) if search.moves else None
        resign_value = self.options.number("ResignValue")
        self.start(Thinking(self.output, search, options.multipv, resign_value, fallback))

    def start(self, task: Task) -> None:
        """Run a task on a thread of its own; nothing else may be running."""
        assert self.task is None
        task.start()
        self._task = task

    def stop(self) -> None:
        """`stop`: what is running comes to its end at once. Harmless when nothing is."""
        task = self.task
        if task is not None:
            task.stop()

    def ponder_hit(self) -> None:
        """`ponderhit`: the search that ponders becomes an ordinary one."""
        task = self.task
        if not isinstance(task, Thinking) or not task.search.is_pondering:
            raise UsiError("ponderhit without a search that ponders")
        task.search.ponderhit()

    def _search_options(self) -> SearchOptions:
        number = self.options.number
        return SearchOptions(
            multipv=number("MultiPV"),
            draw_value_black=number("DrawValueBlack"),
            draw_value_white=number("DrawValueWhite"),
            max_moves_to_draw=number("MaxMovesToDraw"),
            declaration=self.options.word("EnteringKingRule") == CSA_RULE_27,
            clock=ClockOptions(
                network_delay=number("NetworkDelay"),
                minimum_thinking_time=number("MinimumThinkingTime"),
                slow_mover=number("SlowMover"),
                ponder=self.options.flag("USI_Ponder"),
            ),
        )
