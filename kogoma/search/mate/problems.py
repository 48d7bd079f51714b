"""Mate problems: test whether a position is a sound problem, and find problems in self-play games.

A problem is sound if exactly one first move mates and its length is proven to be the shortest. Composers also want no
pieces left in the attacker's hand; `is_sound` does not demand this.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import hand_text
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import Variant
from kogoma.search.limits import Limits
from kogoma.search.mate.solver import MATE, UNKNOWN, MateAnswer, MateLimits, MateSolver
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table

LONGEST, NODES = 200, 300  # plies of a game, nodes of a move
FIRST = MateLimits(nodes=20_000)  # for the first test of a position
SECOND = MateLimits(nodes=200_000)  # for each further test
BLUNDERS = 0.25  # share of random moves


@dataclass(frozen=True)
class Soundness:
    """The result of `examine`. `cooks` are other first moves that mate, `undecided` are first moves that the
    limits left open, `left` is the attacker's hand at the end of the solution, as SFEN letters."""

    answer: MateAnswer
    cooks: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    left: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether there is a mate, proven shortest, by exactly one first move."""
        return self.answer.is_shortest and not self.cooks and not self.undecided


def examine(solver: MateSolver, position: BasePosition, limits: MateLimits) -> Soundness:
    """Find the shortest mate, and test all other first moves; `limits` applies to each search."""
    answer = solver.solve(position, replace(limits, shortest=True))
    if answer.verdict != MATE:
        return Soundness(answer)
    cooks, undecided = list[str](), list[str]()
    game = position.copy()
    for move in position.legal_moves():
        if move == answer.moves[0]:
            continue
        game.push(move)
        if game.in_check or position.variant.king_capture:
            verdict = MATE if _has_won(game) else solver.verdict_after_move(game, limits)
            if verdict == MATE:
                cooks.append(move)
            elif verdict == UNKNOWN:
                undecided.append(move)
        game.pop()
    return Soundness(answer, sorted(cooks), sorted(undecided), _left(position, answer))


def _has_won(game: BasePosition) -> bool:
    """Return whether the side that has just moved has won."""
    end = game.outcome()
    return end is not None and end.winner == 1 - game.turn


def _left(position: BasePosition, answer: MateAnswer) -> str:
    """Return the attacker's hand at the end of the solution, without useless interpositions."""
    if not isinstance(position, Position):
        return ""
    game = position.copy()
    for move in answer.moves[: len(answer.moves) - answer.useless]:
        game.push(move)
    return hand_text(position.variant, game.setup().hands[position.turn], 0)


def make_problems(
    variant: Variant, plies: int, seed: int, told: Callable[[int], None]
) -> Iterator[tuple[str, MateAnswer]]:
    """Yield problems of exactly `plies` plies as (SFEN, solution), endlessly. They are positions of self-play games
    with NODES nodes a move and some random moves, in which only one first move mates, no mate is shorter, and no
    interposition is useless. `told` is called with the number of positions examined."""
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
                told(seen)
                answer = _solution(solver, new_position(variant, sfen), plies)
                if answer is not None:
                    yield sfen, answer
            game.push(_move(rng, searcher, game))


def _move(rng: random.Random, searcher: Searcher, game: BasePosition) -> str:
    if len(game.moves) < 4 or rng.random() < BLUNDERS:
        return rng.choice(sorted(game.legal_moves()))
    best = searcher.search(game, Limits(nodes=NODES)).best
    return best if best in game.legal_moves() else rng.choice(sorted(game.legal_moves()))


def _solution(solver: MateSolver, position: BasePosition, plies: int) -> MateAnswer | None:
    """Return the solution of a position that is a problem of that length, otherwise None."""
    first = solver.solve(position, FIRST)
    if first.verdict != MATE or first.plies < plies:
        return None
    soundness = examine(solver, position, SECOND)
    answer = soundness.answer
    counts = answer.plies == len(answer.moves) == plies and not answer.useless
    return answer if soundness.is_sound and counts else None
