"""An engine object for scripts, which keeps its transposition table between searches and reports progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random

from kogoma.api.analysis import Analysis
from kogoma.api.checks import check_limits, check_number, check_option
from kogoma.api.shared_engine import SharedEngine
from kogoma.lab.engines.options import read_value, text_of
from kogoma.rules.base_position import BasePosition
from kogoma.search.levels import LEVELS
from kogoma.search.library import warmup
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.search.tablebase.dobutsu.values import open_tablebase
from kogoma.usi_engine.options import DEFAULTS, OPTIONS
from kogoma.usi_engine.settings import Settings

# The USI options that concern searches. The variant is that of the position, and books are not used.
_NAMES = (
    *("USI_Hash", "Threads", "Evaluation", "NodesLimit", "DepthLimit", "MaxMovesToDraw", "EnteringKingRule"),
    *("DrawValueBlack", "DrawValueWhite", "Level", "USI_LimitStrength", "USI_Elo", "StrengthSeed"),
    *("NetworkDelay", "NetworkDelay2", "RoundUpToFullSecond", "MinimumThinkingTime", "SlowMover"),
    *("UseTablebase", "TablebasePath"),
)
_OPTIONS = {name: OPTIONS[name] for name in _NAMES}


class Engine(SharedEngine):
    """An engine in this process. It keeps the results of earlier searches until `new_game` or `close`.

    >>> from kogoma import Position
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
    and ends an earlier search of its own thread. The first search of a variant on a machine waits up to a minute for
    the engine to be compiled.
    """

    def __init__(
        self,
        *,
        hash_mb: int = 64,
        threads: int = 1,
        level: int | None = None,
        options: Mapping[str, int | bool | str] | None = None,
    ) -> None:
        """`hash_mb` is the size of the transposition table in MB, `threads` the number of search threads, and `level`
        the strength of `play` from 1 to 8 (None: full strength; analyses always have full strength). `options` are the
        options of the USI engine that concern searches, by name; they take precedence. Raises TypeError and ValueError
        for invalid values.

        >>> engine = Engine(level=9)
        Traceback (most recent call last):
        ...
        ValueError: level must be at most 8, not 9
        >>> engine = Engine(options={"SlowMover": 50, "EnteringKingRule": "NoEnteringKing"})
        """
        check_option("USI_Hash", "hash_mb", hash_mb)
        check_option("Threads", "threads", threads)
        super().__init__()
        self._settings = Settings(DEFAULTS | {"USI_Hash": hash_mb, "Threads": threads})
        if level is not None:
            check_number("level", level, 1, len(LEVELS) - 1)
            self._settings["Level"] = str(level)
        for name, value in (options or {}).items():
            self._settings.update([read_value(_OPTIONS, name, text_of(value))])
        self._generator = self._seeded()
        self._searcher: Searcher | None = None

    def _seeded(self) -> Random:
        return Random(self._settings["StrengthSeed"] or None)

    def _analyse(
        self, game: BasePosition, limits: Limits, multipv: int, owner: object, *, plays: bool = False
    ) -> Analysis:
        check_option("MultiPV", "multipv", multipv)
        check_limits(limits)
        warmup(lambda text: None, game.variant)
        with self._turn(owner) as register:
            settings = self._settings
            if self._searcher is None:
                hash_mb, threads = settings["USI_Hash"], settings.threads
                self._searcher = Searcher(hash_mb, threads, game.variant, settings.network)
            uses = settings["UseTablebase"]
            self._searcher.use_tablebase(open_tablebase(settings.tablebase_path, game.variant) if uses else None)
            limits, options = settings.search(limits, game.variant, self._generator if plays else None)
            search = self._searcher.start(game, limits, replace(options, multipv=multipv))
            return register(Analysis(game, search.run, search.stop))

    def _new_game(self, owner: object) -> None:
        with self._turn(owner):
            self._generator = self._seeded()
            if self._searcher is not None:
                self._searcher.new_game()

    def _release(self) -> None:
        self._searcher = None
