"""The engine's options: how `usi` lists them, what `setoption` may set them to, and what they are set to."""

from __future__ import annotations

from dataclasses import dataclass

from arena.lines import clip
from rules.variants import DEFAULT, VARIANTS, Variant, find
from usi_engine.parse import UsiError, number

# Above this a ResignValue means never: no evaluation reaches it.
NEVER_RESIGN = 99999

# EnteringKingRule, in the words that other engines use.
CSA_RULE_27, NO_DECLARATION = "CSARule27", "NoEnteringKing"


@dataclass(frozen=True)
class Spin:
    """A whole number within bounds."""

    default: int
    least: int
    most: int

    def __str__(self) -> str:
        return f"type spin default {self.default} min {self.least} max {self.most}"

    def read(self, name: str, text: str) -> int:
        """The value in `text`; UsiError if it is out of range."""
        return number(text, name, self.least, self.most)


@dataclass(frozen=True)
class Check:
    """On or off."""

    default: bool

    def __str__(self) -> str:
        return f"type check default {str(self.default).lower()}"

    def read(self, name: str, text: str) -> bool:
        """The value in `text`; UsiError unless it is true or false, for which xboard's adapter says 1 or 0."""
        if text.lower() not in ("true", "false", "1", "0"):
            raise UsiError(f"{name} must be true or false, not {clip(text)}")
        return text.lower() in ("true", "1")


@dataclass(frozen=True)
class Combo:
    """One of several words."""

    default: str
    choices: tuple[str, ...]

    def __str__(self) -> str:
        return f"type combo default {self.default}" + "".join(f" var {choice}" for choice in self.choices)

    def read(self, name: str, text: str) -> str:
        """The value in `text`; UsiError, listing the choices, if it is none of them."""
        if text not in self.choices:
            raise UsiError(f"{name} must be one of {', '.join(self.choices)}, not {clip(text)}")
        return text


# Times in ms, values in centipawns. Names have no spaces: some GUIs cut a name at the first one.
OPTIONS: dict[str, Spin | Check | Combo] = {
    "USI_Variant": Combo(DEFAULT.name, tuple(VARIANTS)),
    "USI_Hash": Spin(64, 1, 65536),
    "USI_Ponder": Check(False),
    "Threads": Spin(1, 1, 256),
    "MultiPV": Spin(1, 1, 600),
    "NetworkDelay": Spin(15, 0, 10000),
    "MinimumThinkingTime": Spin(0, 0, 60000),
    "SlowMover": Spin(100, 1, 1000),
    "ResignValue": Spin(NEVER_RESIGN, 1, NEVER_RESIGN),
    "EnteringKingRule": Combo(CSA_RULE_27, (CSA_RULE_27, NO_DECLARATION)),
    "MaxMovesToDraw": Spin(0, 0, 100000),
    "DrawValueBlack": Spin(0, -30000, 30000),
    "DrawValueWhite": Spin(0, -30000, 30000),
}
ALIASES = {"uci_variant": "USI_Variant", "usi_multipv": "MultiPV"}
_BY_LOWER_NAME = {name.lower(): name for name in OPTIONS} | ALIASES


class Options:
    """What every option is set to."""

    def __init__(self) -> None:
        self._values: dict[str, int | bool | str] = {name: option.default for name, option in OPTIONS.items()}

    def set(self, name: str, text: str | None) -> str:
        """Set an option, by its name in any case or an alias, from the words of `setoption`; returns its proper name.

        UsiError, with nothing changed, if there is no such option or `text` is not one of its values.
        """
        proper = _BY_LOWER_NAME.get(name.lower())
        if proper is None:
            raise UsiError(f"no option is called {clip(name)}")
        if text is None:
            raise UsiError(f"{proper} needs a value")
        self._values[proper] = OPTIONS[proper].read(proper, text)
        return proper

    def number(self, name: str) -> int:
        """The value of a spin option."""
        value = self._values[name]
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """The value of a check option."""
        return self._values[name] is True

    def word(self, name: str) -> str:
        """The value of a combo option."""
        return str(self._values[name])

    @property
    def variant(self) -> Variant:
        """The game to play where the position does not say otherwise."""
        return find(self.word("USI_Variant"))


def option_lines() -> list[str]:
    """One `option name ...` line for every option, as the answer to `usi`."""
    return [f"option name {name} {option}" for name, option in OPTIONS.items()]
