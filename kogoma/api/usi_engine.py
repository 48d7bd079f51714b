"""A client for other programs that speak USI, with the interface of `Engine`."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from kogoma.api.analysis import Analysis, SharedEngine
from kogoma.api.engine import check_end, check_limits, check_number
from kogoma.api.position import Position, as_game
from kogoma.api.results import Result
from kogoma.lab.engines.analyst import MOST_LINES, Analyst, LineWatch, Thinking
from kogoma.lab.engines.base import EngineSpec
from kogoma.lab.engines.faults import Fault
from kogoma.lab.engines.options import Option, text_of
from kogoma.rules.base_position import BasePosition
from kogoma.search import searcher
from kogoma.search.limits import Limits

EngineError = Fault
"""The error of an external engine: it could not be started, ended, did not answer, or played an illegal move."""


class UsiEngine(SharedEngine):
    """A running engine that speaks USI, for example YaneuraOu or Kogoma itself.

    It runs one search at a time. All methods are thread-safe: a search waits for the end of other threads' searches,
    and ends an earlier search of its own thread. Errors of the engine raise `EngineError`; the next search starts it
    again.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        options: Mapping[str, str | int | bool] | None = None,
        folder: str | None = None,
        log: str | None = None,
    ) -> None:
        """Describe how to start the engine; the first search starts it. `command` is a command line, or a list of its
        words. `options` are set at the start, `folder` is the folder in which it is started, and `log` is a file to
        which the conversation is appended. Raises TypeError and ValueError for an invalid command."""
        words = shlex.split(command) if isinstance(command, str) else list(command)
        if not all(isinstance(word, str) for word in words):
            raise TypeError(f"command must be text or a list of text, not {command!r:.60}")
        if not words:
            raise ValueError("command must not be empty")
        given = tuple((name, text_of(value)) for name, value in (options or {}).items())
        spec = EngineSpec(words[0], tuple(words), folder=folder, options=given, log=log)
        super().__init__()
        self._engine = Analyst(spec, {})

    @property
    def options(self) -> dict[str, Option]:
        """The options that the engine lists, by name. Empty before the first start."""
        return dict(self._engine.options)

    def set_option(self, name: str, value: str | int | bool) -> None:
        """Set an option; start the engine if it is not running. Raises ValueError if the engine does not list the
        option or does not allow the value, and EngineError if the engine cannot be started."""
        with self._turn(threading.get_ident()):
            self._engine.set_option(name, text_of(value))

    def analyse(
        self, position: Position | BasePosition | str, limits: Limits | None = None, *, multipv: int = 1
    ) -> Analysis:
        """Start a search of a position, an SFEN or "startpos", and return it. Without limits, it runs until it is
        stopped. Raises ValueError and TypeError for invalid arguments, EngineError if the engine cannot be started,
        RuntimeError after `close`."""
        limits = limits or Limits()
        check_number("multipv", multipv, 1, MOST_LINES)
        check_limits(limits)
        game = as_game(position).copy()
        legal = frozenset(game.legal_moves())
        if unknown := [move for move in limits.searchmoves if move not in legal]:
            raise ValueError(f"searchmoves: {unknown[0]} is not legal here")
        with self._turn(threading.get_ident()):
            thinking = Thinking(limits, {"MultiPV": multipv}, legal=legal)
            if legal:
                self._prepare(game)
            run = partial(_run, self._engine, game, thinking)
            return self._begin(run, partial(self._engine.stop, thinking))

    def _prepare(self, game: BasePosition) -> None:
        """Start the engine if it is not running. Begin a new game if the engine was just started or last played another
        variant."""
        if not self._engine.plays(game.variant):
            self._engine.new_game(game.variant, game.start_sfen)

    def play(self, position: Position | BasePosition | str, limits: Limits) -> Result:
        """Search, and return the result. Its `best` is a legal move, "resign" or "win", or None if there is no legal
        move. Raises ValueError if none of depth, nodes, movetime and the clock of the side to move limits the search,
        and EngineError if the engine plays an illegal move. Also raises what `analyse` raises."""
        check_end(limits, as_game(position).turn)
        with self.analyse(position, limits) as analysis:
            return analysis.result()

    def new_game(self) -> None:
        """Tell the engine that the next position belongs to a new game."""
        engine = self._engine
        with self._turn(threading.get_ident()):
            if engine.plays(engine.variant):
                engine.new_game(engine.variant, engine.start_sfen)

    def _release(self) -> None:
        self._engine.quit()


def _run(
    engine: Analyst, game: BasePosition, thinking: Thinking, report: Callable[[searcher.Info], Any]
) -> searcher.Result:
    """Search and return the result, and pass each progress report to `report`. If there is no legal move, the engine is
    not asked."""
    if not thinking.legal:
        return searcher.Result(None, None, "mate", 0, 0, 0)

    def tell(line: str) -> None:
        info = engine.info(line)
        if info.pv and info.pv[0] in thinking.legal:
            report(info)

    thinking.watch = LineWatch(tell)
    return engine.search(game, thinking)
