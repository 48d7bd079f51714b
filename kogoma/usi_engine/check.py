"""`check`: what is wrong with files of games, or what games they describe."""

from __future__ import annotations

import argparse
import sys

from kogoma.rules.own.mistakes import GameFileError, shown
from kogoma.rules.own.shelf import load_file
from kogoma.rules.variants import Variant

PERFT = 3  # plies


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `check`."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a game as TOML")


def run(given: argparse.Namespace) -> int:
    """1 if there is a mistake in any of the files."""
    failed = False
    for path in given.files:
        try:
            variant = load_file(path)
        except GameFileError as error:
            failed = True
            print("\n".join(error.lines()), file=sys.stderr)
            continue
        print(f"{shown(path)}: {described(variant)}", flush=True)
    return int(failed)


def described(variant: Variant) -> str:
    """A game in a few lines: its pieces with what they are worth, and how many games of some plies there are."""
    from kogoma.eval.weights import load
    from kogoma.rules.position import new_position

    values = load(variant, relations=False)["value"]
    pieces = ", ".join(f"{letter} {values[letter]}" for letter in variant.letters if letter in values)
    position = new_position(variant)
    counts = " ".join(str(position.perft(plies)) for plies in range(1, PERFT + 1))
    return (
        f"{variant.name}, {variant.files}x{variant.ranks} squares\n"
        f"  pieces, in centipawns: {pieces}\n"
        f"  perft 1 to {PERFT}: {counts}\n"
        f"{position}"
    )
