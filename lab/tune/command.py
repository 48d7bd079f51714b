"""`./engine.sh tune VARIANT`: positions from self-play, for the evaluation to be fitted to."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from arena.arguments import variant, whole_number
from lab.tune.generate import Processes, generate, seconds_per_position
from lab.tune.progress import duration, progress
from lab.tune.selfplay import Recipe, TooFewOpenings, head_of
from lab.tune.store import DataError, check

INTERRUPTED = 130
BYTES = 20  # of a position in a file, about


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What the command takes: a variant, and options."""
    parser.add_argument("variant", type=variant, metavar="VARIANT", help="the game")
    parser.add_argument("--only", choices=("data",), required=True, help="the part that is done: data is self-play")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="the chunks; what is there is kept")
    parser.add_argument(
        "--positions",
        type=whole_number(1, 10**9),
        default=1_000_000,
        metavar="N",
        help="at least so many, in whole chunks (%(default)s)",
    )
    parser.add_argument(
        "--nodes", type=whole_number(1, 10**7), default=2000, metavar="N", help="of each search (%(default)s)"
    )
    parser.add_argument(
        "--seed", type=whole_number(0, 10**9), default=1, metavar="S", help="chooses the games (%(default)s)"
    )
    parser.add_argument(
        "--concurrency",
        type=whole_number(1, 1024),
        default=os.cpu_count() or 1,
        metavar="C",
        help="games at a time (%(default)s)",
    )


def run(given: argparse.Namespace) -> int:
    """The command; returns the exit code: 1 where it can't go on, 130 after an interruption."""
    try:
        return _make_data(given)
    except KeyboardInterrupt:
        print("interrupted; the same command goes on")
        return INTERRUPTED
    except (DataError, TooFewOpenings) as error:
        print(f"tune: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"tune: needs the package {error.name}: pip install {error.name}", file=sys.stderr)
        return 1


def _make_data(given: argparse.Namespace) -> int:
    recipe, folder = Recipe(given.variant, given.seed, given.nodes), given.data
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise DataError(f"cannot make {folder}: {error.strerror}") from None
    there = check(folder, head_of(recipe), lambda text: print(f"{text}; it is made anew", flush=True))
    chunks = -(-given.positions // recipe.positions)
    missing = [number for number in range(chunks) if number not in there]
    done = sum(count for number, count in there.items() if number < chunks)
    wanted = done + len(missing) * recipe.positions
    if missing:
        seconds = seconds_per_position(recipe) * len(missing) * recipe.positions / given.concurrency
        cost = (
            f"about {duration(seconds)} at {given.concurrency} games a time, {wanted * BYTES / 1e6:,.0f} MB in {folder}"
        )
        print(
            f"{recipe.variant.name}: {wanted:,} positions at {recipe.nodes:,} nodes, {done:,} there; {cost}", flush=True
        )
        with progress(wanted, done) as shown, Processes(given.concurrency) as workers:
            generate(recipe, folder, missing, workers, lambda number, count: shown.add(count))
    print(f"{folder}: {chunks} chunks, complete")
    return 0
