"""Dice-Shogi: the search compared with searches without pruning, rolls, and mates."""

from __future__ import annotations

import math
import random
import re
import statistics
from fractions import Fraction
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kogoma.eval.explain import eval_library
from kogoma.eval.game import default_game
from kogoma.rules.dice.die import allowed
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.position import Position
from kogoma.rules.structs import bits
from kogoma.rules.variants import VARIANTS
from kogoma.search.dice import conversion
from kogoma.search.dice.curve import FULL, SCALE, SUREST, TABLED, chance_curve
from kogoma.search.dice.expectation import expected, smallest_sum
from kogoma.search.dice.values import NO_LIMIT
from kogoma.search.library import dice_library
from kogoma.search.limits import Limits
from kogoma.search.search import Info
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from support import dice_search
from support.dice_search import middle_games
from support.scope import count, mostly_long, part

pytestmark = pytest.mark.slow

DICE_GAMES = ("dice", "dice-hyper", "dice-codingame")
SEARCHED = mostly_long(DICE_GAMES, "dice")  # the variants that slow reference searches use
START = "rbsgk/4p/5/P4/KGSBR b - 1"
CURVE = SimpleNamespace(chance_curve=chance_curve())


# `py_func` runs the source of a kernel as plain Python.
def value_of(score: int) -> int:
    """Return the value of a score in centipawns."""
    return int(conversion.value_of.py_func(CURVE, score))


def centipawns_of(value: int) -> int:
    """Return the score in centipawns of a value."""
    return int(conversion.centipawns_of.py_func(CURVE, value))


def leaf(position: Position) -> int:
    """Return the value of a leaf. A roll that allows a mate by a direct check counts as a win, and every other roll
    counts as the static evaluation."""
    value = value_of(eval_library("64")("static_eval", default_game(position.variant), position.struct.copy()))
    files = set() if position.in_check else mating_files(position)
    faces = len(files) + 1 if files else 0
    return price(faces * FULL + (6 - faces) * value) if faces else value


mating: dict[tuple[str, int], set[str]] = {}  # results of `mating_files` by variant and key


def mating_files(position: Position) -> set[str]:
    """Return the files of the target squares of all mating moves in which the moved piece itself gives check."""
    if (position.variant.name, position.key) in mating:
        return mating[position.variant.name, position.key]
    found = mating[position.variant.name, position.key] = set()
    for move in position.legal_moves():
        to = position.code(move) & int(SQUARE_MASK)
        position.push(move)
        if position.in_check and not position.legal_codes():
            if bits(position.fields["checkers"][int(position.fields["ply"])]) >> to & 1:
                found.add(move.removesuffix("+")[-2])
        position.pop()
    return found


def price(total: int) -> int:
    """Return the mean of six rolls whose values add up to `total`, multiplied by the discount factor of one ply."""
    return math.trunc(Fraction(total, 6) * Fraction(1023, 1024))


def over(position: Position) -> int | None:
    """Return the value of a finished game for the side to move, or None if the game goes on."""
    outcome = position.outcome()
    if outcome is None:
        return None
    return 0 if outcome.winner is None else FULL if outcome.winner == position.turn else -FULL


def by_move(position: Position, depth: int) -> dict[str, int]:
    """Return the value of each legal move. The position after the move is searched to the depth `depth` - 1."""
    values = {}
    for move in position.legal_moves():
        position.push(move)
        values[move] = -naive(position, depth - 1)
        position.pop()
    return values


def naive(position: Position, depth: int) -> int:
    """Return the value of a position before the roll, found by a textbook expectimax. The value of the best allowed
    move is averaged over the six rolls, and the mean is multiplied by the discount factor of one ply. If the side to
    move is in check at depth 0, the search goes one ply deeper."""
    value = over(position)
    if value is not None:
        return value
    if depth < 0 or (depth == 0 and not position.in_check):
        return leaf(position)
    values = by_move(position, depth)
    return price(sum(max(values[move] for move in allowed(position, roll)) for roll in range(1, 7)))


