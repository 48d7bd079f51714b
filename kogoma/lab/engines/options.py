"""Options of engines: their types, the values that they allow, and the lines in which engines list them.

Kogoma's own options have the same types. This module uses the standard library only.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from kogoma.console.lines import clip, number

Value = int | bool | str

_PREFIX = "option name "
_NUMBER = re.compile(r"(?<!\S)(default|min|max) ([+-]?[0-9]{1,20})(?!\S)")
_WORD = re.compile(r"(?<!\S)(default|var)(?!\S)")
_FEATURE = re.compile(r"(.+?)\s+-(button|save|reset|check|spin|slider|combo|string|file|path)(?:\s+(.*))?")
_SPIN = re.compile(r"([+-]?[0-9]{1,20})\s+([+-]?[0-9]{1,20})\s+([+-]?[0-9]{1,20})")


@dataclass(frozen=True)
class Option:
    """The base class of options. `default` is None if the engine does not name a valid one."""

    name: str
    default: Value | None

    def __str__(self) -> str:
        """Return the option's line in USI and UCI."""
        default = "" if self.default is None else f" default {text_of(self.default)}"
        return f"{_PREFIX}{self.name} type {type(self).__name__.lower()}{default}"

    @property
    def allowed(self) -> str:
        """The values that the option allows, for messages: for example "true or false"."""
        raise NotImplementedError

    def read(self, text: str) -> Value:
        """Return the value in `text`. Raises ValueError if the option does not allow it."""
        raise NotImplementedError

    def refused(self, text: str) -> ValueError:
        """Return the error for a text that the option does not allow."""
        return ValueError(f"{self.name} must be {self.allowed}, not {clip(text)}")


@dataclass(frozen=True)
class Spin(Option):
    """An option whose value is a whole number within bounds."""

    default: int | None
    least: int
    most: int

    def __str__(self) -> str:
        return f"{super().__str__()} min {self.least} max {self.most}"

    @property
    def allowed(self) -> str:
        """The bounds."""
        return f"a whole number from {self.least} to {self.most}"

    def read(self, text: str) -> int:
        """Return the number in `text`. Raises ValueError if it is no whole number or out of range."""
        return number(text, self.name, self.least, self.most)

    def nearest(self, value: int) -> int:
        """Return the allowed number that is nearest to `value`."""
        return max(self.least, min(value, self.most))


@dataclass(frozen=True)
class Check(Option):
    """An option that is on or off."""

    default: bool | None
    allowed = "true or false"

    def read(self, text: str) -> bool:
        """Return the value in `text`: true or false, or 1 or 0, which xboard's adapter sends. Raises ValueError for
        other texts."""
        if text.lower() not in ("true", "false", "1", "0"):
            raise self.refused(text)
        return text.lower() in ("true", "1")


@dataclass(frozen=True)
class Combo(Option):
    """An option with a fixed set of values, some of which may also have other names, the `aliases`."""

    default: str | None
    choices: Collection[str]
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return super().__str__() + "".join(f" var {choice}" for choice in self.choices)

    @property
    def allowed(self) -> str:
        """The list of choices."""
        return f"one of {', '.join(self.choices)}"

    def read(self, text: str) -> str:
        """Return the choice that `text` names, which may be an alias. Raises ValueError, which lists the choices, if
        `text` is none of them."""
        choice = self.aliases.get(text, text)
        if choice not in self.choices:
            raise self.refused(text)
        return choice


@dataclass(frozen=True)
class Button(Option):
    """An option that triggers an action and has no value."""

    default: str = ""
    allowed = "without a value"

    def __str__(self) -> str:
        return f"{_PREFIX}{self.name} type button"

    def read(self, text: str) -> str:
        """Return "". Raises ValueError for any other text."""
        if text:
            raise self.refused(text)
        return ""


@dataclass(frozen=True)
class String(Option):
    """An option whose value is any text in one line. Options whose line is invalid have this type, too."""

    default: str | None
    allowed = "text in one line"

    def read(self, text: str) -> str:
        """Return `text` unchanged. Raises ValueError if it has line breaks or a null character."""
        if not {"\0", "\n", "\r"}.isdisjoint(text):
            raise self.refused(text)
        return text


