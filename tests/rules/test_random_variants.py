"""Rules, searches and mates in random variants, compared with the reference rules.

`benchmarks/random_variants.py` tests thousands of other variants.
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
from kogoma.search.game import search_game
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from oracles import shogi as oracle
from support.random_games import plain
from support.random_variants import Setting, all_pairs, pairs, random_variant, rules_of
from support.scope import mostly_long
from support.variant_judge import judge

pytestmark = pytest.mark.slow

SEEDS = range(150)
SHARDS, KEPT = 10, 0  # the part that the default run tests


@cache
def game(seed: int) -> Variant:
    return random_variant(seed)


@pytest.mark.parametrize("shard", mostly_long(range(SHARDS), KEPT))
def test_random_games_and_searches_agree_with_the_reference_rules(shard: int) -> None:
    for seed in SEEDS[shard::SHARDS]:
        judge(game(seed), seed, games=1)


def refused(*pair: Setting) -> list[str]:
    """Change two settings of minishogi, and return the error messages that name both settings."""
    keys: dict[str, Any] = dict(pair)
    changed = replace(find("minishogi"), name="mine", **keys)
    return [text for _, text in mistakes_of_game(changed) if all(key in text for key in keys)]


@pytest.mark.long
def test_all_pairs_of_flags_are_tested_or_refused() -> None:
    seen = set().union(*(pairs(game(seed)) for seed in SEEDS))
    for pair in all_pairs() - seen:
        assert refused(*pair), pair


def test_boards_of_all_sizes_are_tested() -> None:
    games = [game(seed) for seed in SEEDS]
    assert {variant.files for variant in games} >= set(range(3, 9)) and {variant.ranks for variant in games} >= {3, 9}
    assert any(variant.squares > 64 for variant in games)


# ---- Former errors found by random variants --------------------------------------------------------------------------

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


def test_a_pinned_piece_does_not_jump_over_the_pinning_piece() -> None:
    sfen = "4k/5/2r2/2J2/2K2 b - 1"
    assert sorted(move for move in Position(JUMPERS, sfen).legal_moves() if move.startswith("3d")) == ["3d3c"]
    assert oracle.legal_moves(oracle.parse_sfen(rules_of(JUMPERS), sfen)).keys() >= {"3d3c"}


@pytest.mark.parametrize("sfen", ["2k2/5/5/2j2/2K2 b S 1", "2k2/5/2j2/5/2K2 b S 1", "4k/5/5/5/K1J1r b S 1"])
def test_a_check_by_a_jump_cannot_be_blocked(sfen: str) -> None:
    position, told = Position(JUMPERS, sfen), oracle.parse_sfen(rules_of(JUMPERS), sfen)
    assert plain(position.legal_moves()) == plain(list(oracle.legal_moves(told)))
    assert position.perft(2) == oracle.perft(told, 2)


def test_a_roll_may_leave_no_move_that_saves_the_king() -> None:
    """Check two searches in a variant that has a die and is won by capturing the king. If the roll allows no move that
    saves the king, the search must still play an allowed move. If the enemy king can be captured, the search must
    capture it."""
    variant = replace(
        find("dobutsu"), name="dobutsu-dice", die=Die.ALWAYS, goal=False, repetition_result=RepetitionResult.NONE
    )
    searcher = Searcher(1, 1, variant)
    position = Position(variant, "2l/1g1/1L1/2C b - 1")  # the lion is attacked
    assert searcher.search(position, Limits(depth=3, dice=1)).best in allowed(position, 1)
    taken = searcher.search(Position(variant, "3/1l1/1L1/2C b - 1"), Limits(depth=3, dice=2))
    assert (taken.best, taken.score_kind, taken.score) == ("2c2b", "mate", 1)


def test_a_piece_without_further_moves_must_promote_only_in_the_zone() -> None:
    """Check that a piece that moves out of the promotion zone need not promote, even if it could never move again from
    its new square."""
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
    inside = "k4/2J2/5/5/4K b - 1"  # the move forward to the right ends in the zone, where the piece can move again
    assert plain(Position(variant, inside).legal_moves()) == plain(list(oracle.legal_moves(at(variant, inside))))


def at(variant: Variant, sfen: str = "") -> oracle.Position:
    return oracle.parse_sfen(rules_of(variant), sfen or variant.start)


def test_a_move_that_leaves_the_king_to_be_captured_loses() -> None:
    variant = replace(find("minishogi"), name="captured", king_capture=True)
    position = Position(variant, "2k2/5/B4/2p2/2K2 b - 1")
    legal = oracle.legal_moves(at(variant, position.sfen()))
    blunders = [move for move, after in legal.items() if oracle.in_check(after, 0) and not oracle.decided(after)]
    assert blunders
    for move in sorted(blunders):
        result = Searcher(1, 1, variant).search(position, Limits(depth=3, searchmoves=(move,)))
        assert (result.score_kind, result.score) == ("mate", -2), move


def test_no_table_values_if_a_second_occurrence_ends_the_game() -> None:
    """Check that the search uses no values from its table if a second occurrence of a position ends the game. In such a
    game, the value of a position depends on the moves that led to the position."""
    judge(game(1763174276), 1763174276)


def test_without_a_repetition_rule_perpetual_checks_do_not_lose() -> None:
    variant = replace(find("minishogi"), name="endless", repetition_result=RepetitionResult.NONE)
    rules = fields(search_game(variant))["rules"]
    assert (rules["repetition_result"], rules["check_rule"]) == (RepetitionResult.DRAW, CheckRule.NONE)


@pytest.mark.parametrize("seed", [1795451972, 1795452333])
def test_a_stalemate_is_not_pruned_by_its_static_evaluation(seed: int) -> None:
    judge(game(seed), seed)


def test_a_game_ending_move_is_searched_even_if_the_king_could_be_captured() -> None:
    judge(game(1795451597), 1795451597)
