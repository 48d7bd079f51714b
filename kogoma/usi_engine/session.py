"""The engine's side of a game: options, position, and the running task."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from kogoma.console.lines import clip
from kogoma.rules.variants import ALIASES, DEFAULT, VARIANTS, Die, Variant, infer
from kogoma.search.answers import DECLARATION
from kogoma.search.levels import LEVELS, LimitedPlayer
from kogoma.search.limits import ClockOptions, Limits, SearchOptions
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.loading import MateBuild, load_game
from kogoma.usi_engine.options import CSA_RULE_27, FULL_STRENGTH, NETWORK, NO_FILE, Options, proper_name
from kogoma.usi_engine.output import POLL, Output
from kogoma.usi_engine.parse import CLOCKS, GoMate, PositionCommand, UsiError, listed
from kogoma.usi_engine.tasks import INCONCLUSIVE, Solving, Task, Thinking

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition
    from kogoma.search.searcher import Searcher
    from kogoma.usi_engine.opening_book import OpeningBook


FALLBACK_TIME = 1000  # time in ms for a search without a valid limit


class Session:
    """The state that USI commands act on. Methods raise ValueError, and change nothing, if a command cannot be
    executed."""

    def __init__(self, output: Output, quit_seen: threading.Event) -> None:
        self.options = Options()
        self.output = output
        self._quit_seen = quit_seen
        self._seed_errors()
        self._searcher: Searcher | None = None
        self._position: BasePosition | None = None
        # If the position or its variant is not the one that the GUI meant: which one it is, and why.
        self._doubt = self._variant_doubt = ""
        self._task: Task | None = None
        self._opening_book: OpeningBook | None = None
        self._limits, self._turn = Limits(), 0  # of the running search
        self._loaded: set[Variant] = set()
        self._mate_builds: dict[str, MateBuild] = {}  # by layout
        self._loaded_at = 0.0

    @property
    def task(self) -> Task | None:
        """The running task, or None if no task is running."""
        return None if self._task is None or self._task.ended else self._task

    def load(self, variant: Variant | None = None) -> Searcher:
        """Build or load the libraries and the book that a variant (None: the one in the options) needs, and return the
        searcher."""
        variant = variant or self.options.variant
        if self._searcher is None or variant not in self._loaded:
            hash_mb, network = self.options.number("USI_Hash"), self.uses_network
            self._searcher = load_game(self.output, self._searcher, hash_mb, variant, network, self._quit_seen)
            self._searcher.set_threads(self._threads())
            self._loaded.add(variant)
            self._mate_build(variant)
            self._loaded_at = time.perf_counter()
        self._book(variant)
        return self._searcher

    def get_ready(self) -> None:
        """Execute `isready`: load all that the variant in the options needs. If no position is set, also prepare the
        searcher for this variant, so that the first `go` does not spend thinking time on it."""
        searcher = self.load()
        if self._position is None:  # so no search is running
            searcher.set_variant(self.options.variant)
            searcher.wait()

    def _mate_build(self, variant: Variant) -> MateBuild | None:
        """Return the build of the variant's mate solver, and start it if necessary. Return None if the solver is built
        already or the variant has none."""
        from kogoma.rules.rules_struct import layout_of
        from kogoma.search.library import mate_library

        layout = layout_of(variant)
        if variant.die or mate_library(layout).is_built(self.output.note):
            return None
        build = self._mate_builds.get(layout)
        if build is None or build.ended:  # it has ended without a library: it failed
            build = self._mate_builds[layout] = MateBuild(layout)
        return build

    def _book(self, variant: Variant) -> OpeningBook:
        """Return the opening book. If the options ask for a book of this variant, read it first."""
        if self._opening_book is None:
            from kogoma.usi_engine.opening_book import OpeningBook

            self._opening_book = OpeningBook(self.output)
        self._opening_book.load(self.options, variant)
        return self._opening_book

    def set_option(self, name: str, value: str | None) -> None:
        """Execute `setoption`: store the value, and apply the change to the searcher and the position."""
        old_hash, old_variant = self.options.number("USI_Hash"), self.options.variant
        old_files, old_evaluation = self.options.word("VariantPath"), self.options.word("Evaluation")
        changed = self.options.set(name, value)
        if changed == "VariantPath":
            self._register_variants(old_files)
        elif changed == "USI_Variant":
            self._variant_doubt = ""
            if self.options.variant != old_variant:
                self._forget_position()
        elif changed == "StrengthSeed":
            self._seed_errors()
        elif changed in ("Threads", "Level", "USI_LimitStrength") and self._searcher is not None:
            self._searcher.set_threads(self._threads())
        elif changed == "Evaluation":
            self._change_evaluation(old_evaluation)
        elif changed == "Clear_Hash" and self._searcher is not None:
            self._searcher.new_game()
        elif changed == "USI_Hash" and self._searcher is not None and self.options.number("USI_Hash") != old_hash:
            self._task = self.task  # a reference to an ended task would keep the old table in memory
            try:
                self._searcher.resize(self.options.number("USI_Hash"))
            except MemoryError:
                self.options.set("USI_Hash", str(old_hash))
                raise UsiError(f"not enough memory for USI_Hash {value}: it stays {old_hash}") from None

    @property
    def uses_network(self) -> bool:
        """Whether the option Evaluation asks for the network."""
        return self.options.word("Evaluation") == NETWORK

    def _change_evaluation(self, before: str) -> None:
        """Make the searcher evaluate as the option Evaluation says; `before` is the option's old value."""
        from kogoma.eval.network_file import WeightsError

        if self._searcher is None or self.options.word("Evaluation") == before:
            return
        try:
            self._searcher.use_network(self.uses_network)
        except WeightsError as error:
            self.options.set("Evaluation", before)
            raise UsiError(f"{error}; Evaluation stays {before}") from None
        self._loaded.clear()  # the networks of the other variants have not been loaded yet

    def _register_variants(self, before: str) -> None:
        """Register the custom variants in the files of VariantPath. If this changes the definition of the current
        variant, a new game begins."""
        files = self.options.word("VariantPath")
        if files in ("", NO_FILE):
            return
        from kogoma.rules.custom.registry import add, split

        chosen = self.options.word("USI_Variant")
        try:
            add(split(files))
        except ValueError:
            self.options.set("VariantPath", before)
            raise
        if chosen not in VARIANTS:  # the file now gives it another name
            self.options.set("USI_Variant", DEFAULT.name)
        if self._position is not None and VARIANTS.get(self._position.variant.name) != self._position.variant:
            self._forget_position()

    def _threads(self) -> int:
        """Return the number of search threads. It is 1 if the strength is limited, because the node limit does not
        count the nodes of helper threads."""
        return self.options.number("Threads") if self._elo() is None else 1

    def _seed_errors(self) -> None:
        self._generator = Random(self.options.number("StrengthSeed") or None)

    def new_game(self) -> None:
        """Execute `usinewgame`: forget the game and everything learned in it."""
        self._seed_errors()
        self._forget_position()
        if self._searcher is not None:
            self._searcher.new_game()

    def _forget_position(self) -> None:
        """Begin a new game: until the next `position`, the position is the start position."""
        self._position, self._doubt = None, ""

    def position(self) -> BasePosition:
        """Return the current position. If none has been set, set up the start position of the variant in the
        options."""
        if self._position is None:
            self.load()
            from kogoma.rules.position import new_position

            self._position = new_position(self.options.variant)
        return self._position

    def set_position(self, command: PositionCommand) -> None:
        """Execute `position`: set up the SFEN and play the moves up to the first illegal one, which is reported as an
        error."""
        variant = self.options.variant if command.sfen is None else infer(command.sfen, self.options.variant)
        from kogoma.rules.position import check_sfen, new_position

        if command.sfen is not None:
            check_sfen(variant, command.sfen)  # check before a build, which may take a minute
        self.load(variant)
        position = self._continued(command, variant) or new_position(variant, command.sfen)
        failure = _play(position, command.moves)
        self._position, self._doubt = position, ""
        if failure is not None:
            at = f"the position after {len(position.moves)} of {len(command.moves)} moves"
            self._doubt = f"{at}: the next move is not legal"
            self.output.error(f"position: {failure}; the engine has {at}")

    def doubt_position(self, refused: str) -> None:
        """Remember that the engine refused a line that should have set the position; `refused` names the line. Until a
        `position` succeeds, the position is not the one that the GUI means (see `caveat`)."""
        self._doubt = f"an older position: the engine refused {refused}"

    def doubt_variant(self, name: str, value: str | None) -> None:
        """Remember that the engine refused to set the option `name` to `value`. If this is USI_Variant with another
        value than now, positions are not of the variant that the GUI means until the option is set (see `caveat`)."""
        if proper_name(name) == "USI_Variant" and value is not None:
            if ALIASES.get(value, value) != self.options.word("USI_Variant"):
                self._variant_doubt = f"the engine refused USI_Variant {clip(value)}"

    def caveat(self, subject: str) -> str:
        """Return a note that an answer is for another position than the one that the GUI means, or "" if it is not.
        `subject` names the answer and a verb: "this bestmove is"."""
        if self._doubt:
            return f"{subject} for {self._doubt}"
        return f"{subject} for {self.position().variant.name}: {self._variant_doubt}" if self._variant_doubt else ""

    def _continued(self, command: PositionCommand, variant: Variant) -> BasePosition | None:
        """If the position to set continues the game of the current position, return a copy of the current position.
        Otherwise return None."""
        now = self._position
        if now is None or now.variant != variant or now.start_sfen != (command.sfen or variant.start):
            return None
        return now.copy() if tuple(now.moves) == command.moves[: len(now.moves)] else None

    def renew_caveat(self) -> None:
        """Let the running search, if any, say with its answer whether its position is the one that the GUI means now.
        The GUI takes the answer for one to its last line `go` or `ponderhit`."""
        task = self.task
        if isinstance(task, Thinking):
            task.caveat = self.caveat("this bestmove is")

    def go(self, limits: Limits, read_at: float) -> None:
        """Start a search, which sends its `bestmove` on another thread. `read_at` is the time at which the line was
        read."""
        position = self.position()
        searcher = self.load(position.variant)
        limited = self._limited_player(limits, position.variant)
        limits = self._possible(limits, position)
        book = self._book(position.variant)
        if limited is None and (known := book.move(position, limits, self.options, self._generator)):
            book.answer(known, self.caveat("this bestmove is"))
            return
        ending = self._capped(self._bounded(limits, position.turn), limited)
        # The time for a first build is not thinking time.
        began = max(read_at, self._loaded_at)
        search = searcher.start(position, ending, self._search_options(limited), began)
        fallback = position.usi(search.moves[0]) if search.moves else _without_moves(position)
        task = Thinking(
            self.output,
            search,
            self._reporter(search.started),
            self.options.number("ResignValue"),
            fallback,
            limited,
            self.caveat("this bestmove is"),
        )
        self._limits, self._turn = limits, position.turn
        self.start(task)

    def go_mate(self, command: GoMate, read_at: float) -> None:
        """Start the mate solver, which sends its `checkmate` on another thread. It uses the memory of the transposition
        table. `read_at` is the time at which the line was read. If the position is not the one that the GUI means,
        nothing is searched, because GUIs show only the answer, and not the note before it."""
        position = self.position()
        if caveat := self.caveat("no mate is searched"):
            self.output.note(caveat)
            self.output.line(INCONCLUSIVE)
            return
        variant = position.variant
        searcher = self.load(variant)
        from kogoma.search.mate.solver import MateLimits, MateSolver, refusal

        if reason := refusal(variant):
            self.output.note(f"go mate: {reason}")
            self.output.line("checkmate notimplemented")
            return
        milliseconds, nodes = command.milliseconds, _least((command.nodes, self.options.number("NodesLimit")))
        if command.ignored and milliseconds is None and command.nodes is None:
            self.output.note(f"go mate: no valid limit, so the search takes {FALLBACK_TIME} ms")
            milliseconds = FALLBACK_TIME
        limits = MateLimits(milliseconds, nodes, command.shortest)
        began = max(read_at, self._loaded_at)
        solver, build = MateSolver(searcher.lend()), self._mate_build(variant)
        self.start(Solving(self.output, solver, build, position, limits, began))

    def _limited_player(self, limits: Limits, variant: Variant) -> LimitedPlayer | None:
        """Return a player of limited strength as the options demand, or None for full strength. Infinite searches
        always have full strength."""
        elo = self._elo()
        return None if limits.infinite or elo is None else LimitedPlayer(variant, elo, self._generator)

    def _elo(self) -> int | None:
        """Return the Elo to which the strength is limited, or None. `Level` takes precedence over `USI_Elo`."""
        level = self.options.word("Level")
        if level != FULL_STRENGTH:
            return LEVELS[int(level)].elo
        return self.options.number("USI_Elo") if self.options.flag("USI_LimitStrength") else None

    def _capped(self, limits: Limits, limited: LimitedPlayer | None) -> Limits:
        """Return the limits, tightened by the options NodesLimit and DepthLimit and by the limited strength."""
        nodes = (limits.nodes, self.options.number("NodesLimit"), limited.nodes if limited else None)
        depth = (limits.depth, self.options.number("DepthLimit"))
        return replace(limits, nodes=_least(nodes), depth=_least(depth))

    def _reporter(self, started: float) -> Reporter:
        number, flag = self.options.number, self.options.flag
        interval = 0 if flag("ConsiderationMode") else number("PvInterval") / 1000
        return Reporter(self.output, number("MultiPV"), started, interval, flag("OutputFailLHPV"))

    def _possible(self, limits: Limits, position: BasePosition) -> Limits:
        """Return the limits without those that do not fit the position: a die roll in a variant without a die, and
        illegal searchmoves."""
        if limits.dice is not None and position.variant.die is Die.NONE:
            self.output.note(f"go: ignored dice: {position.variant.name} is played without a die")
            limits = replace(limits, dice=None)
        if limits.searchmoves:
            from kogoma.rules.dice.die import allowed

            legal = set(allowed(position, limits.dice))
            illegal = [move for move in limits.searchmoves if move not in legal]
            if illegal:
                self.output.note(f"go: ignored searchmoves {listed(illegal)}: not legal here")
                limits = replace(limits, searchmoves=tuple(move for move in limits.searchmoves if move in legal))
        return limits

    def _bounded(self, limits: Limits, turn: int) -> Limits:
        """Return the limits. If none of them ends the search, a time limit is added, unless the search is infinite."""
        if limits.infinite or limits.has_clock(turn):
            return limits
        if any(limit is not None for limit in (limits.movetime, limits.depth, limits.nodes)):
            return limits
        if limits.has_clock(1 - turn):
            self.output.note(
                f"go: {'wtime' if turn else 'btime'}, the clock of the side to move, is missing and taken as 0"
            )
            return replace(limits, wtime=0) if turn else replace(limits, btime=0)
        if not limits.ponder:
            self.output.note(f"go: no valid limit, so the search takes {FALLBACK_TIME} ms")
        return replace(limits, movetime=FALLBACK_TIME)

    def start(self, task: Task) -> None:
        """Run a task on a thread of its own. No other task may be running."""
        assert self.task is None
        task.start()
        self._task = task

    def stop(self) -> None:
        """Execute `stop`: end the running task, if any, at once, even if its output waits for the GUI."""
        if self._task is not None:
            self._task.stop()

    def wait(self, seconds: float) -> None:
        """Wait until the running task ends, for at most `seconds`. Time in which its output waits for the GUI does not
        count."""
        while self._task is not None and seconds > 0 and not self._task.wait(POLL):
            seconds -= 0 if self.output.waits else POLL

    def ponder_hit(self, clocks: Limits) -> None:
        """Execute `ponderhit`: turn the pondering search into an ordinary one. Times in `clocks` replace those of
        `go`."""
        task = self.task
        if not isinstance(task, Thinking) or not task.search.is_pondering:
            raise UsiError("ponderhit without a pondering search")
        times = {name: value for name in CLOCKS if (value := getattr(clocks, name)) is not None}
        limits = self._bounded(replace(self._limits, ponder=False, **times), self._turn)
        self.renew_caveat()
        task.search.ponderhit(limits)

    def _search_options(self, limited: LimitedPlayer | None) -> SearchOptions:
        number = self.options.number
        return SearchOptions(
            multipv=max(number("MultiPV"), limited.multipv if limited else 1),
            draw_value_black=number("DrawValueBlack"),
            draw_value_white=number("DrawValueWhite"),
            max_moves_to_draw=number("MaxMovesToDraw"),
            declaration=self.options.word("EnteringKingRule") == CSA_RULE_27,
            clock=ClockOptions(
                network_delay=number("NetworkDelay"),
                network_delay_most=number("NetworkDelay2"),
                minimum_thinking_time=number("MinimumThinkingTime"),
                slow_mover=number("SlowMover"),
                ponder=self.options.flag("USI_Ponder"),
                whole_seconds=self.options.flag("RoundUpToFullSecond"),
            ),
        )


def _least(limits: Iterable[int | None]) -> int | None:
    """Return the smallest of the limits, ignoring None and 0. Return None if no limit is left."""
    return min((limit for limit in limits if limit), default=None)


def _play(position: BasePosition, moves: Sequence[str]) -> ValueError | None:
    """Play the moves that come after those already played in the position. Return the error of the first illegal move,
    or None if all are legal."""
    for move in moves[len(position.moves) :]:
        try:
            position.push(move)
        except ValueError as error:
            return error
    return None


def _without_moves(position: BasePosition) -> str | None:
    """Return DECLARATION if the side to move wins by having no legal move (stalemate in some variants), otherwise
    None."""
    end = position.outcome()
    return DECLARATION if end is not None and end.winner == position.turn else None
