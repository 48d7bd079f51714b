"""The flags of `match`, from a command line in cutechess-cli's style or from a TOML file, and the text of `match
--help`.

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

from kogoma.console.arguments import CommandLineError
from kogoma.console.terminal import WIDTH, listed, terminal_width
from kogoma.japanese import help_text, wrapped
from kogoma.output_file import reason

Words = dict[str, Any]  # by flag: a text, a list of texts (`out`), a Group, or a list of Groups (`engine`)
Group = dict[str, Any]  # texts by name; `arg` has a list

NAMED = ("option", "env")  # settings with a name after a dot
ENGINE_WORDS = (
    "name cmd arg proto dir option checkoptions env tc st first nodes depth timemargin ponder restart initstr".split()
)
TIMES = ("tc", "st", "first")
GROUPS = {
    "engine": ENGINE_WORDS,
    "each": ENGINE_WORDS,
    "openings": ["file", "format", "order", "plies", "start"],
    "resign": ["movecount", "score", "twosided"],
    "draw": ["movenumber", "movecount", "score"],
    "sprt": ["elo0", "elo1", "alpha", "beta", "model", "luck"],
    "pgnout": ["file", "notation", "nodes", "min"],
}
SWITCHES = {  # values of flags without one
    **dict.fromkeys(("noswap", "pv", "recover", "resume", "testEnv"), "true"),
    "repeat": "2",
    "use-affinity": "all",
}
_FLAG = re.compile(r"--?([A-Za-z][A-Za-z0-9-]*)")

# The flags and the settings of an engine, for `match --help`.
COLUMN = 28  # where the descriptions begin in the help text
EXAMPLES = (
    "-engine name=new -engine name=old dir=../old -each nodes=5000 -games 100",
    "-engine cmd=kogoma -engine cmd=fairy-stockfish proto=uci -each tc=0+0.1b",
    "-config match.toml -out match.jsonl",
    "--resume match.jsonl",
)

FLAG_HELP = {
    "engine WORD=VALUE ...": "an engine; two or more",
    "each WORD=VALUE ...": "settings of all engines; those of -engine take precedence",
    "variant NAME": "the variant (minishogi)",
    "tournament KIND": "match (two engines), roundrobin, or gauntlet (the first against all others)",
    "games N": "games per encounter and round (2); with -sprt: until it is decided",
    "rounds N": "number of rounds (1)",
    "repeat N": "2: every opening with both colours (default); 1: one game per opening",
    "noswap": "the engine named first always plays Black; one game per opening",
    "seeds N": "gauntlet: the first N engines play against all others (1)",
    "concurrency N": "games at a time (1)",
    "wait N": "ms between two games",
    "use-affinity [CPUS]": "bind each game to processors of its own, out of these, for example 0-3,6 (all)",
    "openings WORD=VALUE ...": "file= (shipped), format=epd or sfen, order=random or sequential, plies=, start=",
    "maxmoves N": "a draw after so many full moves",
    "resign WORD=VALUE ...": "a side loses after movecount=3 scores in a row of -score= or worse; twosided=off",
    "draw WORD=VALUE ...": "a draw if scores are within score= of 0 in movecount= moves, from move movenumber= on",
    "sprt WORD=VALUE ...": "stop when decided: elo0=, elo1=, alpha=0.05, beta=0.05, model=normalized or logistic, "
    "luck=off",
    "ratinginterval N": "print the standings after every N games",
    "scoreinterval N": "print the score after every N games (1); 0: never",
    "testEnv": "lines of text in a terminal, too, as programs read them",
    "srand N": "random seed of openings and die rolls (0)",
    "luck N": "with a die: depth of the searches that value the rolls (3); 0: none",
    "recover": "go on after a crash, and start the engine again",
    "pv": "store the principal variation of every move in the journal",
    "out FILE": ".jsonl: the journal; .kif (Shift_JIS), .kifu (UTF-8), .sfen: written at the end",
    "pgnout FILE ...": "append each game as PGN, with moves in USI notation; nodes=, min=",
    "event NAME": "the event in the PGN",
    "site NAME": "the site in the PGN",
    "resume [JOURNAL]": "resume a match; no other flag is needed",
    "log FILE": "append all lines that the engines receive and write",
    "cluster ADDRESS": "play on a dask cluster",
    "config FILE.toml": "read flags from a file; the command line takes precedence",
}
FLAGS = [flag.split()[0] for flag in FLAG_HELP]

ENGINE_HELP = {
    "cmd=": "command with arguments (default: kogoma, this engine)",
    "name=": "name of the engine",
    "proto=": "usi (the default), uci, xboard or codingame",
    "dir=": "working folder; with cmd=kogoma another checkout",
    "arg=": "an additional argument; may be repeated",
    "option.NAME=": "value of an option",
    "checkoptions=": "off: set options without checking that the engine allows them; on (default)",
    "env.NAME=": "an environment variable",
    "tc=": "[moves/][minutes:]seconds[+increment][+byoyomi b]: 60+0.6, 40/1:30, 0+0.1b; inf; N=500 (nodes)",
    "st=": "seconds per move",
    "first=": "seconds for the first move",
    "nodes=": "nodes per move",
    "depth=": "depth of a search in plies",
    "timemargin=": "ms by which a move may be late (0)",
    "ponder=": "on: think during the opponent's time; off (default)",
    "restart=": "on: a new process for every game; off; auto: on for CodinGame bots",
    "initstr=": "lines sent after the start, separated by \\n",
}
MATCH_END = "Exit codes: 0 the match has ended; 1 it cannot continue; 2 it cannot start; 130 interrupted."


def parse_words(argv: Sequence[str]) -> Words:
    """Return the flags of a command line and of the file that its `-config` names. Flags of the command line take
    precedence. The engines of the file and those of the command line are all used, in this order."""
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
            raise CommandLineError(f"-{flag} needs one value" + f", not {' '.join(values)[:60]!r}" * bool(values))
        if flag == "out":
            given.setdefault("out", []).append(values[0])
        elif flag in given:
            raise CommandLineError(f"-{flag} is given twice")
        else:
            given[flag] = values[0]
    file = given.pop("config", None)
    return given if file is None else _merge(read_config(Path(file)), given)


def _flag(word: str) -> str:
    """Return the flag that a word names, in capital or small letters."""
    found = _FLAG.fullmatch(word)
    flag = next((flag for flag in FLAGS if found and flag.lower() == found[1].lower()), None)
    if flag is None:
        raise CommandLineError(f"unknown flag {word[:40]!r}; --help lists them")
    return flag


def _add_group(given: Words, flag: str, values: Sequence[str]) -> None:
    group: Group = {}
    for word in values:
        name, equals, value = word.partition("=")
        if flag == "pgnout" and not equals:  # as in cutechess: -pgnout FILE min
            name, equals, value = ("min", "=", "true") if "file" in group else ("file", "=", word)
        _check_name(flag, name, bool(equals))
        if name == "arg":
            group.setdefault("arg", []).append(value)
        elif name in group:
            raise CommandLineError(f"-{flag}: {name}= is given twice")
        else:
            group[name] = value
    if flag == "engine":
        given.setdefault("engine", []).append(group)
    elif flag in given:
        raise CommandLineError(f"-{flag} is given twice")
    else:
        given[flag] = group


def _check_name(flag: str, name: str, valued: bool = True) -> None:
    known = GROUPS[flag]
    word, _, own = name.partition(".")
    if valued and ((word in known and own) if word in NAMED else name in known):
        return
    names = ", ".join(f"{each}.NAME=" if each in NAMED else f"{each}=" for each in known)
    raise CommandLineError(f"-{flag}: unknown setting {name[:40]!r}; known: {names}")


def read_config(path: Path) -> Words:
    """Return the flags in a TOML file. Raises CommandLineError if it cannot be read or is invalid."""
    try:
        return words_of(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except OSError as error:
        raise CommandLineError(f"cannot read {path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise CommandLineError(f"{path}: not UTF-8") from None
    except (tomllib.TOMLDecodeError, CommandLineError) as error:
        raise CommandLineError(f"{path}: {error}") from None


def words_of(found: dict[str, Any]) -> Words:
    """Convert a dictionary, which comes from a TOML file or a match journal, to flags. Raises CommandLineError if a
    name or value in it is invalid."""
    words: Words = {}
    for name, value in found.items():
        if name in ("config", "resume") or name not in FLAGS:
            raise CommandLineError(f"unknown setting {name!r}")
        if name == "engine":
            if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
                raise CommandLineError(
                    "`engine` is not a list of tables: define each engine as a TOML table [[engine]]"
                )
            words["engine"] = [_group(name, entry) for entry in value]
        elif name in GROUPS:
            if name == "pgnout" and isinstance(value, str):
                value = {"file": value}
            if not isinstance(value, dict):
                raise CommandLineError(f"`{name}` is not a table: define it as a TOML table [{name}]")
            words[name] = _group(name, value)
        elif name == "out":
            words["out"] = _texts(name, value)
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
        group[name] = _texts(name, value) if name == "arg" else _text(name, value)
    return group


def _texts(name: str, value: object) -> list[str]:
    return [_text(name, each) for each in (value if isinstance(value, list) else [value])]


def _text(name: str, value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str | int | float):
        raise CommandLineError(f"{name} must be a string or a number, not {value!r:.40}")
    return str(value)


def _merge(file: Words, flags: Words) -> Words:
    both = file | flags
    for name in GROUPS:
        if name in file and name in flags:
            both[name] = file[name] + flags[name] if name == "engine" else override(file[name], flags[name])
    return both


def override(common: Group, own: Group) -> Group:
    """Return the settings `common`, replaced by those in `own` with the same names. If `own` sets `tc` or `st`, the
    times in `common` are dropped."""
    timed = any(name in own for name in ("tc", "st"))
    return {name: value for name, value in common.items() if not (timed and name in TIMES)} | own


def match_help(program: str) -> str:
    """Return the text that `match --help` prints. `program` is the name of the program, as shown in the text."""
    lines = [
        help_text("usage:") + f" {program} match -engine [WORD=VALUE ...] -engine ... [FLAGS]",
        "",
        help_text("Play engines against each other; docs/matches.md."),
        "",
        help_text("flags, with one dash or two:"),
        *listed(((f"-{flag}", text) for flag, text in FLAG_HELP.items()), COLUMN),
        "",
        help_text("words of -engine and -each:"),
        *listed(ENGINE_HELP.items(), COLUMN),
        "",
        help_text("examples, each after the program's name:"),
        *(f"  match {example}" for example in EXAMPLES),
        "",
        *wrapped(help_text(MATCH_END), min(WIDTH, terminal_width())),
    ]
    return "\n".join(lines)
