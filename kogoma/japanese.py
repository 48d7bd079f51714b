"""The Japanese texts of the command line: help, errors and results, for users whose language is Japanese.

The sources contain English texts only, which the file `japanese.toml` maps to Japanese ones. Errors in positions, moves
and game records are in a file of the web page, which shows the same ones. An English text may contain placeholders in
braces: {side} stands for "Black" or "White", others for any text. Sides are translated, and so is the text if the
placeholder's name is in TRANSLATED.
"""

from __future__ import annotations

import functools
import json
import os
import re
import sys
import textwrap
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

LANGUAGE = "KOGOMA_LANG"  # environment variable: `ja` or `en`; by default the system's language decides
_JAPANESE = 0x11  # Windows' number of the Japanese language, without the country
_LOCALE = ("LC_ALL", "LC_MESSAGES", "LANG")

TEXTS = Path(__file__).with_name("japanese.toml")
RECORD_ERRORS = Path(__file__).parent / "web" / "page" / "game_records" / "record_errors.js"
HELP, MESSAGES = "help", "messages"  # kinds of texts
TABLES = {HELP: ("help",), MESSAGES: ("results", "errors")}  # tables of TEXTS
TRANSLATED = "message", "reason"  # placeholders of texts that are translated, too
SIDES = {"Black": "先手", "White": "後手"}
_PLACEHOLDER = re.compile(r"\{(\w+)\}")

# A unit that is not divided between lines: a Latin word or a character, with the brackets before it and the punctuation
# and small kana after it, which Japanese does not put at a line's end and beginning.
_UNIT = re.compile(r"[「(]*(?:[!-~]+|.)[、。)」:ー・ァィゥェォッャュョぁぃぅぇぉっゃゅょ]*")


class Template(NamedTuple):
    """An English text and its translation, both with placeholders; `pattern` matches texts that the English one stands
    for."""

    english: str
    japanese: str
    pattern: re.Pattern[str]


def wanted() -> bool:
    """Return whether texts should be in Japanese, according to KOGOMA_LANG or, if it is not set, the system's
    language."""
    for name in (LANGUAGE, *_LOCALE):
        value = os.environ.get(name)
        if value:
            return value.lower().startswith("ja")
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetUserDefaultUILanguage() & 0x3FF == _JAPANESE)
    return False


def help_text(english: str) -> str:
    """Return a text of the help in Japanese if the user reads Japanese and there is a translation, otherwise in
    English."""
    if not wanted():
        return english
    found = match(HELP, " ".join(english.split()))
    return english if found is None else _filled(*found)


def message(english: str) -> str:
    """Return an error message or results in Japanese if the user reads Japanese. Lines without a translation, and parts
    of lines that a placeholder stands for, stay as they are."""
    return "\n".join(_message(line) for line in english.split("\n")) if wanted() else english


def match(kind: str, english: str) -> tuple[Template, re.Match[str]] | None:
    """Return the first template of a kind (HELP or MESSAGES) that stands for an English text, with its match; None if
    there is none."""
    for template in templates(kind):
        if found := template.pattern.fullmatch(english):
            return template, found
    return None


@functools.cache
def templates(kind: str) -> list[Template]:
    """Return all templates of a kind, HELP or MESSAGES."""
    tables: Mapping[str, Mapping[str, str]] = tomllib.loads(TEXTS.read_text(encoding="utf-8"))
    texts = {english: japanese for name in TABLES[kind] for english, japanese in tables[name].items()}
    if kind == MESSAGES:
        source = RECORD_ERRORS.read_text(encoding="utf-8")
        texts |= json.loads(source[source.index("= {") + 2 : source.rindex("}") + 1])
    return [Template(english, japanese, _pattern(english)) for english, japanese in texts.items()]


def _pattern(english: str) -> re.Pattern[str]:
    literal = _PLACEHOLDER.split(english)
    literal[::2] = map(re.escape, literal[::2])
    literal[1::2] = (f"(?P<{name}>{'|'.join(SIDES) if name == 'side' else '.+?'})" for name in literal[1::2])
    return re.compile("".join(literal))


def _filled(template: Template, found: re.Match[str]) -> str:
    def value(placeholder: re.Match[str]) -> str:
        text = found[placeholder[1]]
        return _message(text) if placeholder[1] in TRANSLATED else SIDES.get(text, text)

    return _PLACEHOLDER.sub(value, template.japanese)


def _message(english: str) -> str:
    """Return a line of a message in Japanese. If there is no translation, look for one of what follows a colon: the
    text before it is then the name of a file or the like."""
    start = 0
    while start < len(english):
        if found := match(MESSAGES, english[start:]):
            return english[:start] + _filled(*found)
        start = (english.find(": ", start) + 2) if ": " in english[start:] else len(english)
    return english


def width(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def wrapped(text: str, columns: int) -> list[str]:
    """Split a text of the help into lines of at most `columns` columns. A line of a Japanese text can end after any
    character, except in a Latin word and where typesetting forbids it."""
    if not wanted():
        return textwrap.wrap(text, columns)
    lines: list[str] = []
    for part in _UNIT.findall(text):
        if not lines or width((lines[-1] + part).rstrip()) > columns:
            lines.append(part.lstrip())
        else:
            lines[-1] += part
    return [line.rstrip() for line in lines]
