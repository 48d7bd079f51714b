"""Mate problems: test whether a position is a sound problem, and find problems in self-play games.

A problem is sound if exactly one first move mates and its length is proven to be the shortest. Composers also want no
pieces left in the attacker's hand; `is_sound` does not demand this.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, replace

from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import Setup, hand_text, write_sfen
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
    """The result of `examine`. `cooks` are other first moves that mate. `undecided` are first moves for which the
    limits were too low. `left` is the attacker's hand at the end of the solution, as SFEN letters."""

    answer: MateAnswer
    cooks: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)
    left: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether there is a mate that is proven to be the shortest, and every other first move is proven not to
        mate."""
        return self.answer.is_shortest and not self.cooks and not self.undecided


def examine(solver: MateSolver, position: BasePosition, limits: MateLimits) -> Soundness:
    """Return the shortest mate from a position, together with the other first moves that also mate or may mate. Each
    search has the limits `limits`."""
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
    """Return the attacker's hand at the end of the solution, before any useless interpositions, as SFEN letters."""
    if not isinstance(position, Position):
        return ""
    game = position.copy()
    for move in answer.moves[: len(answer.moves) - answer.useless]:
        game.push(move)
    return hand_text(position.variant, game.setup().hands[position.turn], 0)


def make_problems(
    variant: Variant, plies: int, seed: int, told: Callable[[int], None], *, tsume: bool = False
) -> Iterator[tuple[str, MateAnswer]]:
    """Yield problems of exactly `plies` plies as (SFEN, solution), endlessly. They are positions from self-play games.
    In each problem, only one first move mates, no mate is shorter than `plies`, and no interposition is useless. With
    `tsume`, problems are then converted by `tsume_form`. `told` is called with the number of positions examined so far.
    Raises ValueError if the variant does not allow `tsume`."""
    if tsume and (variant.king_capture or variant.cards):
        raise ValueError(f"mate problems of {variant.name} always need the attacker's king: make them without tsume")
    rng, solver = random.Random(seed), MateSolver(Table(16))
    for seen, position in enumerate(itertools.chain.from_iterable(self_play_games(variant, rng)), 1):
        told(seen)
        answer = solution(solver, position, (plies,))
        if answer is not None and isinstance(position, Position) and tsume:
            yield from tsume_form(solver, position, plies, rng)
        elif answer is not None:
            yield position.sfen(), answer


def self_play_games(variant: Variant, rng: random.Random) -> Iterator[Iterator[BasePosition]]:
    """Yield self-play games, endlessly. Each is an iterator of its positions, without the moves that led to them, that
    no earlier game had, up to the end of the game. Moves are searched with NODES nodes or are random. Pieces that a
    player has to place first are placed by the same moves, but those positions are left out."""
    searcher, known = Searcher(hash_mb=8, variant=variant), set[str]()

    def positions() -> Iterator[BasePosition]:
        game = new_position(variant)
        while len(game.moves) < LONGEST and game.outcome() is None:
            sfen = " ".join(game.sfen().split()[:-1])
            if sfen not in known and game.ply >= variant.placements:
                known.add(sfen)
                yield new_position(variant, sfen)
            game.push(_move(rng, searcher, game))

    while True:
        yield positions()


def tsume_form(
    solver: MateSolver, problem: Position, plies: int, rng: random.Random
) -> Iterator[tuple[str, MateAnswer]]:
    """Convert a problem to the usual form of tsume shogi, and yield it as (SFEN, solution). Yield nothing if it does
    not stay a sound problem of `plies` plies. In this form, Black is the attacker and has no king, and White holds all
    pieces that are neither on the board nor in Black's hand. Pieces that the solution does not need are removed in
    random order."""
    variant, setup = problem.variant, with_black_to_move(problem.setup())
    royal = next(number for number, piece in enumerate(variant.pieces, 1) if piece.royal)
    setup.board[setup.board.index(royal)] = 0
    best = _tsume_solution(solver, variant, setup, plies)
    if best is None:
        return
    squares = [square for square, cell in enumerate(setup.board) if cell and cell & 15 != royal]
    held = [-number for number, count in enumerate(setup.hands[0]) for _ in range(count)]
    for place in rng.sample(squares + held, len(squares + held)):  # a square, or the negated type of a piece in hand
        without = replace(setup, board=setup.board.copy(), hands=[hand.copy() for hand in setup.hands])
        number = -place
        if place >= 0:
            number = variant.letters[variant.pieces[(setup.board[place] & 15) - 1].letter.removeprefix("+")]
            without.board[place] = 0
        else:
            without.hands[0][number] -= 1
        without.hands[1][number] += 1
        if (answer := _tsume_solution(solver, variant, without, plies)) is not None:
            setup, best = without, answer
    yield write_sfen(setup, variant), best


def with_black_to_move(setup: Setup) -> Setup:
    """Return `setup` if Black is to move. Otherwise return it rotated by 180 degrees, with the sides exchanged."""
    if setup.turn == 0:
        return setup
    return Setup([cell and cell ^ 16 for cell in reversed(setup.board)], setup.hands[::-1], number=setup.number)


def _tsume_solution(solver: MateSolver, variant: Variant, setup: Setup, plies: int) -> MateAnswer | None:
    """If a set-up is a legal position and a sound problem of exactly `plies` plies, return its solution, otherwise
    None."""
    try:
        position = new_position(variant, write_sfen(setup, variant))
    except ValueError:
        return None
    return None if position.in_check else solution(solver, position, (plies,))


def _move(rng: random.Random, searcher: Searcher, game: BasePosition) -> str:
    """Return the next move of a self-play game. At the start, and sometimes later, it is random; otherwise it is the
    best move of a short search."""
    if len(game.moves) < 4 or rng.random() < BLUNDERS:
        return rng.choice(sorted(game.legal_moves()))
    best = searcher.search(game, Limits(nodes=NODES)).best
    return best if best in game.legal_moves() else rng.choice(sorted(game.legal_moves()))


def solution(
    solver: MateSolver,
    position: BasePosition,
    lengths: Collection[int],
    first: MateLimits = FIRST,
    second: MateLimits = SECOND,
) -> MateAnswer | None:
    """If a position is a sound problem whose plies are one of `lengths`, and no interposition is useless, return its
    solution, otherwise None. `first` limits the search for a mate, `second` each search for the proofs."""
    found = solver.solve(position, first)
    if found.verdict != MATE or found.plies < min(lengths):
        return None
    soundness = examine(solver, position, second)
    answer = soundness.answer
    counts = answer.plies == len(answer.moves) and answer.plies in lengths and not answer.useless
    return answer if soundness.is_sound and counts else None
