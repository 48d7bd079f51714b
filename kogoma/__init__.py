"""Kogoma: a USI engine for small-board shogi, and its Python API.

>>> import kogoma
>>> list(kogoma.variants())[:3]
['shogi', 'minishogi', 'minishogi-codingame']
>>> position = kogoma.Position("minishogi")
>>> len(position.legal_moves())
14
>>> position.push("3e3d")
>>> position.turn, position.moves
(1, ['3e3d'])
>>> with kogoma.Engine() as engine:
...     engine.play(position, kogoma.Limits(depth=4)).best in position.legal_moves()
True

Modules are loaded when they are first used. The first use on a machine takes up to a minute, because the
engine is compiled.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kogoma.api.analysis import Analysis as Analysis
    from kogoma.api.async_engine import AsyncAnalysis as AsyncAnalysis
    from kogoma.api.async_engine import AsyncEngine as AsyncEngine
    from kogoma.api.async_engine import AsyncUsiEngine as AsyncUsiEngine
    from kogoma.api.engine import Engine as Engine
    from kogoma.api.functions import find_mate as find_mate
    from kogoma.api.functions import find_move as find_move
    from kogoma.api.functions import legal_moves as legal_moves
    from kogoma.api.game_records import game_text as game_text
    from kogoma.api.game_records import read_game as read_game
    from kogoma.api.game_records import read_games as read_games
    from kogoma.api.game_records import write_game as write_game
    from kogoma.api.options import ButtonOption as ButtonOption
    from kogoma.api.options import CheckOption as CheckOption
    from kogoma.api.options import ComboOption as ComboOption
    from kogoma.api.options import FilenameOption as FilenameOption
    from kogoma.api.options import Option as Option
    from kogoma.api.options import SpinOption as SpinOption
    from kogoma.api.options import StringOption as StringOption
    from kogoma.api.position import BLACK as BLACK
    from kogoma.api.position import WHITE as WHITE
    from kogoma.api.position import Position as Position
    from kogoma.api.results import Info as Info
    from kogoma.api.results import Result as Result
    from kogoma.api.results import Score as Score
    from kogoma.api.usi_engine import UsiEngine as UsiEngine
    from kogoma.lab.engines.faults import EngineError as EngineError
    from kogoma.lab.engines.faults import OptionError as OptionError
    from kogoma.lab.kifu.game import Game as Game
    from kogoma.lab.kifu.game import GameError as GameError
    from kogoma.rules.outcome import Outcome as Outcome
    from kogoma.rules.variants import Variant as Variant
    from kogoma.rules.variants import variants as variants
    from kogoma.search.limits import Limits as Limits
    from kogoma.search.mate.solver import MateAnswer as MateAnswer
    from kogoma.version import __version__ as __version__

# Names by module. They are imported on first use, because answering `usi` must not wait for numpy.
_NAMES = {
    "kogoma.api.analysis": ("Analysis",),
    "kogoma.api.async_engine": ("AsyncAnalysis", "AsyncEngine", "AsyncUsiEngine"),
    "kogoma.api.engine": ("Engine",),
    "kogoma.api.functions": ("find_mate", "find_move", "legal_moves"),
    "kogoma.api.game_records": ("game_text", "read_game", "read_games", "write_game"),
    "kogoma.api.options": (
        *("Option", "ButtonOption", "CheckOption", "ComboOption", "FilenameOption", "SpinOption", "StringOption"),
    ),
    "kogoma.api.position": ("BLACK", "WHITE", "Position"),
    "kogoma.api.results": ("Info", "Result", "Score"),
    "kogoma.api.usi_engine": ("UsiEngine",),
    "kogoma.lab.engines.faults": ("EngineError", "OptionError"),
    "kogoma.lab.kifu.game": ("Game", "GameError"),
    "kogoma.rules.outcome": ("Outcome",),
    "kogoma.rules.variants": ("Variant", "variants"),
    "kogoma.search.limits": ("Limits",),
    "kogoma.search.mate.solver": ("MateAnswer",),
    "kogoma.version": ("__version__",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}
__all__ = [name for name in _HOMES if name != "__version__"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return [*_HOMES]
