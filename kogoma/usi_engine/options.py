"""The engine's options: their `usi` lines, their valid values, and what changes when they are set."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from kogoma.console.lines import clip
from kogoma.rules.variants import ALIASES, DEFAULT, VARIANTS
from kogoma.search.levels import LEVELS, STRONGEST, WEAKEST
from kogoma.usi_engine.game import Game
from kogoma.usi_engine.parse import UsiError, number
from kogoma.usi_engine.settings import CSA_RULE_27, FULL_STRENGTH, NETWORK, NEVER_RESIGN, NO_FILE, SHIPPED_BOOK

MANY = 2**31 - 1  # the largest number that every GUI accepts
FIRST_VARIANT = "KOGOMA_VARIANT"  # environment variable: the variant at the start
_PROGRAM = re.compile(r"(?:.*[/\\])?kogoma-(.+?)(?:\.exe)?", re.DOTALL | re.IGNORECASE)


def _nothing(game: Game, before: Any) -> None:
    """Apply an option whose value is read when it is needed: do nothing."""


def _fit_threads(game: Game, before: Any) -> None:
    game.memory.fit_threads()


@dataclass(frozen=True)
class Option:
    """The base class of options. `apply` is called when a new value has been stored, with the game and the old value.
    It raises ValueError if the new value is not possible. `other_name` is an alias in lower case, or ""."""

    name: str
    default: int | bool | str
    apply: Callable[[Game, Any], None] = field(default=_nothing, kw_only=True)
    other_name: str = field(default="", kw_only=True)
    needs_value = True

    def __str__(self) -> str:
        return f"option name {self.name} type {type(self).__name__.lower()} default {self.default}"

    def read(self, text: str) -> int | bool | str:
        """Return the value in `text`. Raises UsiError if it is not valid."""
        raise NotImplementedError

    def set(self, game: Game, text: str | None) -> None:
        """Execute `setoption`: store the value in `text` and apply it. `text` is None if the line has no value. Raises
        ValueError, and changes nothing, if the value is not valid or `apply` fails."""
        if text is None and self.needs_value:
            raise UsiError(f"{self.name} needs a value")
        before, game.settings[self.name] = game.settings[self.name], self.read(text or "")
        try:
            self.apply(game, before)
        except ValueError:
            game.settings[self.name] = before
            raise


@dataclass(frozen=True)
class Spin(Option):
    """An option whose value is a whole number within bounds."""

    least: int
    most: int

    def __str__(self) -> str:
        return f"{super().__str__()} min {self.least} max {self.most}"

    def read(self, text: str) -> int:
        """Return the number in `text`. Raises UsiError if it is no whole number or out of range."""
        return number(text, self.name, self.least, self.most)


@dataclass(frozen=True)
class Check(Option):
    """An option that is on or off."""

    def __str__(self) -> str:
        return f"option name {self.name} type check default {str(self.default).lower()}"

    def read(self, text: str) -> bool:
        """Return the value in `text`: true or false, or 1 or 0, which xboard's adapter sends. Raises UsiError for other
        texts."""
        if text.lower() not in ("true", "false", "1", "0"):
            raise UsiError(f"{self.name} must be true or false, not {clip(text)}")
        return text.lower() in ("true", "1")


@dataclass(frozen=True)
class Combo(Option):
    """An option with a fixed set of values."""

    choices: Collection[str]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return super().__str__() + "".join(f" var {choice}" for choice in self.choices)

    def read(self, text: str) -> str:
        """Return the choice that `text` names, which may be an alias. Raises UsiError, which lists the choices, if
        `text` is none of them."""
        choice = self.aliases.get(text, text)
        if choice not in self.choices:
            raise UsiError(f"{self.name} must be one of {', '.join(self.choices)}, not {clip(text)}")
        return choice


@dataclass(frozen=True)
class Filename(Option):
    """An option whose value is a file name, a keyword, or empty."""

    needs_value = False

    def read(self, text: str) -> str:
        """Return `text` unchanged. Raises UsiError if it cannot be a file name."""
        if "\0" in text:
            raise UsiError(f"{self.name} must be the name of a file, not {clip(text)}")
        return text


@dataclass(frozen=True)
class String(Filename):
    """The name of a file that may not exist yet. GUIs offer only existing files for an option of the type filename."""


@dataclass(frozen=True)
class Button(Option):
    """An option that triggers an action and has no value."""

    default: str = ""
    needs_value = False

    def __str__(self) -> str:
        return f"option name {self.name} type button"

    def read(self, text: str) -> str:
        """Return "" for any text."""
        return ""


# Times in ms, values in centipawns. Names have no spaces: some GUIs cut a name at the first one.
_LIST = (
    Combo("USI_Variant", DEFAULT.name, VARIANTS.keys(), ALIASES, other_name="uci_variant", apply=Game.change_variant),
    Filename("VariantPath", NO_FILE, apply=Game.register_variants),
    Combo("Evaluation", NETWORK, (NETWORK, "handcrafted"), apply=lambda game, old: game.memory.change_evaluation(old)),
    Spin("USI_Hash", 64, 1, 65536, other_name="hash", apply=lambda game, before: game.memory.resize(before)),
    Check("USI_Ponder", False, other_name="ponder"),
    Spin("Threads", 1, 1, 256, apply=_fit_threads),
    Spin("MultiPV", 1, 1, 600, other_name="usi_multipv"),
    Button("Clear_Hash", apply=lambda game, before: game.memory.clear()),
    Spin("NodesLimit", 0, 0, MANY),
    Spin("DepthLimit", 0, 0, 1000),
    Spin("NetworkDelay", 15, 0, 10000, other_name="move_overhead"),
    Spin("NetworkDelay2", 0, 0, 10000),
    Check("RoundUpToFullSecond", False),
    Spin("MinimumThinkingTime", 0, 0, 60000),
    Spin("SlowMover", 100, 1, 1000),
    Spin("PvInterval", 0, 0, 100000),
    Check("OutputFailLHPV", True),
    Check("ConsiderationMode", False),
    Combo("Level", FULL_STRENGTH, (FULL_STRENGTH, *map(str, range(1, len(LEVELS)))), apply=_fit_threads),
    Check("USI_LimitStrength", False, other_name="uci_limitstrength", apply=_fit_threads),
    Spin("USI_Elo", STRONGEST, WEAKEST, STRONGEST, other_name="uci_elo"),
    Spin("StrengthSeed", 0, 0, MANY, apply=lambda game, before: game.seed()),
    Check("USI_OwnBook", False, other_name="ownbook"),
    Filename("BookFile", SHIPPED_BOOK),
    Spin("BookEvalDiff", 0, 0, 30000),
    Spin("BookMoves", 60, 0, 10000),
    Spin("ResignValue", NEVER_RESIGN, 1, NEVER_RESIGN),
    Combo("EnteringKingRule", CSA_RULE_27, (CSA_RULE_27, "NoEnteringKing")),
    Spin("MaxMovesToDraw", 0, 0, 100000),
    Spin("DrawValueBlack", 0, -30000, 30000),
    Spin("DrawValueWhite", 0, -30000, 30000),
    String("WriteDebugLog", NO_FILE, other_name="debug_log_file", apply=Game.change_log),
)
OPTIONS = {option.name: option for option in _LIST}
DEFAULTS = {option.name: option.default for option in _LIST}

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
    **{option.other_name: option for option in _LIST if option.other_name},
}


def first_variant(*programs: str) -> str:
    """Return the name of the variant with which the engine starts: the one in the environment variable KOGOMA_VARIANT,
    or else in the first of the programs that is named like `kogoma-minishogi`, or else DEFAULT. `programs` are names or
    paths. Raises UsiError if the environment variable names no variant."""
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