class Engine:
    """The compiled search, with a table that is kept between positions."""

    def __init__(self) -> None:
        self.table = Table(4)
        self.variant = Position("dice").variant

    def values(self, position: Position, depth: int, roll: int | None = None, exact: bool = True) -> list[int]:
        """Return the values of a position at the depths 1 to `depth`. Unless `exact` is set, the search may use table
        entries of greater depths. After the call, `self.thread` is the struct that the search has used."""
        moves = position.legal_codes() if roll is None else [position.code(move) for move in allowed(position, roll)]
        if position.variant != self.variant:
            self.table.clear()  # Searcher does the same, because values depend on the rules
        self.variant = position.variant
        self.table.wait()
        self.table.next_generation()
        self.thread = dice_search.record_of(self.table, moves)
        self.thread["tt_exact"] = int(exact)
        self.thread["generation"] = self.table.generation
        self.thread["last_ply"] = position.variant.max_plies or NO_LIMIT
        arguments = (default_game(position.variant), position.struct.copy(), self.thread)
        library, rolled = dice_library("64"), int(roll is not None)
        return [library("expectimax", *arguments, step, rolled) for step in range(1, depth + 1)]


@pytest.fixture(scope="module")
def engine() -> Engine:
    return Engine()


def mixed_games(count: int) -> list[Position]:
    return [position for variant in DICE_GAMES for position in middle_games(count, variant, seed=len(variant))]


@pytest.mark.parametrize("variant", SEARCHED)
def test_equals_the_naive_search_at_depths_1_and_2(engine: Engine, variant: str) -> None:
    found = sorted(middle_games(34, variant, seed=len(variant)), key=lambda position: len(position.legal_codes()))
    for position in part(found, 3):
        assert engine.values(position, 1) == [naive(position, 1)], position.sfen()
    for position in found[: count(12, 4)]:
        assert engine.values(position, 2)[1] == naive(position, 2), position.sfen()
    assert any(mating_files(position) for position in found) and any(position.in_check for position in found)


@pytest.mark.long
def test_equals_the_naive_search_at_depth_3(engine: Engine) -> None:
    few = sorted(mixed_games(34), key=lambda position: len(position.legal_moves()))[:6]
    assert {position.variant.name for position in few} == set(DICE_GAMES)
    for position in few[: count(6, 2)]:
        assert engine.values(position, 3)[2] == naive(position, 3), position.sfen()


@pytest.mark.long
@pytest.mark.parametrize("variant", SEARCHED)
def test_equals_the_plain_search(engine: Engine, variant: str) -> None:
    ratios = []
    for position in part(middle_games(34, variant, seed=len(variant)), 3):
        found = engine.values(position, 3)
        for depth in (2, 3):
            value, plain_nodes, _ = dice_search.plain(position, depth, engine.table)
            assert found[depth - 1] == value, (position.sfen(), depth)
        ratios.append(plain_nodes / int(engine.thread["nodes"][0]))
    assert statistics.geometric_mean(ratios) > 4


def test_values_do_not_depend_on_earlier_table_entries(engine: Engine) -> None:
    rng, position = random.Random(3), Position("dice")
    while position.outcome() is None and len(position.moves) < count(40, 10):
        assert engine.values(position, 4)[3] == dice_search.pruned(position, 4, Table(1))[0]
        position.push(rng.choice(allowed(position, rng.randint(1, 6))))


@pytest.mark.long
def test_positions_that_were_searched_deeper_are_not_searched_again() -> None:
    table = Table(4)
    table.wait()
    for position in middle_games(count(10, 3), seed=5):
        move = position.legal_moves()[0]
        thread = dice_search.record_of(table, [position.code(move)])
        arguments = (default_game(position.variant), position.struct.copy(), thread)
        deep = [dice_library("64")("expectimax", *arguments, depth, 1) for depth in range(1, 5)][-1]
        thread["tt_exact"] = thread["nodes"] = 0
        assert dice_library("64")("expectimax", *arguments, 2, 1) == deep and thread["nodes"][0] == 2
        thread["tt_exact"] = 1
        assert dice_library("64")("expectimax", *arguments, 2, 1) == by_move(position, 2)[move]


def test_no_entry_from_beyond_the_last_ply_is_used(engine: Engine) -> None:
    for number in range(297, 301):
        early, late = (Position("dice-codingame", f"r1s1g/3kp/1B1b1/PK3/1GS1R b - {n}") for n in (100, number))
        engine.values(early, 4)
        assert engine.values(late, 2, exact=False)[1] == naive(late, 2), number


