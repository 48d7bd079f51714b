"""`export`: write a bot for an arena, or the program that solves CodeAbbey's problem 469, as one file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from kogoma.arena.codingame import command as codingame
from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.book import SHIPPED
from kogoma.arena.codingame.settings import HASH_MB, MARGIN, STANDARD, Settings
from kogoma.arena.export import count_moves, native_flavor, python_flavor, wasm_flavor
from kogoma.arena.export.check import GAMES as GAMES_PLAYED
from kogoma.arena.export.check import check, interpreter
from kogoma.arena.export.network import packed_network
from kogoma.arena.export.targets import GAMES, Game
from kogoma.console.arguments import CommandLineError
from kogoma.native.processes import terminable
from kogoma.native.shared_object import CPUS
from kogoma.output_file import replacing
from kogoma.search.book.book_file import shipped_book
from kogoma.search.library import warmup
from kogoma.version import __version__

LIMIT = 100_000  # characters, CodinGame's limit
FLAVORS = ("native", "wasm", "python")
WHAT = {
    "native": "The search is native code: it needs CPython 3.9 or newer on Linux, x86-64, and nothing else.",
    "python": "It is plain Python for people to read, and needs nothing but Python 3.9 or newer.",
    "wasm": "The search is WebAssembly: Node 16.4 or newer.",
}
# Without this in one of the first two lines, versions of Python before 3.10 misread long lines of UTF-8.
CODING = "# -*- coding: utf-8 -*-"
NATIVE_PARTS = """\
# The Chinese characters (with --ascii: letters) are compressed data, 15 bits per character: PROGRAM is the engine's
# Python code (`python FILE --source` prints it), OBJECT the shared object with the search, NETWORK the network,
# BOOK the opening book, FALLBACK the program in plain Python that runs if the native code can't.
"""


class ExportError(Exception):
    """The file cannot be written; the message says why."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    names = [*GAMES, "codeabbey"]
    parser.add_argument("game", choices=names, metavar="|".join(names), help="the game, or problem 469")
    parser.add_argument("--flavor", choices=FLAVORS, default="native", help="kind of file (%(default)s)")
    parser.add_argument("--cpu", choices=CPUS, default=CPUS[0], help="oldest processor for native code (%(default)s)")
    parser.add_argument("--ascii", action="store_true", help="pack bytes as ASCII, which needs twice the characters")
    parser.add_argument(
        "--no-network", action="store_true", help="leave out the network: the bot is weaker, but the file is smaller"
    )
    settings = parser.add_argument_group(
        "settings of the bot", "for minishogi, dice and onitama; an arena cannot pass them, so the file contains them"
    )
    codingame.add_all_settings(settings, f"the default is {SHIPPED!r} for minishogi")
    parser.add_argument("--check", action="store_true", help="play ten games with the file against random moves")
    parser.add_argument("-o", dest="output", metavar="FILE", type=Path, required=True, help="the file to write")


def run(given: argparse.Namespace) -> None:
    """Write the file, and check it if that is wanted. Raises CommandLineError if the game does not have the given
    settings, and ExportError, BookError, CheckError, KernelError or OSError if the file cannot be written or its check
    fails."""
    arena = GAMES[given.game].arena if given.game in GAMES else ""
    options = _options(given)
    if options and not arena:
        raise CommandLineError(f"{given.game} has no settings: leave out{options}")
    settings = STANDARD
    if arena:
        if given.book is None and shipped_book(GAMES[given.game].variant):
            given.book = SHIPPED
        settings = codingame.given_settings(given, ARENAS[given.game])
    if given.check and given.game in GAMES:
        interpreter(given.flavor)  # raises CheckError
    with terminable():
        with replacing(given.output) as file:  # opened first: composing takes a minute
            words = given.game, given.flavor, given.cpu, given.ascii, not given.no_network
            text = compose(*words, settings, options, _tell)
            file.write(text.encode())
        _tell(f"{given.output}: {len(text):,} characters, {len(text.encode()):,} bytes")
        if given.check and given.game in GAMES:
            _tell(f"checking: {GAMES_PLAYED} games against a random mover")
            _tell(check(GAMES[given.game], given.flavor, given.output))


