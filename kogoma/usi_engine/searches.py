"""The start and the end of searches and other tasks, at most one at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kogoma.rules.variants import Die
from kogoma.search.answers import DECLARATION
from kogoma.search.limits import Limits
from kogoma.usi_engine.game import Game
from kogoma.usi_engine.info import Reporter
from kogoma.usi_engine.network_delay import MeasuredDelay
from kogoma.usi_engine.output import POLL, Output
from kogoma.usi_engine.parse import CLOCKS, GoMate, UsiError, listed
from kogoma.usi_engine.settings import least
from kogoma.usi_engine.tasks import INCONCLUSIVE, Solving, Task, Thinking

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition

FALLBACK_TIME = 1000  # time in ms for a search without a valid limit


class Searches:
    """The running task, if any, and the commands that start, change and end it. Methods raise UsiError, and change
    nothing, if a command cannot be executed."""

    def __init__(self, output: Output, game: Game) -> None:
        self._output, self._game = output, game
        self._task: Task | None = None
        self._limits = Limits()  # of the last search
        self._delay = MeasuredDelay()

    @property
    def task(self) -> Task | None:
        """The running task, or None if no task is running."""
        if self._task is not None and self._task.ended:
            self._task = None  # a reference to an ended task would keep an old transposition table in memory
        return self._task

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
            seconds -= 0 if self._output.waits else POLL

    def wait_if_stopped(self) -> None:
        """If a task has been stopped, wait for its end, because GUIs send the next command right after `stop`."""
        if (task := self.task) is not None and task.stopped.is_set():
            task.wait()

    def require_idle(self, command: str) -> None:
        """Raise UsiError if a task is running. If the task has been stopped, first wait for its end."""
        self.wait_if_stopped()
        if self.task is not None:
            raise UsiError(f"{command} while searching is ignored")

    def renew_caveat(self) -> None:
        """Let the running search, if any, say with its answer whether its position is the one that the GUI means now.
        The GUI takes the answer for one to its last line `go` or `ponderhit`."""
        if isinstance(task := self.task, Thinking):
            task.caveat = self._game.caveat("this bestmove is")

    def go(self, limits: Limits, read_at: float) -> None:
        """Start a search, which sends its `bestmove` on another thread. `read_at` is the time at which the line was
        read."""
        game, settings = self._game, self._game.settings
        position = game.position()
        game.load(position.variant)
        limits, caveat = self._possible(limits, position), game.caveat("this bestmove is")
        is_limited = settings.elo is not None and not limits.infinite
        if not is_limited and (known := game.book.move(position, limits, game.generator)):
            game.book.answer(known, caveat)
            return
        errors = game.generator if is_limited else None  # infinite searches always have full strength
        bounded = self._bounded(limits, position.turn)
        delay = self._delay.of(bounded, position.turn)
        ending, options = settings.search(bounded, position.variant, errors, delay)
        game.memory.load(position.variant).use_tablebase(game.tablebases.answering(position, ending))
        search = game.memory.start(position, ending, options, read_at)
        fallback = position.usi(search.moves[0]) if search.moves else _without_moves(position)
        interval = 0 if settings["ConsiderationMode"] else settings["PvInterval"] / 1000
        with_bounds = settings["OutputFailLHPV"]
        reporter = Reporter(self._output, settings["MultiPV"], search.started, interval, with_bounds)
        resign_value = settings["ResignValue"]
        self._limits = limits
        self.start(Thinking(self._output, search, reporter, resign_value, fallback, self._delay, caveat))

    def ponder_hit(self, clocks: Limits) -> None:
        """Execute `ponderhit`: turn the pondering search into an ordinary one. Times in `clocks` replace those of
        `go`."""
        task = self.task
        if not isinstance(task, Thinking) or not task.search.is_pondering:
            raise UsiError("ponderhit without a pondering search")
        times = {name: value for name in CLOCKS if (value := getattr(clocks, name)) is not None}
        limits = self._bounded(replace(self._limits, ponder=False, **times), self._game.position().turn)
        self.renew_caveat()
        task.search.ponderhit(limits)

    def go_mate(self, command: GoMate, read_at: float) -> None:
        """Start the mate solver, which sends its `checkmate` on another thread. It uses the memory of the transposition
        table. `read_at` is the time at which the line was read. If the position is not the one that the GUI means,
        nothing is searched, because GUIs show only the answer, and not the note before it."""
        game, memory = self._game, self._game.memory
        position = game.position()
        if caveat := game.caveat("no mate is searched"):
            self._output.block([INCONCLUSIVE], caveat)
            return
        game.load(position.variant)
        from kogoma.search.mate.solver import MateLimits, MateSolver, refusal

        if reason := refusal(position.variant):
            self._output.block(["checkmate notimplemented"], f"go mate: {reason}")
            return
        milliseconds, nodes = command.milliseconds, least(command.nodes, game.settings["NodesLimit"])
        if command.ignored and milliseconds is None and command.nodes is None:
            self._output.note(f"go mate: no valid limit, so the search takes {FALLBACK_TIME} ms")
            milliseconds = FALLBACK_TIME
        limits = MateLimits(milliseconds, nodes, command.shortest, short_first=True)
        solver, build = MateSolver(memory.lend(position.variant)), memory.mate_build(position.variant)
        tablebase = game.tablebases.answering(position, Limits(nodes=command.nodes))
        self.start(Solving(self._output, solver, build, position, limits, memory.clock_start(read_at), tablebase))

    def _possible(self, limits: Limits, position: BasePosition) -> Limits:
        """Return the limits without those that do not fit the position: a die roll in a variant without a die, and
        illegal searchmoves."""
        if limits.dice is not None and position.variant.die is Die.NONE:
            self._output.note(f"go: ignored dice: {position.variant.name} is played without a die")
            limits = replace(limits, dice=None)
        if limits.searchmoves:
            from kogoma.rules.dice.die import allowed

            legal = set(allowed(position, limits.dice))
            illegal = [move for move in limits.searchmoves if move not in legal]
            if illegal:
                self._output.note(f"go: ignored searchmoves {listed(illegal)}: not legal here")
                limits = replace(limits, searchmoves=tuple(move for move in limits.searchmoves if move in legal))
        return limits

    def _bounded(self, limits: Limits, turn: int) -> Limits:
        """Return the limits. If none of them ends the search, a time limit is added, unless the search is infinite."""
        if limits.infinite or limits.has_clock(turn):
            return limits
        if any(limit is not None for limit in (limits.movetime, limits.depth, limits.nodes)):
            return limits
        if limits.has_clock(1 - turn):
            clock = "wtime" if turn else "btime"
            self._output.note(f"go: {clock}, the clock of the side to move, is missing and taken as 0")
            return replace(limits, wtime=0) if turn else replace(limits, btime=0)
        if not limits.ponder:
            self._output.note(f"go: no valid limit, so the search takes {FALLBACK_TIME} ms")
        return replace(limits, movetime=FALLBACK_TIME)


def _without_moves(position: BasePosition) -> str | None:
    """Return DECLARATION if the side to move wins by having no legal move (stalemate in some variants), otherwise
    None."""
    end = position.outcome()
    return DECLARATION if end is not None and end.winner == position.turn else None
