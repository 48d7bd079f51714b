"""An engine object for scripts, which keeps its transposition table between searches and reports progress."""

from __future__ import annotations

import threading
from dataclasses import fields

from kogoma.api.analysis import Analysis, SharedEngine
from kogoma.api.position import Position, as_game
from kogoma.api.results import Result
from kogoma.lab.engines.options import Spin
from kogoma.rules.base_position import BasePosition
from kogoma.search.library import warmup
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.searcher import Searcher
from kogoma.usi_engine.options import OPTIONS

# Smallest valid values of limits; 0 for the limits that are not listed.
AT_LEAST = {"depth": 1, "nodes": 1, "movetime": 1, "movestogo": 1, "dice": 1}
MOST = 10**12  # largest valid value of a limit


def check_number(name: str, value: object, least: int, most: int) -> None:
    """Raise TypeError unless `value` is a whole number, and ValueError unless it is from `least` to `most`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r:.40}")
    if not least <= value <= most:
        bound = f"at least {least}" if value < least else f"at most {most}"
        raise ValueError(f"{name} must be {bound}, not {value}")


def check_option(option: str, name: str, value: object) -> None:
    """Raise TypeError or ValueError, as `check_number` does, if `value` is not valid for the USI option `option`.
    `name` is the name of the value in the message."""
    bounds = OPTIONS[option]
    assert isinstance(bounds, Spin)
    check_number(name, value, bounds.least, bounds.most)


class Engine(SharedEngine):
    """An engine in this process. It keeps the results of earlier searches until `new_game` or `close`.

    >>> with Engine(hash_mb=16) as engine:
    ...     position = Position(sfen="4k/5/4P/5/K4 b G 1")
    ...     print(engine.play(position, Limits(depth=3)).best)
    ...     for info in engine.analyse(position, Limits(depth=1), multipv=3):
    ...         print(info.multipv, info.score.mate, len(info.pv))
    G*1b
    1 1 1
    2 None 1
    3 None 1

    It runs one search at a time. All methods are thread-safe: a search waits for the end of other threads' searches,
    and ends an earlier search of its own thread.
    """

    def __init__(self, *, hash_mb: int = 64, threads: int = 1) -> None:
        """`hash_mb` is the size of the transposition table in MB, and `threads` the number of search threads. Raises
        TypeError and ValueError for invalid values."""
        check_option("USI_Hash", "hash_mb", hash_mb)
        check_option("Threads", "threads", threads)
        super().__init__()
        self._hash_mb, self.threads = hash_mb, threads
        self._searcher: Searcher | None = None

    def analyse(
        self, position: Position | BasePosition | str, limits: Limits | None = None, *, multipv: int = 1
    ) -> Analysis:
        """Start a search of a position, an SFEN or "startpos", and return it. It reports the best `multipv` lines;
        without limits, it runs until it is stopped. The first search of a variant on a machine waits up to a minute for
        the engine to be compiled. Scores are for the side to move. In a variant with a die, `Limits(dice=...)` is the
        roll; without it, scores are values before the roll. Raises ValueError for invalid positions and limits,
        TypeError for arguments of a wrong type, RuntimeError after `close`."""
        return self.begin(position, limits or Limits(), multipv, threading.get_ident())

    def begin(self, position: Position | BasePosition | str, limits: Limits, multipv: int, owner: object) -> Analysis:
        """Start a search as `analyse` does. `owner` is the thread id or asyncio task that gets exclusive use of the
        engine (see `api.analysis.SharedEngine`)."""
        check_option("MultiPV", "multipv", multipv)
        check_limits(limits)
        game = as_game(position).copy()
        warmup(lambda text: None, game.variant)
        with self._turn(owner):
            if self._searcher is None:
                self._searcher = Searcher(self._hash_mb, self.threads, game.variant)
            search = self._searcher.start(game, limits, SearchOptions(multipv=multipv))
            return self._begin(search.run, search.stop)

    def play(self, position: Position | BasePosition | str, limits: Limits) -> Result:
        """Search, and return the result. Its `best` is None if there is no legal move, and "win" if a win is declared.
        Raises ValueError if none of depth, nodes, movetime and the clock of the side to move limits the search. Also
        raises what `analyse` raises."""
        check_end(limits, as_game(position).turn)
        with self.analyse(position, limits) as analysis:  # so that Ctrl-C also ends the search
            return analysis.result()

    def new_game(self) -> None:
        """Forget all earlier searches, so that the next search is reproducible."""
        self.forget(threading.get_ident())

    def forget(self, owner: object) -> None:
        """Forget all earlier searches, as `new_game` does. `owner` is the thread id or asyncio task that gets exclusive
        use of the engine."""
        with self._turn(owner):
            if self._searcher is not None:
                self._searcher.new_game()

    def _release(self) -> None:
        self._searcher = None


def check_limits(limits: Limits) -> None:
    """Raise TypeError or ValueError if the limits are invalid. The message names the limit."""
    if not isinstance(limits, Limits):
        raise TypeError(f"limits must be Limits, not {limits!r:.40}")
    if limits.infinite or limits.ponder:
        raise ValueError(
            "infinite and ponder are only for the USI protocol: to search until `stop`, call `analyse` without limits"
        )
    moves: object = limits.searchmoves
    if not isinstance(moves, tuple | list) or not all(isinstance(move, str) for move in moves):
        raise TypeError(f"searchmoves must be moves in a tuple or list, not {moves!r:.40}")
    for field in fields(limits):
        value = getattr(limits, field.name)
        if value is not None and field.name not in ("infinite", "ponder", "searchmoves"):
            check_number(field.name, value, AT_LEAST.get(field.name, 0), 6 if field.name == "dice" else MOST)


def check_end(limits: Limits, turn: int) -> None:
    """Check limits as `check_limits` does. Also raise ValueError if none of them ends a search for the side `turn`."""
    check_limits(limits)
    if not (limits.depth or limits.nodes or limits.movetime or limits.has_clock(turn)):
        raise ValueError("a search needs a limit: depth, nodes, movetime or the clock of the side to move")