def _options(given: argparse.Namespace) -> str:
    """Return the words of the command line that choose the bot's settings, each with a space before it."""
    words = []
    if given.margin != MARGIN:
        words.append(f" --margin {given.margin}")
    if given.hash != HASH_MB:
        words.append(f" --hash {given.hash}")
    if given.chat:
        words.append(" --chat")
    if given.book is not None:
        words.append(f" --book {Path(given.book).name}")
    return "".join(words)


def compose(
    name: str,
    flavor: str = "native",
    cpu: str = CPUS[0],
    ascii_only: bool = False,
    with_network: bool = True,
    settings: Settings = STANDARD,
    options: str = "",
    tell: Callable[[str], None] = lambda text: None,
) -> str:
    """Return the text of the exported file. `options` are the words of the command line that chose the settings, and
    `tell` is called with a description of each step. Raises ExportError if the text is too long for the arena."""
    if name == "codeabbey":
        return f"{codeabbey_head()}\n{Path(count_moves.__file__).read_text(encoding='utf-8')}"
    game = replace(GAMES[name], with_network=with_network, settings=settings, options=options)
    if flavor != "python":
        warmup(_tell, game.variant)
    text = _with_head(game, flavor, cpu, ascii_only, tell)
    if len(text) > LIMIT and flavor != "python" and packed_network(game):
        _tell(f"with the network the file would have {len(text)} characters: the network is left out")
        text = _with_head(replace(game, with_network=False), flavor, cpu, ascii_only, tell)
    if len(text) > LIMIT:
        raise ExportError(f"the file would have {len(text)} characters; arenas accept at most {LIMIT}")
    return text


def _with_head(game: Game, flavor: str, cpu: str, ascii_only: bool, tell: Callable[[str], None]) -> str:
    if flavor == "wasm":
        tell("compiling and linking WebAssembly")
        return wasm_flavor.write(game, ascii_only)
    command = f"./engine.sh export {game.name} --flavor {flavor}" + (f" --cpu {cpu}" if flavor == "native" else "")
    command += (" --ascii" if ascii_only else "") + ("" if game.with_network else " --no-network") + game.options
    start = head(game, flavor, command) + "\n"
    plain = python_flavor.write(game)
    if flavor == "python":
        return start + plain
    tell("compiling and linking native code")
    text = start + native_flavor.write(game, cpu, ascii_only, plain)
    if len(text) > LIMIT:
        _tell("the fallback program in plain Python does not fit: the file will only run where its native code can")
        text = start + native_flavor.write(game, cpu, ascii_only)
    return text


def _tell(text: str) -> None:
    print(f"export: {text}", file=sys.stderr, flush=True)


def head(game: Game, flavor: str, command: str) -> str:
    """Return the comments at the head of an exported file: what the file is, and which command made it."""
    where = "CodeAbbey's Game of Generals" if game.name == "generals" else f"CodinGame's {game.name}"
    lines = [
        f"# Kogoma {__version__}: a bot for {where} in one file.",
        f"# Made by `{command}` from an engine in Python.",
        f"# {WHAT[flavor]}",
    ]
    if flavor == "native":
        lines.insert(1, CODING)
    return "\n".join(lines) + "\n" + (NATIVE_PARTS if flavor == "native" else "")


def codeabbey_head() -> str:
    """Return the comments at the head of the program that counts moves."""
    return f"""\
# Solves CodeAbbey's problem 469, Game of Generals: how many moves are there after each move?
# Made by `./engine.sh export codeabbey` of Kogoma {__version__}.
# It reads standard input and needs Python 3.9 or newer.
"""
