"""The words of a match, as flags in the manner of cutechess-cli or as a TOML file: both become one dictionary.

-engine cmd=kogoma nodes=500     [[engine]]
                                 cmd = "kogoma"
                                 nodes = 500
-each option.USI_Hash=16         [each]
                                 option.USI_Hash = 16
-games 100                       games = 100
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Words = dict[str, Any]  # flag -> text, list of texts (`out`), group (texts by name) or list of groups (`engine`)
Group = dict[str, Any]  # name -> text; `arg` has a list

NAMED = ("option", "env")  # words with a name of their own behind a dot
ENGINE_WORDS = [
    "name",
    "cmd",
    "arg",
    "proto",
    "dir",
    *NAMED,
    *"tc st first nodes depth timemargin restart initstr".split(),
]
TIMES = ("tc", "st", "first")
GROUPS = {
    "engine": ENGINE_WORDS,
    "each": ENGINE_WORDS,
    "openings": ["file", "order", "plies", "start"],
    "resign": ["movecount", "score", "twosided"],
    "draw": ["movenumber", "movecount", "score"],
    "sprt": ["elo0", "elo1", "alpha", "beta", "model"],
}
VALUES = "variant games rounds repeat concurrency maxmoves ratinginterval srand out tournament cluster config".split()
SWITCHES = {"recover": "true", "repeat": "2", "resume": "true"}  # their values where none is given
FLAGS = [*GROUPS, *VALUES, "resume", "recover"]
_FLAG = re.compile(r"--?([a-z][a-z0-9]*)")


class WordsError(ValueError):
    """A match that can't be understood; the text is one line."""


def parse_words(argv: Sequence[str]) -> Words:
    """Read a command line, and the file that `-config` names: flags stand above it, engines after its."""
    given: Words = {}
    rest = list(argv)
    while rest:
        flag = _flag(rest.pop(0))
        end = next((index for index, word in enumerate(rest) if _FLAG.fullmatch(word)), len(rest))
        values, rest = rest[:end], rest[end:]
        if flag in GROUPS:
            _add_group(given, flag, values)
            continue
        if not values and flag in SWITCHES:
            values = [SWITCHES[flag]]
        if len(values) != 1:
            raise WordsError(f"-{flag} needs one value" + f", not {' '.join(values)[:60]!r}" * bool(values))
        if flag == "out":
            given.setdefault("out", []).append(values[0])
        elif flag in given:
            raise WordsError(f"-{flag} is given twice")
        else:
            given[flag] = values[0]
    file = given.pop("config", None)
    return given if file is None else _merge(read_config(Path(file)), given)


def _flag(word: str) -> str:
    found = _FLAG.fullmatch(word)
    if not found or found[1] not in FLAGS:
        raise WordsError(f"unknown flag {word[:40]!r}; --help lists them")
    return found[1]


def _add_group(given: Words, flag: str, values: Sequence[str]) -> None:
    group: Group = {}
    for word in values:
        name, equals, value = word.partition("=")
        _check_name(flag, name, bool(equals))
        if name == "arg":
            group.setdefault("arg", []).append(value)
        elif name in group:
            raise WordsError(f"-{flag}: {name}= is given twice")
        else:
            group[name] = value
    if flag == "engine":
        given.setdefault("engine", []).append(group)
    elif flag in given:
        raise WordsError(f"-{flag} is given twice")
    else:
        given[flag] = group


def _check_name(flag: str, name: str, valued: bool = True) -> None:
    known = GROUPS[flag]
    word, _, own = name.partition(".")
    if valued and ((word in known and own) if word in NAMED else name in known):
        return
    names = ", ".join(f"{each}.NAME=" if each in NAMED else f"{each}=" for each in known)
    raise WordsError(f"-{flag}: unknown word {name[:40]!r}; there are {names}")


def read_config(path: Path) -> Words:
    """Read a TOML file."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise WordsError(f"cannot read {path}: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise WordsError(f"{path}: {error}") from None
    try:
        return words_of(found)
    except WordsError as error:
        raise WordsError(f"{path}: {error}") from None


def words_of(found: dict[str, Any]) -> Words:
    """The words of a dictionary as TOML, or a file of records, has them."""
    words: Words = {}
    for name, value in found.items():
        if name in ("config", "resume") or name not in FLAGS:
            raise WordsError(f"unknown word {name!r}")
        if name == "engine":
            if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
                raise WordsError("engines are tables [[engine]]")
            words["engine"] = [_group(name, entry) for entry in value]
        elif name in GROUPS:
            if not isinstance(value, dict):
                raise WordsError(f"{name} is a table [{name}]")
            words[name] = _group(name, value)
        elif name == "out":
            words["out"] = [_text(name, entry) for entry in (value if isinstance(value, list) else [value])]
        else:
            words[name] = _text(name, value)
    return words


def _group(flag: str, table: dict[str, Any]) -> Group:
    group: Group = {}
    for name, value in table.items():
        if name in NAMED and isinstance(value, dict):
            group |= {f"{name}.{own}": _text(f"{name}.{own}", each) for own, each in value.items()}
            continue
        _check_name(flag, name)
        is_list = name == "arg" and isinstance(value, list)
        group[name] = [_text(name, each) for each in value] if is_list else _text(name, value)
        if name == "arg" and not is_list:
            group[name] = [group[name]]
    return group


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise WordsError(f"{name} is a text or a number, not {value!r:.40}")
    return str(value)


def _merge(file: Words, flags: Words) -> Words:
    both = file | flags
    for name in GROUPS:
        if name in file and name in flags:
            both[name] = file[name] + flags[name] if name == "engine" else override(file[name], flags[name])
    return both


def override(common: Group, own: Group) -> Group:
    """The words of `common` with those of `own` instead where both have them; any time in `own` replaces all times."""
    timed = any(name in own for name in ("tc", "st"))
    return {name: value for name, value in common.items() if not (timed and name in TIMES)} | own