def test_an_interrupted_iteration_begins_with_the_best_move() -> None:
    """Check that a search that stops during the iteration at depth 4 begins this iteration with the best move of depth
    3. If depths 3 and 4 have the same best move, the stopped search must return this move."""
    searcher, compared = Searcher(4, variant=VARIANTS["dice"]), 0
    for position in middle_games(count(60, 20)):
        searcher.new_game()
        found = list[Info]()
        searcher.search(position, Limits(depth=4, dice=6), report=found.append)
        nodes, moves = [info.nodes for info in found[2:4]], {info.pv[0] for info in found[2:4]}
        if len(nodes) < 2 or len(moves) > 1:
            continue  # decided after a few nodes, or depth 4 has another move
        compared += 1
        for share in (0.25, 0.5, 0.75):
            searcher.new_game()
            stopped = Limits(nodes=int(nodes[0] + share * (nodes[1] - nodes[0])), dice=6)
            assert {searcher.search(position, stopped).best} == moves
    assert compared > 5


@pytest.mark.parametrize("variant", SEARCHED)
def test_the_value_of_a_known_roll_is_that_of_its_best_move(engine: Engine, variant: str) -> None:
    for position in middle_games(6, variant, seed=8):
        values = by_move(position, 2)
        for roll in range(1, 7):
            moves = allowed(position, roll)
            assert engine.values(position, 2, roll)[1] == max(values[move] for move in moves)
            best = position.usi(int(engine.thread["root_best"][0]))
            assert best in moves and values[best] == max(values[move] for move in moves)


def test_the_search_knows_the_repetition_rule(engine: Engine) -> None:
    # Both sides move back and forth. In the third cycle, all positions are close to their fourth occurrence.
    position = Position("dice")
    shuffle = ["1e1d", "5a5b", "1d1e", "5b5a"] * 3
    for index, move in enumerate(shuffle[:-1]):
        position.push(move)
        if index < 7:
            continue
        values = engine.values(position, 2)
        assert values == [naive(position, 1), naive(position, 2)]
    position.push(shuffle[-1])
    assert position.outcome() is not None
    searcher = Searcher(4, 1, position.variant)
    position.pop()
    # Black loses by repetition, so White, who rolls a 5, moves back and wins.
    result = searcher.search(position, Limits(depth=3, dice=5))
    assert (result.best, result.score_kind, result.score) == ("5b5a", "mate", 1)


@pytest.mark.long
def test_the_last_plies_of_a_game_with_a_limit(engine: Engine) -> None:
    for number in range(295, 301):
        position = Position("dice-codingame", f"r1s1g/3kp/1B1b1/PK3/1GS1R b - {number}")
        assert engine.values(position, 3)[2] == naive(position, 3), number


def turned(sfen: str) -> str:
    """Return the SFEN of the position with the board rotated and the colours exchanged."""
    board, side, hands, number = sfen.split()
    cells = re.findall(r"\+?[A-Za-z]|[0-9]|/", board)
    return f"{''.join(reversed(cells)).swapcase()} {'w' if side == 'b' else 'b'} {hands.swapcase()} {number}"


@pytest.mark.parametrize("variant", DICE_GAMES)
def test_colours_and_sides_of_the_board_do_not_matter(engine: Engine, variant: str) -> None:
    for position in middle_games(10, variant, seed=11):
        alone, twin = Position(variant, position.sfen()), Position(variant, turned(position.sfen()))
        assert engine.values(alone, 3) == engine.values(twin, 3), position.sfen()


def test_rolls_of_the_document() -> None:
    # The example in the document is "If 4 appears in the initial position". The gold can then move straight up, and the
    # silver, the bishop and the king can move to the square in front of the gold.
    assert sorted(allowed(Position("dice"), 4)) == ["2e4c", "3e4d", "4e4d", "5e4d"]
    assert len(allowed(Position("dice"), 6)) == 14


def test_rolls_name_a_file_or_allow_all_moves() -> None:
    checked = 0
    for position in mixed_games(30):
        legal = position.legal_moves()
        for roll in range(1, 6):
            to_file = [move for move in legal if move.removesuffix("+")[-2] == str(roll)]
            if position.variant.name == "dice-hyper" and position.in_check:
                to_file, checked = legal, checked + 1
            assert sorted(allowed(position, roll)) == sorted(to_file or legal)
        assert sorted(allowed(position, 6)) == sorted(legal)
    assert checked
    for roll in (0, 7, -1):
        with pytest.raises(ValueError, match="die roll"):
            allowed(Position("dice"), roll)
    with pytest.raises(ValueError, match="without a die"):
        allowed(Position("minishogi"), 3)


