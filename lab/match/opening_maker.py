"""`./engine.sh openings VARIANT`: random openings, of which a search keeps those that are about even."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from arena.codeabbey.command import random_set_up
from arena.codeabbey.notation import to_sfen
from rules.onitama.cards import CARDS, IN_PLAY
from rules.position import BasePosition, new_position
from rules.variants import Variant, find
from search.limits import Limits
from search.searcher import Searcher

HASH_MB = 4
FIRST_LOOK = 10  # a tenth of the nodes is enough to see that most openings are uneven
TRIES = 1000  # for one more opening; a small game may not have as many as are asked for


class TooFew(Exception):
    """No more openings can be found."""


@dataclass(frozen=True)
class Recipe:
    """How openings are made: so many random plies, and a search of `nodes` nodes that scores them within `balance`
    centipawns of even. The same recipe makes the same openings."""

    variant: Variant
    plies: tuple[int, int] = (4, 8)
    balance: int = 100
    nodes: int = 5000
    seed: int = 1


def make_openings(recipe: Recipe) -> Iterator[str]:
    """Different openings as SFENs, without end. TooFew if the last TRIES brought no new one."""
    rng, searcher, seen = random.Random(f"openings {recipe.seed}"), Searcher(HASH_MB), set[str]()
    tried = 0
    while tried < TRIES:
        tried += 1
        position = _random_position(recipe, rng)
        if position is None:
            continue
        what = position.sfen().rsplit(" ", 1)[0]  # without the move number
        if what in seen:
            continue
        seen.add(what)
        if all(_is_even(position, searcher, nodes, recipe.balance) for nodes in _looks(recipe.nodes)):
            tried = 0
            yield position.sfen()
    raise TooFew(f"no new opening in {TRIES} tries")


def _looks(nodes: int) -> tuple[int, ...]:
    return max(nodes // FIRST_LOOK, 1), nodes


def random_start(variant: Variant, rng: random.Random) -> str:
    """The start, which is drawn by lot in some games: Onitama's cards, the officers of the Game of Generals."""
    if variant.cards:
        one, two, three, four, between = rng.sample(range(len(CARDS)), IN_PLAY)
        hands = (",".join(map(str, sorted(hand))) for hand in ((one, two), (three, four)))
        board, turn, _ = variant.start.split(" ", 2)
        return f"{board} {turn} {'/'.join(hands)}/{between} 1"
    return to_sfen(random_set_up(rng)) if variant.name == "generals" else variant.start


def _random_position(recipe: Recipe, rng: random.Random) -> BasePosition | None:
    """A position after random plies; None if the game ended on the way."""
    position = new_position(recipe.variant, random_start(recipe.variant, rng))
    for _ in range(rng.randint(*recipe.plies)):
        if position.outcome() is not None:
            return None
        position.push(rng.choice(sorted(position.legal_moves())))
    return None if position.outcome() is not None else position


def _is_even(position: BasePosition, searcher: Searcher, nodes: int, balance: int) -> bool:
    searcher.new_game()
    result = searcher.search(position, Limits(nodes=nodes))
    return result.score_kind == "cp" and abs(result.score) <= balance


def main(argv: Sequence[str] | None = None) -> int:
    """The command; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="openings", description="Make openings by random plies, filtered for balance by a search."
    )
    parser.add_argument("variant", type=find, help="the game")
    parser.add_argument("-count", "--count", type=_number, default=100, metavar="N", help="how many (%(default)s)")
    parser.add_argument("-plies", "--plies", type=_range, default=(4, 8), metavar="MIN-MAX", help="random plies (4-8)")
    parser.add_argument(
        "-balance", "--balance", type=_number, default=100, metavar="CP", help="most score (%(default)s)"
    )
    parser.add_argument("-nodes", "--nodes", type=_number, default=5000, metavar="N", help="of a search (%(default)s)")
    parser.add_argument("-seed", "--seed", type=int, default=1, metavar="S", help="chooses them (%(default)s)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="where to (default: standard output)")
    given = parser.parse_args(argv)
    recipe = Recipe(given.variant, given.plies, given.balance, given.nodes, given.seed)
    found: list[str] = []
    code = 0
    try:
        for sfen in make_openings(recipe):
            found.append(sfen)
            if given.output is None:
                print(sfen, flush=True)
            if len(found) >= given.count:
                break
    except TooFew as error:
        print(f"openings: {len(found)} of {given.count}: {error}; try more plies or more balance", file=sys.stderr)
        code = 1
    if given.output is not None:
        try:
            given.output.write_text("".join(f"{sfen}\n" for sfen in found))
        except OSError as error:
            print(f"openings: {error}", file=sys.stderr)
            return 1
        print(f"{given.output}: {len(found)} openings")
    return code


def _number(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:9]) == int(text):
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is needed, not {text[:20]!r}")
    return int(text)


def _range(text: str) -> tuple[int, int]:
    low, _, high = text.partition("-")
    high = high or low
    if not (low.isdecimal() and high.isdecimal() and int(low) <= int(high) <= 100):
        raise argparse.ArgumentTypeError(f"expected MIN-MAX, like 4-8, not {text[:20]!r}")
    return int(low), int(high)
