"""`export`: writes a bot as one file for an arena, or the program that solves CodeAbbey's problem 469."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from arena.export import native_flavor
from arena.export.check import CheckError, check
from arena.export.games import GAMES, Game
from rules.native.object_file import KernelError
from rules.native.shared_object import CPUS
from search.library import warmup

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
# object, TABLES the place for trained tables, FALLBACK the program that goes on where the native code can't.
"""


class ExportError(Exception):
    """The file can't be written; the message says why."""


def main(words: Sequence[str]) -> int:
    """Run the command; the exit code."""
    options = parser().parse_args(words)
    try:
        text = compose(options)
        options.output.write_text(text, encoding="utf-8", newline="\n")
        print(f"export: {options.output}: {len(text)} characters, {len(text.encode())} bytes", file=sys.stderr)
        if options.check:
            print(f"export: {check(GAMES[options.game], options.flavor, options.output)}", file=sys.stderr)
    except (ExportError, CheckError, KernelError, OSError) as error:
        print(f"export: {error}", file=sys.stderr)
        return 1
    return 0


def parser() -> argparse.ArgumentParser:
    """What the command line understands."""
    found = argparse.ArgumentParser("export", description=__doc__, allow_abbrev=False)
    found.add_argument("game", choices=[*GAMES, "codeabbey"], help="what the file plays; codeabbey: problem 469")
    found.add_argument("--flavor", choices=FLAVORS, default="native", help="what the search is (default: native)")
    found.add_argument("--cpu", choices=CPUS, default=CPUS[0], help="processors that the native code is for")
    found.add_argument("--ascii", action="store_true", help="pack bytes as ASCII, which takes twice the characters")
    found.add_argument("--check", action="store_true", help="play ten games with the file before it is handed out")
    found.add_argument("-o", dest="output", metavar="FILE", type=Path, required=True, help="the file to write")
    return found


def compose(options: argparse.Namespace) -> str:
    """The file's text; ExportError if it can't be had, or is too long for the arena."""
    game = GAMES[options.game]
    warmup(lambda text: print(f"export: {text}", file=sys.stderr), game.variant)
    text = head(game, options) + "\n" + native_flavor.write(game, options.cpu, options.ascii)
    if len(text) > LIMIT:
        raise ExportError(f"the file would have {len(text)} characters, and arenas take {LIMIT}")
    return text


def head(game: Game, options: argparse.Namespace) -> str:
    """What the file is, and where it comes from: comments for its first lines."""
    command = f"./engine.sh export {options.game} --flavor {options.flavor}"
    if options.flavor == "native":
        command += f" --cpu {options.cpu}"
    command += " --ascii" if options.ascii else ""
    where = "CodeAbbey's Game of Generals" if game.name == "generals" else f"CodinGame's {game.name}"
    lines = [
        f"# Kogoma {version()}: a bot for {where} in one file.",
        f"# Made by `{command}` from an engine in Python.",
        f"# {WHAT[options.flavor]}",
    ]
    return "\n".join(lines) + "\n" + (NATIVE_PARTS if options.flavor == "native" else "")


def version() -> str:
    """The engine's, as setup.cfg has it."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("kogoma")
    except PackageNotFoundError:
        return "(not installed)"
