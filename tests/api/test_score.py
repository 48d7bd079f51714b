"""Scores of the Python API: their order, negation and conversions."""

from __future__ import annotations

import operator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from kogoma import Engine, Limits, Position, Score, UsiEngine, variants

BOUNDS = some.sampled_from(("", "lowerbound", "upperbound"))
# Few different numbers, so that equal ones are frequent.
NUMBERS = some.one_of(some.integers(-3, 3), some.integers(-(10**6), 10**6))
SCORES = some.one_of(
    some.builds(Score, centipawns=NUMBERS, bound=BOUNDS),
    some.builds(Score, mate=NUMBERS, bound=BOUNDS),
    some.builds(Score, mate=some.just(0), bound=BOUNDS, mate_given=some.booleans()),
)


@given(SCORES, SCORES, SCORES)
def test_scores_are_totally_ordered(a: Score, b: Score, c: Score) -> None:
    assert (a < b) + (a == b) + (a > b) == 1
    assert (a <= b, a >= b, a != b) == (a < b or a == b, a > b or a == b, a < b or a > b)
    assert not (a <= b and b <= c) or a <= c
    assert (a == b) <= (hash(a) == hash(b))


@given(SCORES, SCORES)
def test_negation_is_an_involution_and_reverses_the_order(a: Score, b: Score) -> None:
    assert operator.neg(-a) == a == eval(repr(a))
    assert (a < b) == (-b < -a)
    assert (-a == a) == (a.centipawns == 0 and not a.bound)


@given(SCORES, SCORES)
def test_conversions_keep_the_order(a: Score, b: Score) -> None:
    if a < b:
        assert a.to_centipawns(mate=10**8) <= b.to_centipawns(mate=10**8)
        assert all(a.winning_chance(name) <= b.winning_chance(name) for name in variants())
    assert (-a).to_centipawns(mate=10**8) == -a.to_centipawns(mate=10**8)
    assert (-a).winning_chance("kyoto") == pytest.approx(1 - a.winning_chance("kyoto"))


def test_the_extreme_scores() -> None:
    mated, given_mate = Score(mate=0), -Score(mate=0)
    assert mated != given_mate and given_mate.mate_given and not mated.mate_given and given_mate.mate == 0
    others = [Score(mate=plies) for plies in (-9, -1, 1, 9)] + [Score(centipawns=value) for value in (-(10**6), 10**6)]
    assert all(mated < other < given_mate for other in others)
    assert (mated.to_centipawns(mate=500), given_mate.to_centipawns(mate=500)) == (-500, 500)
    assert (mated.winning_chance("shogi"), given_mate.winning_chance("shogi")) == (0, 1)
    assert Score(30, bound="upperbound") < Score(30) < Score(30, bound="lowerbound") < Score(31, bound="upperbound")


@pytest.mark.parametrize("compare", [operator.lt, operator.le, operator.gt, operator.ge])
def test_other_objects_cannot_be_compared(compare: Any) -> None:
    other: Any
    for other in (2, "cp 3", None):
        with pytest.raises(TypeError, match="not supported between instances"):
            compare(Score(centipawns=3), other)
        assert Score(centipawns=3) != other


@pytest.mark.parametrize(
    ("arguments", "error", "told"),
    [
        ({}, ValueError, "either centipawns or mate"),
        ({"centipawns": 3, "mate": 2}, ValueError, "either centipawns or mate"),
        ({"centipawns": 1.5}, TypeError, "centipawns must be a whole number"),
        ({"mate": True}, TypeError, "mate must be a whole number"),
        ({"mate": 1, "bound": "above"}, ValueError, "bound must be"),
        ({"mate": 1, "mate_given": True}, ValueError, "mate_given is only for mate=0"),
        ({"centipawns": 0, "mate_given": True}, ValueError, "mate_given is only for mate=0"),
    ],
)
def test_invalid_scores_are_errors(arguments: dict[str, Any], error: type[Exception], told: str) -> None:
    with pytest.raises(error, match=told):
        Score(**arguments)


def test_the_variant_of_a_winning_chance_must_be_known() -> None:
    assert Score(300).winning_chance(variants()["micro"]) == Score(300).winning_chance("micro") > 0.5
    with pytest.raises(ValueError, match="unknown variant 'chess'"):
        Score(300).winning_chance("chess")


def test_a_side_without_a_legal_move_is_mated_or_has_won() -> None:
    stalemate, mate = "k4/2R2/1R3/5/4K w - 1", "4k/4G/4P/5/K4 w - 1"
    won, lost = -Score(mate=0), Score(mate=0)
    with Engine(hash_mb=1) as engine, UsiEngine("no_such_program") as other:
        for variant, sfen, score in (
            ("dice", stalemate, won),
            ("dice", mate, lost),
            ("minishogi", stalemate, lost),
            ("minishogi", mate, lost),
        ):
            position = Position(variant, sfen)
            found = [each.play(position, Limits(depth=1)) for each in (engine, other)]
            assert [(result.best, result.score) for result in found] == [(None, score)] * 2, (variant, sfen)
