"""The ends of games: each rule in a single test, and long games with repetitions compared with the reference rules and
pyffish."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from kogoma.rules.outcome import Outcome
from kogoma.rules.position import Position
from kogoma.rules.variants import find
from oracles import shogi as oracle
from support import referee
from support.scope import count, mostly_long

pytestmark = pytest.mark.slow

BLACK, WHITE = 0, 1
QUIET_CYCLE = ["1e1d", "5a5b", "1d1e", "5b5a"]  # from the start position, without checks
BLACK_CHECKS = ("4k/5/5/5/K2R1 b - 1", ["2e1e", "1a2a", "1e2e", "2a1a"])  # each of Black's moves is a check
WHITE_CHECKS = ("1r2k/5/5/5/K4 w - 1", ["4a5a", "5e4e", "5a4a", "4e5e"])


def end_of(variant: str, sfen: str | None, moves: list[str]) -> tuple[int, int | None, str] | None:
    """Play the moves, and return (plies, winner, reason) if they end the game, or None if the game goes on."""
    position = Position(variant, sfen)
    for played in range(len(moves) + 1):
        outcome = position.outcome()
        if outcome is not None:
            assert played == len(moves), f"the game was over after {played} plies by {outcome}"
            return played, outcome.winner, outcome.reason
        if played < len(moves):
            position.push(moves[played])
    return None


def test_the_game_goes_on_at_the_start() -> None:
    assert Position("minishogi").outcome() is None


# ---- minishogi: the 4th occurrence -----------------------------------------------------------------------------------


def test_fourth_occurrence_is_blacks_loss() -> None:
    assert end_of("minishogi", None, QUIET_CYCLE * 3) == (12, WHITE, "repetition")


def test_third_occurrence_is_not_the_end() -> None:
    assert end_of("minishogi", None, QUIET_CYCLE * 2 + QUIET_CYCLE[:3]) is None


def test_occurrences_need_not_follow_each_other() -> None:
    detour = ["2e3d", "5a5b", "3d2e", "5b5a"]
    assert end_of("minishogi", None, QUIET_CYCLE + detour + QUIET_CYCLE) == (12, WHITE, "repetition")


@pytest.mark.parametrize(
    ("sfen", "cycle", "winner", "reason"),
    [
        (None, QUIET_CYCLE, WHITE, "repetition"),
        (*BLACK_CHECKS, WHITE, "perpetual_check"),
        (*WHITE_CHECKS, BLACK, "perpetual_check"),
    ],
)
def test_positions_count_that_the_struct_does_not_contain_any_more(
    sfen: str | None, cycle: list[str], winner: int, reason: str
) -> None:
    position = Position(replace(find("minishogi"), repetition_fold=280), sfen)
    for _ in range(279):
        assert position.outcome() is None
        for usi in cycle:
            position.push(usi)
    assert position.times_seen == 280 and position.outcome() == Outcome(winner, reason)
    while position.moves:
        position.pop()
        assert position.outcome() is None and position.ply == len(position.moves)


def test_the_history_begins_at_the_sfen() -> None:
    sfen = "rbsgk/4p/5/P4/KGSBR b - 41"
    assert end_of("minishogi", sfen, QUIET_CYCLE * 3) == (12, WHITE, "repetition")


def test_another_side_to_move_is_another_position() -> None:
    """Check that a position is not repeated if the same board occurs with the other side to move. Here, the rook
    returns in three moves and the king in two, so the board of the start position occurs again with White to move."""
    sfen, triangle = "4k/5/5/5/K2R1 b - 1", ["2e1e", "1a2a", "1e3e", "2a1a", "3e2e"]
    cycle = ["1a1b", "2e2d", "1b1a", "2d2e"]
    assert end_of("minishogi", sfen, triangle + cycle * 2) is None  # the 3rd occurrence with White to move
    assert end_of("minishogi", sfen, triangle + cycle * 3) == (17, WHITE, "repetition")


@pytest.mark.parametrize(("sfen", "cycle"), [BLACK_CHECKS, WHITE_CHECKS])
def test_perpetual_check_loses(sfen: str, cycle: list[str]) -> None:
    checker = "bw".index(sfen.split()[1])
    assert end_of("minishogi", sfen, cycle * 3) == (12, 1 - checker, "perpetual_check")


@pytest.mark.parametrize(("sfen", "cycle"), [BLACK_CHECKS, WHITE_CHECKS])
def test_perpetual_check_counts_from_the_checked_sides_turn_too(sfen: str, cycle: list[str]) -> None:
    """Check that perpetual check also loses if the side to move is in check in the repeated position. The game starts
    after the first checking move, so this move does not count."""
    checker, first = "bw".index(sfen.split()[1]), Position("minishogi", sfen)
    first.push(cycle[0])
    shifted = cycle[1:] + cycle[:1]
    assert end_of("minishogi", first.sfen(), shifted * 3) == (12, 1 - checker, "perpetual_check")


@pytest.mark.parametrize(
    ("sfen", "cycle", "quiet"),
    [
        (*BLACK_CHECKS, ["2e2d", "1a1b", "2d2e", "1b1a"]),
        (*WHITE_CHECKS, ["4a4b", "5e5d", "4b4a", "5d5e"]),
        ("4k/5/5/5/K3R w - 1", ["1a2a", "1e2e", "2a1a", "2e1e"], ["1a2a", "1e3e", "2a1a", "3e1e"]),
        ("r3k/5/5/5/K4 b - 1", ["5e4e", "5a4a", "4e5e", "4a5a"], ["5e4e", "5a3a", "4e5e", "3a5a"]),
    ],
)
def test_with_one_quiet_move_black_loses_by_repetition(sfen: str, cycle: list[str], quiet: list[str]) -> None:
    for order in (quiet + cycle * 2, cycle + quiet + cycle, cycle * 2 + quiet):
        assert end_of("minishogi", sfen, order) == (12, WHITE, "repetition")


def test_a_quiet_move_before_the_repetition_does_not_help() -> None:
    assert end_of("minishogi", "4k/5/5/2R2/K4 b - 1", ["3d2d", "1a1b", "2d2e", "1b1a", *(BLACK_CHECKS[1] * 3)]) == (
        16,
        WHITE,
        "perpetual_check",
    )


def test_minishogi_has_no_limit_of_length() -> None:
    assert end_of("minishogi", "rbsgk/4p/5/P4/KGSBR b - 999", ["1e1d"]) is None


# ---- minishogi-codingame: the 3rd occurrence, 300 plies --------------------------------------------------------------


def test_codingame_third_occurrence_is_blacks_loss() -> None:
    assert end_of("minishogi-codingame", None, QUIET_CYCLE * 2) == (8, WHITE, "repetition")


@pytest.mark.parametrize(("sfen", "cycle"), [BLACK_CHECKS, WHITE_CHECKS])
def test_codingame_side_in_check_wins(sfen: str, cycle: list[str]) -> None:
    checker, first = "bw".index(sfen.split()[1]), Position("minishogi-codingame", sfen)
    first.push(cycle[0])
    shifted = cycle[1:] + cycle[:1]
    assert end_of("minishogi-codingame", first.sfen(), shifted * 2) == (8, 1 - checker, "perpetual_check")


@pytest.mark.parametrize(("sfen", "cycle"), [BLACK_CHECKS, WHITE_CHECKS])
def test_codingame_does_not_look_at_earlier_checks(sfen: str, cycle: list[str]) -> None:
    """Check that, with CodinGame's rules, only a check in the repeated position counts. Here, the side to move in the
    repeated position is the side that gives the checks, and it is not in check. So Black loses by the repetition."""
    assert end_of("minishogi-codingame", sfen, cycle * 2) == (8, WHITE, "repetition")


def test_codingame_a_check_in_the_position_is_enough() -> None:
    """Check that, with CodinGame's rules, a side that is in check in the repeated position wins, even if only half of
    its opponent's moves gave check. With the usual rules, Black loses by the repetition."""
    cycle = ["1a2a", "1e3e", "2a1a", "3e1e"]
    assert end_of("minishogi-codingame", "4k/5/5/5/K3R w - 1", cycle * 2) == (8, WHITE, "perpetual_check")
    assert end_of("minishogi", "4k/5/5/5/K3R w - 1", cycle * 3) == (12, WHITE, "repetition")
    mirrored = ["5e4e", "5a3a", "4e5e", "3a5a"]
    assert end_of("minishogi-codingame", "r3k/5/5/5/K4 b - 1", mirrored * 2) == (8, BLACK, "perpetual_check")
    assert end_of("minishogi", "r3k/5/5/5/K4 b - 1", mirrored * 3) == (12, WHITE, "repetition")


