"""Games with random boards, pieces and flags: rules, searches and mates against the naive rule book.

`benchmarks/random_variants.py` looks at thousands of others.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from kogoma.rules.custom.unsupported import mistakes_of_game
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from kogoma.rules.structs import fields
from kogoma.rules.variants import FORWARD, CheckRule, Die, Piece, RepetitionResult, Variant, find
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.search.worker import search_rules
from oracles import shogi as oracle
from support.random_games import plain
from support.random_variants import Setting, all_pairs, pairs, random_variant, rules_of
from support.scope import mostly_long
from support.variant_judge import judge

pytestmark = pytest.mark.slow

SEEDS = range(150)
SHARDS, KEPT = 10, 0  # the part of them that the default run looks at


@cache
def game(seed: int) -> Variant:
    return random_variant(seed)


@pytest.mark.parametrize("shard", mostly_long(range(SHARDS), KEPT))
def test_random_games_are_played_and_searched_as_by_the_naive_rule_book(shard: int) -> None:
    for seed in SEEDS[shard::SHARDS]:
        judge(game(seed), seed, games=1)


def refused(*pair: Setting) -> list[str]:
    """What `check` says of a game with these two settings that names both."""
    keys: dict[str, Any] = dict(pair)
    changed = replace(find("minishogi"), name="mine", **keys)
    return [text for _, text in mistakes_of_game(changed) if all(key in text for key in keys)]


def test_all_pairs_of_flags_are_among_them_or_refused() -> None:
    seen = set().union(*(pairs(game(seed)) for seed in SEEDS))
    for pair in all_pairs() - seen:
        assert refused(*pair), pair


def test_boards_of_all_sizes_are_among_them() -> None:
    games = [game(seed) for seed in SEEDS]
    assert {variant.files for variant in games} >= set(range(3, 9)) and {variant.ranks for variant in games} >= {3, 9}
    assert any(variant.squares > 64 for variant in games)


# ---- What these games have found -------------------------------------------------------------------------------------

JUMPERS = replace(
    find("minishogi"),
    name="jumpers",
    start="4k/5/2j2/5/K3R b - 1",
    pieces=(
        Piece("J", steps=((0, 2), (0, -2), (2, 0), (-2, 0)), slides=(FORWARD,), promotes_to="+J"),
        *(piece for piece in find("minishogi").pieces if piece.letter in "RSK"),
        replace(find("minishogi").pieces[-1], letter="+J"),
        *(piece for piece in find("minishogi").pieces if piece.letter in ("+R", "+S")),
    ),
    any_set_up=True,
)


def test_a_pinned_piece_does_not_step_over_the_piece_that_pins_it() -> None:
    sfen = "4k/5/2r2/2J2/2K2 b - 1"
    assert sorted(move for move in Position(JUMPERS, sfen).legal_moves() if move.startswith("3d")) == ["3d3c"]
    assert oracle.legal_moves(oracle.parse_sfen(rules_of(JUMPERS), sfen)).keys() >= {"3d3c"}


@pytest.mark.parametrize("sfen", ["2k2/5/5/2j2/2K2 b S 1", "2k2/5/2j2/5/2K2 b S 1", "4k/5/5/5/K1J1r b S 1"])
def test_nothing_helps_between_a_king_and_a_piece_that_steps_over_squares(sfen: str) -> None:
    position, told = Position(JUMPERS, sfen), oracle.parse_sfen(rules_of(JUMPERS), sfen)
    assert plain(position.legal_moves()) == plain(list(oracle.legal_moves(told)))
    assert position.perft(2) == oracle.perft(told, 2)


def test_a_roll_may_leave_no_move_that_saves_the_king() -> None:
    """Where kings are captured, the search of a game with a die knows moves that leave them to be."""
    variant = replace(
        find("dobutsu"), name="dobutsu-dice", die=Die.ALWAYS, goal=False, repetition_result=RepetitionResult.NONE
    )
    searcher = Searcher(1, 1, variant)
    position = Position(variant, "2l/1g1/1L1/2C b - 1")  # the lion is attacked
    assert searcher.search(position, Limits(depth=3, dice=1)).best in allowed(position, 1)
    taken = searcher.search(Position(variant, "3/1l1/1L1/2C b - 1"), Limits(depth=3, dice=2))
    assert (taken.best, taken.score_kind, taken.score) == ("2c2b", "mate", 1)


def test_a_piece_without_a_further_move_must_promote_in_the_zone_alone() -> None:
    """Leaving the zone for a square at the side from which it could never move, a piece may promote, and need not."""
    silver = find("minishogi").pieces[-1]
    pieces = [Piece("J", steps=((1, 1), (1, -2)), promotes_to="+J"), replace(silver, letter="+J")]
    others = [piece for piece in find("minishogi").pieces if piece.letter == "K"]
    variant = replace(
        find("minishogi"), name="crab", start="k2J1/5/5/5/4K b - 1", pieces=(pieces[0], *others, pieces[1]),
        drop_anywhere=True, promotion_ranks=2,
    )  # fmt: skip
    moves = [move for move in Position(variant).legal_moves() if move.startswith("2a")]
    assert sorted(moves) == ["2a1c", "2a1c+"]
    assert plain(moves) == plain([move for move in oracle.legal_moves(at(variant)) if move.startswith("2a")])
    inside = "k4/2J2/5/5/4K b - 1"  # forward to the right ends in the zone, where the last file is no end
    assert plain(Position(variant, inside).legal_moves()) == plain(list(oracle.legal_moves(at(variant, inside))))


def at(variant: Variant, sfen: str = "") -> oracle.Position:
    return oracle.parse_sfen(rules_of(variant), sfen or variant.start)


def test_where_every_move_leaves_the_king_to_be_captured_the_game_is_lost() -> None:
    variant = replace(find("minishogi"), name="captured", king_capture=True)
    position = Position(variant, "2k2/5/B4/2p2/2K2 b - 1")
    legal = oracle.legal_moves(at(variant, position.sfen()))
    blunders = [move for move, after in legal.items() if oracle.in_check(after, 0) and not oracle.decided(after)]
    assert blunders
    for move in sorted(blunders):
        result = Searcher(1, 1, variant).search(position, Limits(depth=3, searchmoves=(move,)))
        assert (result.score_kind, result.score) == ("mate", -2), move


def test_a_second_occurrence_that_ends_the_game_keeps_values_out_of_the_table() -> None:
    """What a position is worth there depends on the way to it."""
    judge(game(1763174276), 1763174276)


def test_where_repetition_is_not_looked_at_checks_do_not_lose_by_it() -> None:
    variant = replace(find("minishogi"), name="endless", repetition_result=RepetitionResult.NONE)
    rules = fields(search_rules(variant))
    assert (rules["repetition_result"], rules["check_rule"]) == (RepetitionResult.DRAW, CheckRule.NONE)


@pytest.mark.parametrize("seed", [1795451972, 1795452333])
def test_a_stalemate_is_not_pruned_by_its_static_evaluation(seed: int) -> None:
    judge(game(seed), seed)


def test_a_move_that_ends_the_game_is_searched_although_it_leaves_the_king_to_be_captured() -> None:
    judge(game(1795451597), 1795451597)