@pytest.mark.long
@given(st.integers(-FULL, FULL))
def test_the_inverse_of_the_expected_value(value: int) -> None:
    least = smallest_sum.py_func(value)
    assert expected.py_func(least) >= value > expected.py_func(least - 1)


@given(st.integers(-6 * FULL, 6 * FULL))
def test_the_expected_value_is_a_reduced_mean(total: int) -> None:
    assert expected.py_func(total) == math.trunc(Fraction(total, 6) * Fraction(1023, 1024))


@given(st.integers(-20000, 20000))
def test_chances_and_centipawns(score: int) -> None:
    assert value_of(-score) == -value_of(score)
    assert value_of(score) <= value_of(score + 1) <= SUREST * FULL
    if abs(score) < 3000:
        assert abs(centipawns_of(value_of(score)) - score) <= 1


def test_winning_chances_do_not_depend_on_rounding_errors_of_powers() -> None:
    for score in range(TABLED):
        value = (2 / (1 + 10 ** (-score / SCALE)) - 1) * SUREST * FULL
        assert abs(value % 1 - 0.5) > 1e-6


def sure(position: Position, plies: int, winning: bool) -> bool:
    """Return whether the side to move, which has not rolled yet, is certain to win within `plies` plies. If `winning`
    is false, return whether that side is certain to lose."""
    value = over(position)
    if value is not None:
        return value == (FULL if winning else -FULL)
    if plies == 0:
        return False
    found = after(position, plies - 1, not winning)
    if not winning:
        return all(found.values())
    return all(any(found[move] for move in allowed(position, roll)) for roll in range(1, 7))


def after(position: Position, plies: int, winning: bool) -> dict[str, bool]:
    """Return the result of `sure` for the position after each legal move."""
    found = {}
    for move in position.legal_moves():
        position.push(move)
        found[move] = sure(position, plies, winning)
        position.pop()
    return found


def certainties(position: Position, most: int) -> dict[int | None, int]:
    """Return a dictionary whose keys are the rolls after which the side to move is certain to win or lose within `most`
    plies. The value of a key is the number of plies, which is negative for a loss. The key None stands for the position
    before the roll."""
    told: dict[int | None, int] = {}
    for plies in range(most, 0, -1):
        wins, losses = after(position, plies - 1, False), after(position, plies - 1, True)
        for roll in range(1, 7):
            moves = allowed(position, roll)
            if any(wins[move] for move in moves):
                told[roll] = plies
            elif all(losses[move] for move in moves):
                told[roll] = -plies
        if sure(position, plies, True):
            told[None] = plies
        elif sure(position, plies, False):
            told[None] = -plies
    return told


def near_mates(count: int, variant: str) -> list[Position]:
    """Return positions that occur one or two plies before the end of random games that end in mate."""
    rng, found = random.Random(len(variant)), list[Position]()
    while len(found) < count:
        position = Position(variant)
        while (moves := position.legal_moves()) and len(position.moves) < 100:
            position.push(rng.choice(sorted(moves)))
        if not moves and position.in_check:
            for _ in range(1 + len(found) % 2):
                position.pop()
            if len(position.legal_moves()) <= 30:
                found.append(position)
    return found


@pytest.mark.parametrize("variant", DICE_GAMES)
def test_only_certain_mates_are_reported(variant: str) -> None:
    searcher = Searcher(4, 1, Position(variant).variant)
    mates = 0
    for position in near_mates(8, variant):
        depth = 3 if len(position.legal_moves()) <= 4 else 2
        certain = certainties(position, depth)
        for roll in (None, 1, 2, 3, 4, 5, 6):
            result = searcher.search(position, Limits(depth=depth, dice=roll))
            assert result.best in (position.legal_moves() if roll is None else allowed(position, roll))
            assert result.score_kind == ("mate" if roll in certain else "cp"), (position.sfen(), roll)
            if roll in certain:
                assert result.score == certain[roll], (position.sfen(), roll)
        mates += len(certain)
    assert mates >= 8


def test_limits_of_a_search(engine: Engine) -> None:
    position = Position("dice")
    searcher = Searcher(4, 2, position.variant)
    assert searcher.search(position, Limits(nodes=3000, dice=3)).nodes <= 3001
    first = searcher.search(position, Limits(depth=4, dice=4, searchmoves=("5e4d",)))
    assert first.best == "5e4d"
    searcher.new_game()
    again = searcher.search(position, Limits(depth=4, dice=4))
    searcher.new_game()
    assert searcher.search(position, Limits(depth=4, dice=4)) == again
