"""Sound problems, found in games that the engine plays against itself."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kogoma.rules.base_position import BasePosition
from kogoma.rules.position import new_position
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, MateLimits, MateSolver
from kogoma.search.mate.sound import Soundness, examine
from kogoma.search.searcher import Searcher
from kogoma.search.table import Table

LONGEST = 200  # plies of a game
FIRST = MateLimits(nodes=20_000)  # for a first look at a position
SECOND = MateLimits(nodes=200_000)  # for each question about one that may do
BLUNDERS = 0.25  # the share of moves that are any moves


@dataclass(frozen=True)
class Problem:
    """A sound problem: its SFEN, and what was found of it."""

    sfen: str
    soundness: Soundness


def make_problems(
    variant: Variant, plies: int, seed: int = 1, nodes: int = 300, told: Callable[[int], None] | None = None
) -> Iterator[Problem]:
    """Problems of exactly `plies` plies, without end: positions of games of `nodes` nodes a move, and now and then of
    any move, in which one first move alone mates, no mate is shorter, and no interposition is useless. `told` hears how
    many positions were seen."""
    rng, searcher, solver = random.Random(seed), Searcher(hash_mb=8, variant=variant), MateSolver(Table(16))
    known = set[str]()
    seen = 0
    while True:
        game = new_position(variant)
        while len(game.moves) < LONGEST and game.outcome() is None:
            sfen = " ".join([*game.sfen().split()[:-1], "1"])
            if sfen not in known:
                known.add(sfen)
                seen += 1
                if told is not None:
                    told(seen)
                soundness = _problem(solver, new_position(variant, sfen), plies)
                if soundness is not None:
                    yield Problem(sfen, soundness)
            game.push(_move(rng, searcher, game, nodes))


def _move(rng: random.Random, searcher: Searcher, game: BasePosition, nodes: int) -> str:
    if len(game.moves) < 4 or rng.random() < BLUNDERS:
        return rng.choice(sorted(game.legal_moves()))
    best = searcher.search(game, Limits(nodes=nodes)).best
    return best if best in game.legal_moves() else rng.choice(sorted(game.legal_moves()))


def _problem(solver: MateSolver, position: BasePosition, plies: int) -> Soundness | None:
    """What is known of a position that is a problem of so many plies; None for any other."""
    first = solver.solve(position, FIRST)
    if first.verdict != MATE or first.plies < plies:
        return None
    soundness = examine(solver, position, SECOND)
    answer = soundness.answer
    counts = answer.plies == len(answer.moves) == plies and not answer.useless
    return soundness if soundness.is_sound and counts else None
