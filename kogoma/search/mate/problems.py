"""Sound problems: whether a position is one (one solution, none shorter than was meant, and nothing left over), and
such as are found in games that the engine plays against itself."""

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

LONGEST, NODES = 200, 300  # plies of a game, and nodes of a move
FIRST = MateLimits(nodes=20_000)  # for a first look at a position
SECOND = MateLimits(nodes=200_000)  # for each question about one that may do
BLUNDERS = 0.25  # the share of moves that are any moves


@dataclass(frozen=True)
class Soundness:
    """What composers ask of a problem. `cooks` are other first moves that mate, `undecided` those for which the limits
    did not do; `left` is what the attacker has in hand when the solution ends, as letters of SFEN."""

    answer: MateAnswer
    cooks: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    left: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether there is a mate, proven to be the shortest, by one first move alone."""
        return self.answer.is_shortest and not self.cooks and not self.undecided


def examine(solver: MateSolver, position: BasePosition, limits: MateLimits) -> Soundness:
    """Solve the position with the shortest mate, and try all other first moves; each search has these limits."""
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
            verdict = MATE if _has_won(game) else solver.is_mated(game, limits)
            if verdict == MATE:
                cooks.append(move)
            elif verdict == UNKNOWN:
                undecided.append(move)
        game.pop()
    return Soundness(answer, sorted(cooks), sorted(undecided), _left(position, answer))


def _has_won(game: BasePosition) -> bool:
    """Whether the side that has just moved has won already."""
    end = game.outcome()
    return end is not None and end.winner == 1 - game.turn


def _left(position: BasePosition, answer: MateAnswer) -> str:
    """The attacker's hand at the end of the solution, without useless interpositions."""
    if not isinstance(position, Position):
        return ""
    game = position.copy()
    for move in answer.moves[: len(answer.moves) - answer.useless]:
        game.push(move)
    return hand_text(position.variant, game.setup().hands[position.turn], 0)


def make_problems(
    variant: Variant, plies: int, seed: int, told: Callable[[int], None]
) -> Iterator[tuple[str, MateAnswer]]:
    """Problems of exactly `plies` plies as SFENs, with solutions, without end: positions of games of NODES nodes a
    move, and now and then of any move, in which one first move alone mates, no mate is shorter, and no interposition is
    useless. `told` hears how many positions were seen."""
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
    """The solution of a position that is a problem of so many plies; None for any other."""
    first = solver.solve(position, FIRST)
    if first.verdict != MATE or first.plies < plies:
        return None
    soundness = examine(solver, position, SECOND)
    answer = soundness.answer
    counts = answer.plies == len(answer.moves) == plies and not answer.useless
    return answer if soundness.is_sound and counts else None
