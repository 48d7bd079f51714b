"""Custom variants in which the end of the game or the die has other rules than in the built-in variants."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from kogoma.rules.variants import RepetitionResult, Variant, find
from kogoma.search.limits import Limits
from kogoma.search.search import Result
from kogoma.search.searcher import Searcher
from kogoma.search.table_memory import Table
from support import dice_search

NO_STALEMATE = replace(find("minishogi"), name="no-stalemate", stalemate_wins=True)
WIDE_DICE = replace(
    find("dice"),
    name="wide-dice",
    files=9,
    start="rbsgk4/4p4/9/4P4/4KGSBR b - 1",
    repetition_result=RepetitionResult.DRAW,
)
GOAL_DICE = replace(find("dice"), name="goal-dice", goal=True)
EITHER_SIDE = replace(
    find("minishogi"),
    name="either-side",
    start="4k/5/5/5/K4 b - 1",
    drop_either_side=True,
    any_set_up=True,
    pieces=(
        *(piece for piece in find("minishogi").pieces if piece.letter in "PSBR"),
        *(piece for piece in find("minishogi").pieces if piece.letter.startswith("+")),
        *(piece for piece in find("minishogi").pieces if piece.royal),
    ),
)


def search(variant: Variant, sfen: str, limits: Limits) -> Result:
    """Search a position with one thread and an empty table, and return the result."""
    return Searcher(1, 1, variant).search(Position(variant, sfen), limits)


@pytest.mark.parametrize("depth", range(1, 9))
def test_a_stalemate_that_wins_is_not_given(depth: int) -> None:
    sfen = "4k/5/1B3/3G1/K4 b - 1"
    position = Position(NO_STALEMATE, sfen)
    position.push("2d2c")
    outcome = position.outcome()
    assert outcome is not None and (outcome.winner, outcome.reason) == (1, "stalemate")
    found = search(NO_STALEMATE, sfen, Limits(depth=depth))
    assert found.best != "2d2c" and (found.score_kind, found.score > 0) == ("cp", True)
    forced = search(NO_STALEMATE, sfen, Limits(depth=depth, searchmoves=("2d2c",)))
    assert (forced.score_kind, forced.score) == ("mate", -1)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_score_on_a_wide_board_with_a_die_shows_who_is_ahead(depth: int) -> None:
    result = search(WIDE_DICE, "k8/9/P8/9/4K4 b G 1", Limits(depth=depth))
    assert result.score > 300


@pytest.mark.parametrize("files", range(3, 10))
def test_pruning_changes_no_value_on_boards_of_any_width(files: int) -> None:
    """Check that the search finds the same values with and without pruning on boards of 3 to 9 files. A roll from 1 to
    5 names a file, counted from the right. Moves to other files are allowed after a 6, or if no move goes to the named
    file."""
    rest = files - 3
    start = f"r1k{rest or ''}/{files}/p{files - 1}/{files - 1}P/{files}/{rest or ''}K1R b - 1"
    variant = replace(WIDE_DICE, name=f"dice-{files}", files=files, ranks=6, start=start)
    table = Table(1)
    position = Position(variant)
    for move in ("", *position.legal_moves()[:6]):
        if move:
            position.push(move)
        for depth in (1, 2, 3):
            assert dice_search.pruned(position, depth, table)[0] == dice_search.plain(position, depth, table)[0]
        if move:
            position.pop()


def test_rolls_without_a_file_on_a_narrow_board_allow_all_moves() -> None:
    variant = replace(WIDE_DICE, name="narrow-dice", files=3, ranks=6, start="r1k/ppp/3/3/PPP/K1R b - 1")
    searcher = Searcher(1, 1, variant)
    for roll in range(1, 7):
        position = Position(variant)
        assert searcher.search(position, Limits(depth=2, dice=roll)).best in allowed(position, roll)


@pytest.mark.parametrize("depth", range(1, 6))
def test_reaching_the_goal_wins_with_a_die(depth: int) -> None:
    result = search(GOAL_DICE, "5/2K2/5/4k/5 b - 1", Limits(depth=depth, dice=6))
    assert result.best in ("3b3a", "3b4a", "3b2a")
    assert (result.score_kind, result.score) == ("mate", 1)


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_a_drop_of_the_promoted_side_answers_a_check(depth: int) -> None:
    sfen = "4k/1pppp/R4/5/K4 w p 1"
    after = Position(EITHER_SIDE, sfen)
    after.push("4b4c")
    after.push("5c5a+")
    assert sorted(after.legal_moves()) == ["+P*2a", "+P*3a", "+P*4a"]
    result = search(EITHER_SIDE, sfen, Limits(depth=depth, searchmoves=("4b4c",)))
    assert result.score_kind == "cp"
