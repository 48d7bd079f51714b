"""The engine's options: their `usi` lines, their valid values, and their current values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kogoma.console.lines import clip
from kogoma.rules.variants import ALIASES, DEFAULT, VARIANTS, Variant, find
from kogoma.search.levels import LEVELS, STRONGEST, WEAKEST
from kogoma.usi_engine.parse import UsiError, number

# The largest ResignValue, which means never to resign.
NEVER_RESIGN = 99999

MANY = 2**31 - 1  # the largest number that every GUI accepts

# Values of EnteringKingRule, as in other engines.
CSA_RULE_27, NO_DECLARATION = "CSARule27", "NoEnteringKing"


NO_FILE = "<empty>"  # as GUIs write an empty value

# Evaluation: the handcrafted terms with the network, or alone.
NETWORK, HANDCRAFTED = "network", "handcrafted"

# BookFile: the book that comes with the engine.
SHIPPED_BOOK = "shipped"
FULL_STRENGTH = "full"


@dataclass(frozen=True)
class Spin:
    """An option whose value is a whole number within bounds."""

    default: int
    least: int
    most: int

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def read(self, name: str, text: str) -> int:
        """Return the number in `text`, the value of the option `name`. Raises UsiError if it is no whole number or out
        of range."""
        return number(text, name, self.least, self.most)


@dataclass(frozen=True)
class Check:
    """An option that is on or off."""

    default: bool

    def __str__(self) -> str:
        return f"type check default {str(self.default).lower()}"

    def read(self, name: str, text: str) -> bool:
        """Return the value in `text`: true or false, or 1 or 0, which xboard's adapter sends. Raises UsiError for other
        texts."""
        if text.lower() not in ("true", "false", "1", "0"):
            raise UsiError(f"{name} must be true or false, not {clip(text)}")
        return text.lower() in ("true", "1")


@dataclass(frozen=True)
class Combo:
    """An option with a fixed set of values."""

    default: str
    choices: Collection[str]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"type combo default {self.default}" + "".join(f" var {choice}" for choice in self.choices)

    def read(self, name: str, text: str) -> str:
        """Return the choice that `text` names, which may be an alias. Raises UsiError, which lists the choices, if
        `text` is none of them."""
        choice = self.aliases.get(text, text)
        if choice not in self.choices:
            raise UsiError(f"{name} must be one of {', '.join(self.choices)}, not {clip(text)}")
        return choice


@dataclass(frozen=True)
class Filename:
    """An option whose value is a file name, a keyword, or empty."""

    default: str

    def __str__(self) -> str:
        return f"type filename default {self.default}"

    def read(self, name: str, text: str) -> str:
        """Return `text` unchanged. Raises UsiError if it cannot be a file name."""
        if "\0" in text:
            raise UsiError(f"{name} must be the name of a file, not {clip(text)}")
        return text


@dataclass(frozen=True)
class Button:
    """An option that triggers an action and has no value."""

    def __str__(self) -> str:
        return "type button"


# Times in ms, values in centipawns. Names have no spaces: some GUIs cut a name at the first one.
OPTIONS: dict[str, Spin | Check | Combo | Filename | Button] = {
    "USI_Variant": Combo(DEFAULT.name, VARIANTS.keys(), ALIASES),
    "VariantPath": Filename(NO_FILE),
    "Evaluation": Combo(NETWORK, (NETWORK, HANDCRAFTED)),
    "USI_Hash": Spin(64, 1, 65536),
    "USI_Ponder": Check(False),
    "Threads": Spin(1, 1, 256),
    "MultiPV": Spin(1, 1, 600),
    "Clear_Hash": Button(),
    "NodesLimit": Spin(0, 0, MANY),
    "DepthLimit": Spin(0, 0, 1000),
    "NetworkDelay": Spin(15, 0, 10000),
    "NetworkDelay2": Spin(0, 0, 10000),
    "RoundUpToFullSecond": Check(False),
    "MinimumThinkingTime": Spin(0, 0, 60000),
    "SlowMover": Spin(100, 1, 1000),
    "PvInterval": Spin(0, 0, 100000),
    "OutputFailLHPV": Check(True),
    "ConsiderationMode": Check(False),
    "Level": Combo(FULL_STRENGTH, (FULL_STRENGTH, *map(str, range(1, len(LEVELS))))),
    "USI_LimitStrength": Check(False),
    "USI_Elo": Spin(STRONGEST, WEAKEST, STRONGEST),
    "StrengthSeed": Spin(0, 0, MANY),
    "USI_OwnBook": Check(False),
    "BookFile": Filename(SHIPPED_BOOK),
    "BookEvalDiff": Spin(0, 0, 30000),
    "BookMoves": Spin(60, 0, 10000),
    "ResignValue": Spin(NEVER_RESIGN, 1, NEVER_RESIGN),
    "EnteringKingRule": Combo(CSA_RULE_27, (CSA_RULE_27, NO_DECLARATION)),
    "MaxMovesToDraw": Spin(0, 0, 100000),
    "DrawValueBlack": Spin(0, -30000, 30000),
    "DrawValueWhite": Spin(0, -30000, 30000),
}
OTHER_NAMES = {
    "uci_variant": "USI_Variant",
    "hash": "USI_Hash",
    "ownbook": "USI_OwnBook",
    "ponder": "USI_Ponder",
    "usi_multipv": "MultiPV",
    "uci_limitstrength": "USI_LimitStrength",
    "uci_elo": "USI_Elo",
    "move_overhead": "NetworkDelay",
}
_BY_LOWER_NAME = {name.lower(): name for name in OPTIONS} | OTHER_NAMES

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
    "WriteDebugLog": "no log is written",
    "Debug_Log_File": "no log is written",
}
_REASONS = {name.lower(): reason for name, reason in WITHOUT_MEANING.items()}


def why_without_meaning(name: str) -> str | None:
    """Return why an option of other engines has no effect here. Return SILENT if users need not know the reason, and
    None if `name` is not such an option."""
    return _REASONS.get(_plain(name))


def proper_name(name: str) -> str | None:
    """Return the proper name of an option, or None if there is no such option. `name` may be in any case, or an
    alias."""
    return _BY_LOWER_NAME.get(_plain(name))


def _plain(name: str) -> str:
    """Return the name of an option in lower case and with underscores instead of spaces."""
    return name.lower().replace(" ", "_")


class Options:
    """The current values of all options."""

    def __init__(self) -> None:
        self._values: dict[str, int | bool | str] = {
            name: option.default for name, option in OPTIONS.items() if not isinstance(option, Button)
        }

    def set(self, name: str, text: str | None) -> str:
        """Set an option and return its proper name. `name` may be in any case, or an alias. Raises UsiError, and
        changes nothing, if there is no such option or `text` is not a valid value."""
        proper = proper_name(name)
        if proper is None:
            raise UsiError(f"there is no option {clip(name)}")
        option = OPTIONS[proper]
        if isinstance(option, Button):
            return proper
        if text is None and not isinstance(option, Filename):
            raise UsiError(f"{proper} needs a value")
        self._values[proper] = option.read(proper, text or "")
        return proper

    def number(self, name: str) -> int:
        """Return the value of a spin option."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """Return the value of a check option."""
        return self._values[name] is True

    def word(self, name: str) -> str:
        """Return the value of a combo or filename option."""
        return str(self._values[name])

    @property
    def variant(self) -> Variant:
        """The variant to play if the position does not determine it."""
        return find(self.word("USI_Variant"))


def option_lines() -> list[str]:
    """Return the `option name ...` lines that answer `usi`."""
    return [f"option name {name} {option}" for name, option in OPTIONS.items()]
