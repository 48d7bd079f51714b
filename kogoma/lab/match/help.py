"""What `match --help` says: every flag and every word of an engine."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

WIDTH, COLUMN = 80, 28  # of the text, and of its left half

EXAMPLES = (
    "-engine name=new -engine name=old dir=../old -each nodes=5000 -games 100",
    "-engine cmd=kogoma -engine cmd=fairy-stockfish proto=uci -each tc=0+0.1b",
    "-config match.toml -out match.jsonl",
    "--resume match.jsonl",
)

FLAGS = {
    "engine WORD=VALUE ...": "an engine; two or more",
    "each WORD=VALUE ...": "for all engines; an engine's own words stand above it",
    "variant NAME": "the game (minishogi)",
    "tournament KIND": "match (two engines), roundrobin, or gauntlet (the first against all others)",
    "games N": "of every encounter in a round (2); in an SPRT: until it is decided",
    "rounds N": "how many (1)",
    "repeat N": "2: each opening with both colours (the default); 1: each game has its own",
    "concurrency N": "games at a time (1)",
    "openings WORD=VALUE ...": "file= (shipped), order=random or sequential, plies=, start=",
    "maxmoves N": "a draw after so many plies",
    "resign WORD=VALUE ...": "lost after movecount=3 own scores in a row of -score= or worse; twosided=off",
    "draw WORD=VALUE ...": "a draw at scores within score=: from movenumber= on, movecount= times each",
    "sprt WORD=VALUE ...": "stop when decided: elo0=, elo1=, alpha=0.05, beta=0.05, model=normalized or logistic",
    "ratinginterval N": "show the standing after every N games",
    "srand N": "the seed (0) of the openings' order and the die",
    "recover": "start an engine again that was ended for a fault",
    "out FILE": ".jsonl: the records; .kif (Shift_JIS), .kifu (UTF-8), .sfen: written at the end",
    "resume [RECORDS]": "go on with a match, from its records alone or with its flags",
    "cluster ADDRESS": "play on a dask cluster",
    "config FILE.toml": "read flags from a file; those of the command line stand above it",
}

ENGINE_WORDS = {
    "cmd=": "the command with its arguments (kogoma: this engine)",
    "name=": "what it is called",
    "proto=": "usi (the default), uci, xboard or codingame",
    "dir=": "the folder it is started in; with cmd=kogoma another checkout",
    "arg=": "one more argument; may come again",
    "option.NAME=": "an option's value",
    "env.NAME=": "a variable of its environment",
    "tc=": "[moves/][minutes:]seconds[+increment][+byoyomi b]: 60+0.6, 40/1:30, 0+0.1b; inf",
    "st=": "seconds for every move instead",
    "first=": "seconds for the first move",
    "nodes=": "searched for a move",
    "depth=": "in plies",
    "timemargin=": "ms by which a move may be late (0)",
    "restart=": "on: a new process for every game; auto: as its protocol needs; off",
    "initstr=": "lines it is sent once it has started, separated by \\n",
}


def match_help(program: str) -> str:
    """The text; `program` is how the user calls this program."""
    usage = f"usage: {program} match -engine [WORD=VALUE ...] -engine ... [FLAGS]"
    lines = [usage, "", "Engines against engines. docs/matches.md tells more."]
    lines += ["", "flags, with one dash or two:", *_rows({f"-{flag}": text for flag, text in FLAGS.items()})]
    lines += ["", "words of -engine and -each:", *_rows(ENGINE_WORDS), "", "examples, each after the program's name:"]
    lines += [f"  match {example}" for example in EXAMPLES]
    end = "Exit codes: 0 at its end; 1 it can't go on; 2 it can't be begun; 130 interrupted."
    return "\n".join([*lines, "", *textwrap.wrap(end, WIDTH)])


def _rows(texts: dict[str, str]) -> Iterator[str]:
    for name, text in texts.items():
        start = f"  {name} ".ljust(COLUMN)
        yield from textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=" " * COLUMN)