def test_codingame_draw_after_300_plies() -> None:
    sfen = "rbsgk/4p/5/P4/KGSBR b - 299"
    assert end_of("minishogi-codingame", sfen, ["1e1d"]) is None
    assert end_of("minishogi-codingame", sfen, ["1e1d", "5a5b"]) == (2, None, "max_plies")
    assert end_of("minishogi-codingame", "rbsgk/4p/5/P4/KGSBR b - 301", []) == (0, None, "max_plies")


def test_codingame_mate_stalemate_and_repetition_on_ply_300_count() -> None:
    mate, stalemate = "4k/5/3GG/5/K4 b - 300", "4k/5/4G/5/K1R2 b - 300"
    assert end_of("minishogi-codingame", mate, ["1c1b"]) == (1, BLACK, "checkmate")
    assert end_of("minishogi-codingame", stalemate, ["3e2e"]) == (1, BLACK, "stalemate")
    sfen = "rbsgk/4p/5/P4/KGSBR b - 293"
    assert end_of("minishogi-codingame", sfen, QUIET_CYCLE * 2) == (8, WHITE, "repetition")


# ---- no legal move ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["minishogi", "minishogi-codingame"])
@pytest.mark.parametrize(
    ("sfen", "winner", "reason"),
    [
        ("4k/4G/4G/5/K4 w - 1", BLACK, "checkmate"),
        ("4k/5/g4/g4/K4 b - 1", WHITE, "checkmate"),
        ("4k/5/4G/5/K2R1 w - 1", BLACK, "stalemate"),
        ("1r2k/5/g4/5/K4 b - 1", WHITE, "stalemate"),
        ("4k/4P/4G/3R1/K4 w p 1", BLACK, "checkmate"),  # the pawn in hand cannot be dropped to block a check by a pawn
    ],
)
def test_without_a_legal_move_the_game_is_lost(variant: str, sfen: str, winner: int, reason: str) -> None:
    assert end_of(variant, sfen, []) == (0, winner, reason)


