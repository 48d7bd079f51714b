"""Kogoma: a USI engine for small-board shogi, and a small Python interface to it.

>>> import usi_engine
>>> list(usi_engine.variants())[:3]
['shogi', 'minishogi', 'minishogi-codingame']
>>> position = usi_engine.Position("minishogi")
>>> len(position.legal_moves())
14
>>> position.push("3e3d")
>>> position.turn, position.moves
(1, ['3e3d'])
>>> with usi_engine.Engine() as engine:
...     engine.play(position, usi_engine.Limits(depth=4)).best in position.legal_moves()
True

Everything is loaded when it is first used; the very first use on a machine compiles for up to a minute.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.kifu.game import Game as Game
    from lab.kifu.game import GameError as GameError
    from rules.outcome import Outcome as Outcome
    from rules.variants import Variant as Variant
    from search.limits import Limits as Limits
    from search.mate.solver import MateAnswer as MateAnswer
    from search.searcher import Info as Info
    from search.searcher import Result as Result
    from usi_engine.facade.async_engine import AsyncEngine as AsyncEngine
    from usi_engine.facade.engine import Analysis as Analysis
    from usi_engine.facade.engine import Engine as Engine
    from usi_engine.facade.functions import find_mate as find_mate
    from usi_engine.facade.functions import legal_moves as legal_moves
    from usi_engine.facade.functions import search as search
    from usi_engine.facade.position import Position as Position
    from usi_engine.facade.records import game_text as game_text
    from usi_engine.facade.records import read_game as read_game
    from usi_engine.facade.records import read_games as read_games
    from usi_engine.facade.records import write_game as write_game
    from usi_engine.facade.variants import variants as variants

__version__ = "0.1.0"

# Where each name is: importing usi_engine costs nothing, because answering `usi` must not wait for numpy.
_HOMES = {
    "Analysis": "usi_engine.facade.engine",
    "AsyncEngine": "usi_engine.facade.async_engine",
    "Engine": "usi_engine.facade.engine",
    "Game": "lab.kifu.game",
    "GameError": "lab.kifu.game",
    "Info": "search.searcher",
    "Limits": "search.limits",
    "MateAnswer": "search.mate.solver",
    "Outcome": "rules.outcome",
    "Position": "usi_engine.facade.position",
    "Result": "search.searcher",
    "Variant": "rules.variants",
    "find_mate": "usi_engine.facade.functions",
    "game_text": "usi_engine.facade.records",
    "legal_moves": "usi_engine.facade.functions",
    "read_game": "usi_engine.facade.records",
    "read_games": "usi_engine.facade.records",
    "search": "usi_engine.facade.functions",
    "variants": "usi_engine.facade.variants",
    "write_game": "usi_engine.facade.records",
}
__all__ = [*_HOMES]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
