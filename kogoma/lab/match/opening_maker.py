"""The command `openings`: makes openings, positions after random plies that a search scores as nearly even."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kogoma.arena.random_start import random_start
from kogoma.console.arguments import variant, whole_number
from kogoma.console.lines import counted
from kogoma.japanese import message
from kogoma.output_file import check_output, write_file
from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher

HASH_MB = 16
FEWEST_NODES = 500  # of the first search
MAX_TRIES = 1000  # in a row without a new position; a small variant may not have enough of them
MAX_UNEVEN = 50_000  # new positions in a row that are not even


class TooFewOpenings(Exception):
    """No new opening was found in MAX_TRIES tries, or among MAX_UNEVEN positions."""


@dataclass(frozen=True)
class Recipe:
    """How openings are made: a number of random plies, and a search of `nodes` nodes that scores them within `balance`
    centipawns of even. The same recipe always makes the same openings."""

    variant: Variant
    plies: tuple[int, int] = (4, 8)
    balance: int = 100
    nodes: int = 5000
    seed: int = 1


def make_openings(recipe: Recipe) -> Iterator[str]:
    """Yield openings as SFENs, endlessly and without repetitions. Raises TooFewOpenings if there seem to be no more."""
    rng, searcher, found = random.Random(f"openings {recipe.seed}"), Searcher(HASH_MB), set[str]()
    useless = uneven = 0
    while useless < MAX_TRIES and uneven < MAX_UNEVEN:
        useless += 1
        position = random_position(recipe.variant, recipe.plies, rng)
        if position is None:
            continue
        board = position.sfen().rsplit(" ", 1)[0]  # without the move number
        if board in found:
            continue
        found.add(board)
        useless, uneven = 0, uneven + 1
        if all(_is_even(position, searcher, nodes, recipe.balance) for nodes in _node_counts(recipe.nodes)):
            uneven = 0
            yield position.sfen()
    raise TooFewOpenings(f"no new opening in {useless + uneven} tries")


def _node_counts(nodes: int) -> tuple[int, ...]:
    """Return the nodes of each search of an opening. Most uneven openings are rejected by the short ones, before the
    last one, which has `nodes` nodes."""
    shorter = nodes // 10
    return (*_node_counts(shorter), nodes) if shorter >= FEWEST_NODES else (nodes,)


def random_position(variant: Variant, plies: tuple[int, int], rng: random.Random) -> BasePosition | None:
    """Play random moves from a start position, and return the position, or None if the moves ended the game. The number
    of moves is random too, within the range `plies`."""
    position = new_position(variant, random_start(variant, rng))
    for _ in range(rng.randint(*plies)):
        if position.outcome() is not None:
            return None
        position.push(rng.choice(sorted(position.legal_moves())))
    return None if position.outcome() is not None else position


def _is_even(position: BasePosition, searcher: Searcher, nodes: int, balance: int) -> bool:
    searcher.new_game()
    result = searcher.search(position, Limits(nodes=nodes))
    return result.score_kind == "cp" and abs(result.score) <= balance


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `openings` to a parser."""
    positive = whole_number(1, 10**9)
    add = parser.add_argument
    add("variant", type=variant, metavar="VARIANT", help="the variant")
    add("-count", "--count", type=positive, default=100, metavar="N", help="number of openings (%(default)s)")
    add("-plies", "--plies", type=_range, default=Recipe.plies, metavar="MIN-MAX", help="random plies (4-8)")
    balance = "maximum advantage of a side in centipawns (%(default)s)"
    add("-balance", "--balance", type=positive, default=Recipe.balance, metavar="CP", help=balance)
    nodes = "nodes of the search that scores an opening (%(default)s)"
    add("-nodes", "--nodes", type=positive, default=Recipe.nodes, metavar="N", help=nodes)
    add(
        "-seed",
        "--seed",
        type=whole_number(0, 10**18),
        default=Recipe.seed,
        metavar="S",
        help="random seed (%(default)s)",
    )
    add("-o", "--output", type=Path, metavar="FILE.sfen", help="the file to write (default: standard output)")


def run(given: argparse.Namespace) -> int:
    """Run `openings` and return its exit code: 1 if too few openings were found. Raises OSError if the file cannot be
    written."""
    recipe = Recipe(given.variant, given.plies, given.balance, given.nodes, given.seed)
    found: list[str] = []
    code = 0
    if given.output is not None:
        check_output(given.output)
    try:
        for sfen in make_openings(recipe):
            found.append(sfen)
            if given.output is None:
                print(sfen, flush=True)
            if len(found) >= given.count:
                break
    except TooFewOpenings as error:
        text = f"{len(found)} of {given.count}: {error}; try more plies, or a larger --balance"
        print(f"openings: {message(text)}", file=sys.stderr)
        code = 1
    if given.output is not None:
        write_file(given.output, "".join(f"{sfen}\n" for sfen in found))
        print(f"{given.output}: {counted(len(found), 'opening')}")
    return code


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    high = high or low
    if not (low.isdecimal() and high.isdecimal() and int(low) <= int(high) <= 100):
        raise argparse.ArgumentTypeError(f"needs MIN-MAX, like 4-8, not {text[:20]!r}")
    return int(low), int(high)