def test_a_pawn_may_be_dropped_to_stalemate() -> None:
    assert end_of("minishogi", "4k/5/5/5/K2R1 b P 1", ["P*1c"]) == (1, BLACK, "stalemate")


# ---- long games ------------------------------------------------------------------------------------------------------

STARTS = (
    oracle.MINISHOGI.start,
    BLACK_CHECKS[0],
    WHITE_CHECKS[0],
    "4k/5/5/5/K3R w - 1",
    "r3k/5/5/5/K4 b - 1",
    "2k2/5/1B1r1/5/2K2 b - 1",
    "4k/5/2b2/5/K2R1 b Gg 1",
    "rbsgk/4p/5/P4/KGSBR b - 285",
    "4k/1+r3/5/3+R1/K4 w - 280",
)


def next_move(rng: random.Random, position: Position) -> str:
    """Return a random move. The move often returns a piece to its previous square or gives check, so that positions are
    repeated."""
    moves = sorted(position.legal_moves())
    played = position.moves
    if len(played) >= 4 and rng.random() < 0.5 and played[-4] in moves:
        return played[-4]
    if len(played) >= 2 and rng.random() < 0.5:
        back = played[-2][2:4] + played[-2][:2]
        if back in moves:
            return back
    if rng.random() < 0.5:
        position_after = {usi: position.copy() for usi in moves}
        for usi, after in position_after.items():
            after.push(usi)
        checks = [usi for usi, after in position_after.items() if after.in_check]
        if checks:
            return rng.choice(checks)
    calm = [usi for usi in moves if not usi.endswith("+") and "*" not in usi]
    return rng.choice(calm or moves)


def long_game(rng: random.Random, variant: str, start: str) -> Position:
    """Play a random game to its end or for 300 plies, and return its last position. Check the outcome after each ply
    with the reference rules."""
    position, game = Position(variant, start), oracle.Game(oracle.RULES[variant], start)
    for _ in range(300):
        outcome, expected = position.outcome(), game.outcome()
        found = None if outcome is None else (outcome.winner, outcome.reason)
        assert found == expected, f"{variant} {start} moves {' '.join(position.moves)}"
        if outcome is not None:
            break
        usi = next_move(rng, position)
        position.push(usi)
        game.push(usi)
    return position


@pytest.mark.long
@pytest.mark.parametrize("variant", ["minishogi", "minishogi-codingame"])
def test_long_games_end_by_the_reference_rules(variant: str) -> None:
    rng, ends = random.Random(99), Counter[tuple[int | None, str]]()
    for i in range(count(270, 90)):
        outcome = long_game(rng, variant, STARTS[i % len(STARTS)]).outcome()
        if outcome is not None:
            ends[outcome.winner, outcome.reason] += 1
    wanted: set[tuple[int | None, str]] = {
        (WHITE, "repetition"),
        (WHITE, "perpetual_check"),
        (BLACK, "perpetual_check"),
    }
    if variant == "minishogi-codingame":
        wanted.add((None, "max_plies"))
    assert all(ends[end] >= count(5, 1) for end in wanted), ends
    assert sum(ends.values()) >= count(200, 60), ends


@pytest.mark.parametrize("variant", mostly_long(["minishogi", "minishogi-codingame"], "minishogi-codingame"))
def test_repetitions_end_like_in_pyffish(variant: str) -> None:
    rng, compared = random.Random(5), 0
    for i in range(count(27, 9)):
        position = long_game(rng, variant, STARTS[i % len(STARTS)])
        outcome = position.outcome()
        if len(position.moves) > 60 or outcome is None:
            continue
        verdict = referee.judge(position.moves, position.start_sfen, variant)
        assert verdict is not None
        assert (verdict.winner, verdict.plies) == (outcome.winner, len(position.moves)), position.moves
        compared += 1
    assert compared >= count(15, 4)
