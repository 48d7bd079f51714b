"""`export`: writes a bot as one file for an arena, or the program that solves CodeAbbey's problem 469."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from kogoma.arena.export import codeabbey_program, native_flavor, python_flavor, wasm_flavor
from kogoma.arena.export.check import CheckError, check
from kogoma.arena.export.relation_table import packed_tables
from kogoma.arena.export.targets import GAMES, Game
from kogoma.native.object_file import KernelError
from kogoma.native.shared_object import CPUS
from kogoma.search.library import warmup
from kogoma.search.parameters.values import GIVEN, tuning
from kogoma.version import __version__

LIMIT = 100_000  # characters that CodinGame takes
FLAVORS = ("native", "wasm", "python")
WHAT = {
    "native": "The search is native code: CPython 3.11 or newer on Linux, x86-64; the standard library alone.",
    "python": "Plain Python, made from the kernels' sources: CPython 3.11 or newer and its standard library.",
    "wasm": "The search is WebAssembly: Node 16 or newer.",
}
NATIVE_PARTS = """\
# What looks like Chinese (or, with --ascii, like noise) is compressed and packed, 15 bits a character:
# PROGRAM is the Python around the search, the engine's own (`python FILE --source` prints it), OBJECT the shared
# object, TABLES the evaluation's tables, FALLBACK the program that goes on where the native code can't.
"""


class ExportError(Exception):
    """The file can't be written; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: a game, a flavor, and the file to write."""
    names = [*GAMES, "codeabbey"]
    parser.add_argument("game", choices=names, metavar="|".join(names), help="what the file plays, or problem 469")
    parser.add_argument("--flavor", choices=FLAVORS, default="native", help="what the search is (%(default)s)")
    parser.add_argument("--cpu", choices=CPUS, default=CPUS[0], help="oldest processor for native code (%(default)s)")
    parser.add_argument("--ascii", action="store_true", help="pack bytes as ASCII, which takes twice the characters")
    parser.add_argument(
        "--no-tables", action="store_true", help="leave out the evaluation's tables: weaker, and Python stays readable"
    )
    parser.add_argument("--check", action="store_true", help="play ten games with the file before it is handed out")
    parser.add_argument("-o", dest="output", metavar="FILE", type=Path, required=True, help="the file to write")


def run(given: argparse.Namespace) -> int:
    """Write the file; returns the exit code."""
    try:
        text = compose(given.game, given.flavor, given.cpu, given.ascii, not given.no_tables)
        given.output.write_text(text, encoding="utf-8", newline="\n")
        _tell(f"{given.output}: {len(text)} characters, {len(text.encode())} bytes")
        if given.check and given.game in GAMES:
            _tell(check(GAMES[given.game], given.flavor, given.output))
    except (ExportError, CheckError, KernelError, OSError) as error:
        _tell(str(error))
        return 1
    return 0


def compose(
    name: str, flavor: str = "native", cpu: str = CPUS[0], ascii_only: bool = False, with_tables: bool = True
) -> str:
    """The file's text; ExportError if it can't be had, or is too long for the arena."""
    if name == "codeabbey":
        return f"{codeabbey_head()}\n{codeabbey_program.write()}"
    if tuning():
        raise ExportError(f"a file can't read search parameters: unset {GIVEN}")
    game = replace(GAMES[name], with_tables=with_tables)
    warmup(_tell, game.variant)
    text = _with_head(game, flavor, cpu, ascii_only)
    if len(text) > LIMIT and packed_tables(game):
        _tell(f"with the evaluation's tables the file would have {len(text)} characters: it goes without them")
        text = _with_head(replace(game, with_tables=False), flavor, cpu, ascii_only)
    if len(text) > LIMIT:
        raise ExportError(f"the file would have {len(text)} characters, and arenas take {LIMIT}")
    return text


def _with_head(game: Game, flavor: str, cpu: str, ascii_only: bool) -> str:
    if flavor == "wasm":
        return wasm_flavor.write(game, ascii_only)
    command = f"./engine.sh export {game.name} --flavor {flavor}" + (f" --cpu {cpu}" if flavor == "native" else "")
    command += (" --ascii" if ascii_only else "") + ("" if game.with_tables else " --no-tables")
    start = head(game, flavor, command) + "\n"
    if flavor == "python":
        return start + python_flavor.write(game, LIMIT - len(start), ascii_only)
    fallback = python_flavor.write(game, 0, ascii_only, tables_outside=True)  # in as few words as possible
    text = start + native_flavor.write(game, cpu, ascii_only, fallback)
    if len(text) > LIMIT:
        _tell("there is no room for the program in plain Python, too: where native code can't run, the file won't")
        text = start + native_flavor.write(game, cpu, ascii_only)
    return text


def _tell(text: str) -> None:
    print(f"export: {text}", file=sys.stderr, flush=True)


def head(game: Game, flavor: str, command: str) -> str:
    """What the file is, and where it comes from: comments for its first lines."""
    where = "CodeAbbey's Game of Generals" if game.name == "generals" else f"CodinGame's {game.name}"
    lines = [
        f"# Kogoma {__version__}: a bot for {where} in one file.",
        f"# Made by `{command}` from an engine in Python.",
        f"# {WHAT[flavor]}",
    ]
    return "\n".join(lines) + "\n" + (NATIVE_PARTS if flavor == "native" else "")


def codeabbey_head() -> str:
    """The comments at the beginning of the program that counts."""
    return f"""\
# Solves CodeAbbey's problem 469, Game of Generals: how many moves are there after each move?
# Made by `./engine.sh export codeabbey` of Kogoma {__version__}: the pieces are those of the engine.
# Reads standard input, needs nothing but Python 3.11 or newer.
"""