@dataclass(frozen=True)
class Filename(String):
    """An option whose value is the name of a file or folder, a keyword, or empty."""

    allowed = "the name of a file"


def text_of(value: Value) -> str:
    """Return a value as text, as engines that speak USI or UCI read it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def parse_option(line: str) -> Option | None:
    """Return the option in an `option` line of USI or UCI, or None if the line has no name. An option whose type is
    unknown, or whose bounds or choices are missing or invalid, is a String."""
    name, _, rest = line.removeprefix(_PREFIX.rstrip()).partition(" type ")
    name, (kind, _, rest) = name.strip(), rest.strip().partition(" ")
    if not name:
        return None
    match kind:
        case "check":
            value = rest.removeprefix("default").strip().lower()
            return Check(name, value == "true" if value in ("true", "false") else None)
        case "spin":
            numbers = {word: int(digits) for word, digits in _NUMBER.findall(rest)}
            if "min" in numbers and "max" in numbers and numbers["min"] <= numbers["max"]:
                return Spin(name, numbers.get("default"), numbers["min"], numbers["max"])
        case "combo":
            words = [word.strip() for word in _WORD.split(rest)]
            values = list(zip(words[1::2], words[2::2]))
            choices = tuple(dict.fromkeys(value for word, value in values if word == "var" and value))
            if choices:
                return Combo(name, next((value for word, value in values if word == "default"), None), choices)
        case "button":
            return Button(name)
        case "filename":
            return Filename(name, _default(rest))
    return String(name, _default(rest))


def _default(rest: str) -> str | None:
    return rest.removeprefix("default").strip() if rest.startswith("default") else None


def parse_feature(text: str) -> Option | None:
    """Return the option in the value of xboard's `feature option="..."`, for example `Threads -spin 1 1 8`. Return None
    if the text has no name. An option whose type, bounds or choices are missing or invalid is a String."""
    found = _FEATURE.fullmatch(text.strip())
    if not found:
        return String(text.strip(), None) if text.strip() else None
    name, kind, rest = found[1], found[2], (found[3] or "").strip()
    match kind:
        case "check":
            return Check(name, rest == "1" if rest in ("0", "1") else None)
        case "spin" | "slider":
            if numbers := _SPIN.fullmatch(rest):
                default, least, most = map(int, numbers.groups())
                if least <= most:
                    return Spin(name, default, least, most)
        case "combo":
            words = [word.strip() for word in rest.split("///")]
            choices = tuple(dict.fromkeys(word.removeprefix("*").strip() for word in words if word.strip("* ")))
            if choices:
                marked = next((word.removeprefix("*").strip() for word in words if word.startswith("*")), None)
                return Combo(name, marked, choices)
        case "button" | "save" | "reset":
            return Button(name)
        case "file" | "path":
            return Filename(name, rest)
    return String(name, rest)


def find_option(options: Mapping[str, Option], name: str) -> Option | None:
    """Return the option with a name, which may be in another case than in `options`. Return None if there is none."""
    same = (option for known, option in options.items() if known.lower() == name.lower())
    return options.get(name) or next(same, None)


def read_value(options: Mapping[str, Option], name: str, text: str) -> tuple[str, Value]:
    """Return the name of an option as in `options`, and the value in `text`. Case matters neither in the name nor in a
    choice. Raises ValueError, which says what is allowed, if there is no such option or if it does not allow the
    value."""
    option = find_option(options, name)
    if option is None:
        its_options = f"the options are {', '.join(options)}" if options else "the engine lists no options"
        raise ValueError(f"there is no option {clip(name)}; {its_options}")
    if isinstance(option, Combo) and text not in option.choices:
        text = next((choice for choice in option.choices if choice.lower() == text.lower()), text)
    try:
        return option.name, option.read(text)
    except ValueError:
        raise ValueError(f"the option {option.refused(text)}") from None
