"""A client for other programs that speak USI, with the interface of `Engine`."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from kogoma.api.analysis import Analysis, Task
from kogoma.api.checks import MOST, check_limits, check_number
from kogoma.api.position import Position, game_of
from kogoma.api.shared_engine import SharedEngine
from kogoma.lab.engines.analyst import MOST_LINES, Analyst, LineWatch, MateWatch, Thinking
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.options import Option, text_of
from kogoma.rules.base_position import BasePosition
from kogoma.search import search
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MateAnswer

STOP_SECONDS = 5.0  # time limit for an engine to answer `stop`


class UsiEngine(SharedEngine):
    """A running engine that speaks USI, for example YaneuraOu or Kogoma itself.

    It runs one search at a time. All methods are thread-safe: a search waits for the end of other threads' searches,
    and ends an earlier search of its own thread. Errors of the engine raise `EngineError`; the next search starts it
    again. An engine that does not answer `stop` within 5 seconds is killed.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, str | int | bool] | None = None,
        ponder: bool = False,
        folder: str | None = None,
        log: str | None = None,
    ) -> None:
        """Describe how to start the engine; `start` or the first search starts it. `command` is a command line, or a
        list of its words. `options` are set at the start, `folder` is the folder in which it is started, and `log` is a
        file to which the conversation is appended. With `ponder`, the engine goes on thinking after each answer of
        `play` within a time limit, on the position after the reply that it expects, until the next search or
        `new_game`. Raises TypeError and ValueError for an invalid command."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"command must be text or a list of text, not {command!r:.60}")
        if not words:
            raise ValueError("command must not be empty")
        given = tuple((name, text_of(value)) for name, value in (options or {}).items())
        spec = EngineSpec(words[0], tuple(words), folder=folder, options=given, log=log, ponder=ponder)
        super().__init__()
        self._engine = Analyst(spec, {})

    @property
    def options(self) -> dict[str, Option]:
        """The options that the engine lists, by name. Each has `name` and `default` (None if there is none), and is a
        `SpinOption` with the bounds `least` and `most`, a `ComboOption` with `choices`, or a `CheckOption`,
        `StringOption`, `FilenameOption` or `ButtonOption`. Empty before the first start."""
        return dict(self._engine.options)

    @property
    def id(self) -> dict[str, str]:
        """What the engine says about itself: its "name" and "author", if it tells them. Empty before the first
        start."""
        return dict(self._engine.id)

    def set_option(self, name: str, value: str | int | bool) -> None:
        """Set an option; start the engine if it is not running. Raises ValueError if the engine does not list the
        option or does not allow the value, and EngineError if the engine cannot be started."""
        self._set_option(threading.get_ident(), name, value)

    def start(self) -> None:
        """Start the engine, unless it runs. Raises EngineError if this fails, RuntimeError after `close`."""
        self._start(threading.get_ident())

    def find_mate(self, position: Position | str, *, milliseconds: int | None = None) -> MateAnswer:
        """Search for a forced mate with `go mate`, and return the answer. Its `verdict` is "mate", "nomate", or
        "timeout" if the time is over or `stop` is called; for a mate, `moves` is the solution. Raises ValueError for an
        invalid position or time, and if the engine does not search for mates; EngineError if it fails or its solution
        has an illegal move."""
        with self._mate_task(game_of(position), milliseconds, threading.get_ident()) as task:
            return task.result()

    def _mate_task(self, game: BasePosition, milliseconds: int | None, owner: object) -> Task[MateAnswer]:
        if milliseconds is not None:
            check_number("milliseconds", milliseconds, 1, MOST)
        with self._turn(owner) as register:
            self._prepare(game)
            thinking = Thinking(Limits(movetime=milliseconds), watch=MateWatch())
            work, stop = partial(self._engine.solve, game, thinking), partial(self._engine.stop, thinking, STOP_SECONDS)
            return register(Task(work, stop, lambda: None))

    def _analyse(
        self, game: BasePosition, limits: Limits, multipv: int, owner: object, *, plays: bool = False
    ) -> Analysis:
        check_number("multipv", multipv, 1, MOST_LINES)
        check_limits(limits)
        legal = frozenset(game.legal_moves())
        if unknown := [move for move in limits.searchmoves if move not in legal]:
            raise ValueError(f"searchmoves: {unknown[0]} is not legal here")
        with self._turn(owner) as register:
            thinking = Thinking(limits, {"MultiPV": multipv}, legal=legal, plays=plays)
            if legal:
                self._prepare(game)
            run = partial(_run, self._engine, game, thinking)
            return register(Analysis(game, run, partial(self._engine.stop, thinking, STOP_SECONDS)))

    def _prepare(self, game: BasePosition) -> None:
        """Start the engine if it is not running. Begin a new game if the engine was just started or last played another
        variant."""
        if not self._engine.plays(game.variant):
            self._engine.new_game(game.variant, game.start_sfen)

    def _start(self, owner: object) -> None:
        with self._turn(owner):
            self._engine.start()

    def _set_option(self, owner: object, name: str, value: str | int | bool) -> None:
        with self._turn(owner):
            self._engine.set_option(name, text_of(value))

    def _new_game(self, owner: object) -> None:
        with self._turn(owner):
            if self._engine.plays():
                self._engine.new_game(self._engine.variant, self._engine.start_sfen)

    def _release(self) -> None:
        self._engine.quit()


def _run(
    engine: Analyst, game: BasePosition, thinking: Thinking, report: Callable[[search.Info], Any]
) -> search.Result:
    """Search and return the result, and pass each progress report to `report`. If there is no legal move, the engine is
    not asked."""
    if not thinking.legal:
        return search.Result(None, None, "mate", 0, 0, 0)

    def tell(line: str) -> None:
        info = engine.info(line)
        if info.pv and info.pv[0] in thinking.legal:
            report(info)

    thinking.watch = LineWatch(tell)
    return engine.search(game, thinking)
