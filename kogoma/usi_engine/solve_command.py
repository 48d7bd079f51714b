"""The command `solve`: compute the tablebase of a game, for the engine to play it perfectly."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

from kogoma.console.arguments import CommandLineError, variant, whole_number
from kogoma.console.streams import tell
from kogoma.japanese import message
from kogoma.native.cache.lock import held
from kogoma.native.processes import terminable
from kogoma.rules.variants import Variant

if TYPE_CHECKING:
    from kogoma.search.tablebase.dobutsu.values import Tablebase

MOST_THREADS = 64


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `solve` to a parser."""
    parser.add_argument("variant", type=variant, metavar="GAME", help="dobutsu, or a custom variant of it")
    parser.add_argument("-o", dest="folder", metavar="FOLDER", default="", help="folder for the file")
    parser.add_argument(
        "--concurrency", type=whole_number(1, MOST_THREADS), metavar="N", help="number of threads (default: processors)"
    )


def run(given: argparse.Namespace) -> None:
    """Solve the game, write its tablebase, and print what it says about the start position."""
    from kogoma.search.tablebase.dobutsu.solve import solve
    from kogoma.search.tablebase.dobutsu.tables import suits
    from kogoma.search.tablebase.dobutsu.values import NAME, Tablebase, folders, write_values

    game: Variant = given.variant
    if not suits(game):
        raise CommandLineError(f"{game.name} cannot be solved: only dobutsu, and custom variants of it")
    places = folders(given.folder, tell)
    if not places:
        raise CommandLineError("there is no folder to write to: name one with -o")
    path = places[0] / NAME.format(game.name)
    work = path.with_suffix(".solving")
    started = time.perf_counter()

    def report(plies: int, count: int) -> None:
        print(message(f"{plies} plies: {count:,} positions, {time.perf_counter() - started:.0f} s"), flush=True)

    path.parent.mkdir(parents=True, exist_ok=True)
    threads = given.concurrency or os.cpu_count() or 1
    lock = held(path.with_suffix(".solving.lock"), lambda: tell("another Kogoma solves it: waiting for it"))
    with terminable(), lock:
        values = solve(game, work, threads, report)
        write_values(path, game, values)
        work.unlink(missing_ok=True)
    print(message(f"{path}: {len(values):,} positions, {time.perf_counter() - started:.0f} s"))
    _describe(Tablebase(game, values))


def _describe(tablebase: Tablebase) -> None:
    """Print the values of the start position and of its moves."""
    from kogoma.rules.position import new_position
    from kogoma.search.tablebase.root import known_moves

    position = new_position(tablebase.variant)
    print(message(f"the start: {_words(tablebase.value(position))}"))
    for known in known_moves(tablebase, position) or ():
        print(f"{known.move}: {message(_words(known.value))}")


def _words(value: int | None) -> str:
    """Return a value in words."""
    if not value:
        return "draw"
    return f"{'win' if value > 0 else 'loss'} in {abs(value)} plies"
