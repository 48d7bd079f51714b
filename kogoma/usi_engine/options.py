"""Kogoma's options, and what changes when they are set."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

from kogoma.lab.engines.options import Button, Check, Combo, Filename, Option, Spin, String
from kogoma.rules.variants import ALIASES, DEFAULT, VARIANTS
from kogoma.search.levels import LEVELS, STRONGEST, WEAKEST
from kogoma.usi_engine.game import Game
from kogoma.usi_engine.network_delay import MEASURED
from kogoma.usi_engine.parse import UsiError
from kogoma.usi_engine.settings import CSA_RULE_27, FULL_STRENGTH, NETWORK, NEVER_RESIGN, NO_FILE, SHIPPED_BOOK

MANY = 2**31 - 1  # the largest number that every GUI accepts
FIRST_VARIANT = "KOGOMA_VARIANT"  # environment variable: the variant at the start
_PROGRAM = re.compile(r"(?:.*[/\\])?kogoma-(.+?)(?:\.exe)?", re.DOTALL | re.IGNORECASE)


def set_option(game: Game, option: Option, text: str | None) -> None:
    """Execute `setoption`: store the value in `text` and apply it. `text` is None if the line has no value. Raises
    ValueError, and changes nothing, if the value is not valid or cannot be applied."""
    if text is None and not isinstance(option, Button | String):
        raise UsiError(f"{option.name} needs a value")
    value = option.read("" if isinstance(option, Button) else text or "")
    before, game.settings[option.name] = game.settings[option.name], value
    try:
        if option.name in _EFFECTS:
            _EFFECTS[option.name](game, before)
    except ValueError:
        game.settings[option.name] = before
        raise


VARIANT = Combo("USI_Variant", DEFAULT.name, VARIANTS.keys(), ALIASES)

# Times in ms, values in centipawns. Names have no spaces: some GUIs cut a name at the first one.
_LIST = (
    VARIANT,
    Filename("VariantPath", NO_FILE),
    Combo("Evaluation", NETWORK, (NETWORK, "handcrafted")),
    Spin("USI_Hash", 64, 1, 65536),
    Check("USI_Ponder", False),
    Spin("Threads", 1, 1, 256),
    Spin("MultiPV", 1, 1, 600),
    Button("Clear_Hash"),
    Spin("NodesLimit", 0, 0, MANY),
    Spin("DepthLimit", 0, 0, 1000),
    Spin("NetworkDelay", MEASURED, MEASURED, 10000),
    Spin("NetworkDelay2", 0, 0, 10000),
    Check("RoundUpToFullSecond", False),
    Spin("MinimumThinkingTime", 0, 0, 60000),
    Spin("SlowMover", 100, 1, 1000),
    Spin("PvInterval", 0, 0, 100000),
    Check("OutputFailLHPV", True),
    Check("ConsiderationMode", False),
    Combo("Level", FULL_STRENGTH, (FULL_STRENGTH, *map(str, range(1, len(LEVELS))))),
    Check("USI_LimitStrength", False),
    Spin("USI_Elo", STRONGEST, WEAKEST, STRONGEST),
    Spin("StrengthSeed", 0, 0, MANY),
    Check("USI_OwnBook", False),
    Filename("BookFile", SHIPPED_BOOK),
    Spin("BookEvalDiff", 0, 0, 30000),
    Spin("BookMoves", 60, 0, 10000),
    Check("UseTablebase", True),
    Filename("TablebasePath", NO_FILE),
    Spin("TablebaseMen", 4, 0, 5),
    Spin("ResignValue", NEVER_RESIGN, 1, NEVER_RESIGN),
    Combo("EnteringKingRule", CSA_RULE_27, (CSA_RULE_27, "NoEnteringKing")),
    Spin("MaxMovesToDraw", 0, 0, 100000),
    Spin("DrawValueBlack", 0, -30000, 30000),
    Spin("DrawValueWhite", 0, -30000, 30000),
    String("WriteDebugLog", NO_FILE),  # not a Filename: for those, GUIs offer only files that exist
)
OPTIONS = {option.name: option for option in _LIST}
DEFAULTS = {option.name: option.default for option in _LIST}

# What changes when an option is set: functions of the game and the old value. They raise ValueError if the new value is
# not possible. The values of other options are read when they are needed.
_EFFECTS: dict[str, Callable[[Game, Any], None]] = {
    "USI_Variant": Game.change_variant,
    "VariantPath": Game.register_variants,
    "Evaluation": lambda game, before: game.memory.change_evaluation(before),
    "USI_Hash": lambda game, before: game.memory.resize(before),
    "Threads": lambda game, before: game.memory.fit_threads(),
    "Clear_Hash": lambda game, before: game.memory.clear(),
    "Level": lambda game, before: game.memory.fit_threads(),
    "USI_LimitStrength": lambda game, before: game.memory.fit_threads(),
    "StrengthSeed": lambda game, before: game.seed(),
    "UseTablebase": lambda game, before: game.tablebases.fit_options(),
    "TablebaseMen": lambda game, before: game.tablebases.fit_options(),
    "WriteDebugLog": Game.change_log,
}
# Other names of options, in lower case.
_ALIASES = {
    "uci_variant": "USI_Variant",
    "hash": "USI_Hash",
    "ponder": "USI_Ponder",
    "usi_multipv": "MultiPV",
    "move_overhead": "NetworkDelay",
    "uci_limitstrength": "USI_LimitStrength",
    "uci_elo": "USI_Elo",
    "ownbook": "USI_OwnBook",
    "debug_log_file": "WriteDebugLog",
}

# Options of other engines that GUIs send to all engines, with the reason why they have no effect here.
BOOK = "the book is chosen by USI_OwnBook, BookFile, BookEvalDiff and BookMoves alone"
SILENT = ""  # options of the protocol itself, which GUIs send to every engine
NO_CHOICE = "the evaluation cannot be chosen by a file"
WITHOUT_MEANING = {
    **dict.fromkeys(("BookDir", "BookIgnoreRate", "BookEvalBlackLimit", "BookEvalWhiteLimit", "BookDepthLimit"), BOOK),
    **dict.fromkeys(("BookOnTheFly", "BookPvMoves", "ConsiderBookMoveCount", "IgnoreBookPly"), BOOK),
    **dict.fromkeys(("NarrowBook", "FlippedBook"), BOOK),
    **dict.fromkeys(("EvalDir", "EvalFile", "EvalShare", "SkipLoadingEval", "FV_SCALE", "Use_NNUE"), NO_CHOICE),
    **dict.fromkeys(("USI_AnalyseMode", "USI_ShowCurrLine", "USI_ShowRefutations"), SILENT),
    "UCI_AnalyseMode": "an analysis is searched like a game",
    "GenerateAllLegalMoves": "all legal moves are searched at all times",
    "Stochastic_Ponder": "only the expected move is pondered, and ponderhit always accepts clocks",
    "Contempt": "DrawValueBlack and DrawValueWhite say what a draw is worth",
    "ContemptFromBlack": "DrawValueBlack and DrawValueWhite say what a draw is worth",
    "Skill_Level": "Level, or USI_LimitStrength and USI_Elo, say how strong to play",
    "LargePageEnable": "huge pages are always used if the system has them",
}
_FOUND: dict[str, Option | str] = {
    **{name.lower(): found for name, found in (OPTIONS | WITHOUT_MEANING).items()},
    **{alias: OPTIONS[name] for alias, name in _ALIASES.items()},
}


def first_variant(*programs: str) -> str:
    """Return the name of the variant with which the engine starts: the one in the environment variable KOGOMA_VARIANT,
    or else in the first of the programs that is named like `kogoma-minishogi`, or else DEFAULT. `programs` are names or
    paths. Raises ValueError if the environment variable names no variant."""
    if value := os.environ.get(FIRST_VARIANT):
        return Combo(FIRST_VARIANT, DEFAULT.name, VARIANTS.keys(), ALIASES).read(value)
    for program in programs:
        if found := _PROGRAM.fullmatch(program):
            name = found[1].lower()
            if (name := ALIASES.get(name, name)) in VARIANTS:
                return name
    return DEFAULT.name


def find_option(name: str) -> Option | str | None:
    """Return the option with a name or an alias, None if there is none. For an option of other engines, return the
    reason why it has no effect here, or SILENT if users need not know it. `name` may be in any case, and have spaces
    instead of underscores."""
    return _FOUND.get(name.lower().replace(" ", "_"))
