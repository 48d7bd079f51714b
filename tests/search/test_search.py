"""Tests of searches: limits, repeatable node counts, legal variations, repetition, and the maximum length of games."""

from __future__ import annotations

import random

import pytest

import kogoma
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import VARIANTS, find
from kogoma.search.limits import Limits, SearchOptions
from kogoma.search.search import Info, Result
from kogoma.search.searcher import Searcher
from oracles import shogi as oracle
from support.samples import Sample
from support.usi_client import UsiClient, info_fields

pytestmark = pytest.mark.slow

START = "rbsgk/4p/5/P4/KGSBR b - 1"
MIDDLE = "1r2k/2sgp/5/PGB2/K1S1R b b 11"
BLACK, WHITE = 0, 1
RULE_LOSS = 29_000  # centipawns; a score beyond it is a loss or a win by the rules, not an evaluation


@pytest.fixture(scope="module")
def searcher() -> Searcher:
    """Return a searcher that all tests share. Table entries that one test has stored must not affect the results of
    another test."""
    return Searcher(hash_mb=16, threads=1)


def played(variant: str, sfen: str | None, moves: list[str]) -> Position:
    """Return the position after the moves. Fail if the game ends before the last move."""
    position = Position(variant, sfen)
    for move in moves:
        assert position.outcome() is None, f"the game is over before {move}"
        position.push(move)
    return position


# ---- Repetition ------------------------------------------------------------------------------------------------------

QUIET = "rbsgk/4p/5/P4/KGSBR b - 1", ["1e1d", "5a5b", "1d1e", "5b5a"]
BLACK_CHECKS = "4k/5/5/5/K2R1 b - 1", ["2e1e", "1a2a", "1e2e", "2a1a"]
WHITE_CHECKS = "1r2k/5/5/5/K4 w - 1", ["4a5a", "5e4e", "5a4a", "4e5e"]
BOTH_QUIET_WHITE_FIRST = "rbsgk/4p/5/P4/KGSBR w - 1", ["5a5b", "1e1d", "5b5a", "1d1e"]

# Each line has the variant, the number of occurrences of a position that ends the game, the game (its start position
# and a cycle of moves), the result for the side that makes the last move (1 or -1), and the reason for the result. The
# last move brings the start position back for the last time.
LAST_MOVES = [
    ("minishogi", 4, QUIET, 1, "White repeats, Black loses"),
    ("minishogi", 4, BOTH_QUIET_WHITE_FIRST, -1, "Black repeats and loses"),
    ("minishogi", 4, BLACK_CHECKS, 1, "Black has given perpetual check"),
    ("minishogi", 4, WHITE_CHECKS, 1, "White has given perpetual check"),
    ("minishogi-codingame", 3, QUIET, 1, "White repeats, Black loses"),
    ("minishogi-codingame", 3, BOTH_QUIET_WHITE_FIRST, -1, "Black repeats and loses"),
    ("minishogi-codingame", 3, WHITE_CHECKS, -1, "Black repeats, and is not the one in check"),
]

# Games in which the position after a check is repeated. Each line has the start position, the moves before the cycle of
# moves, the cycle, and the side that gives perpetual check.
AFTER_CHECKS = [
    ("4k/5/5/5/K1R2 b - 1", ["3e1e"], ["1a2a", "1e2e", "2a1a", "2e1e"], "Black checks for ever"),
    ("2r1k/5/5/5/K4 w - 1", ["3a5a"], ["5e4e", "5a4a", "4e5e", "4a5a"], "White checks for ever"),
]


def worth_of(searcher: Searcher, position: Position, move: str, depth: int) -> tuple[str, int]:
    """Return the kind and the value of a move's score, for the side that makes the move."""
    searcher.new_game()
    result = searcher.search(position, Limits(depth=depth, searchmoves=(move,)))
    assert result.best == move
    return result.score_kind, result.score


@pytest.mark.parametrize("depth", [1, 6])
@pytest.mark.parametrize(("variant", "fold", "game", "sign", "why"), LAST_MOVES)
def test_last_repetition_is_scored_by_the_rule(
    searcher: Searcher, variant: str, fold: int, game: tuple[str, list[str]], sign: int, why: str, depth: int
) -> None:
    sfen, cycle = game
    position = played(variant, sfen, (cycle * fold)[: 4 * (fold - 1) - 1])
    kind, score = worth_of(searcher, position, cycle[-1], depth)
    assert kind == "cp" and sign * score > RULE_LOSS, why
    mover = position.turn
    position.push(cycle[-1])
    outcome = position.outcome()
    assert outcome is not None and (outcome.winner == mover) == (sign > 0), why


@pytest.mark.parametrize(("variant", "fold"), [("minishogi", 4), ("minishogi-codingame", 3)])
@pytest.mark.parametrize(("sfen", "before", "cycle", "why"), AFTER_CHECKS)
def test_the_side_that_gives_perpetual_check_loses(
    searcher: Searcher, variant: str, fold: int, sfen: str, before: list[str], cycle: list[str], why: str
) -> None:
    position = played(variant, sfen, before + (cycle * fold)[: 4 * (fold - 1) - 1])
    assert position.outcome() is None
    kind, score = worth_of(searcher, position, cycle[-1], 4)
    assert kind == "cp" and score < -RULE_LOSS, why


@pytest.mark.parametrize(("variant", "fold"), [("minishogi", 4), ("minishogi-codingame", 3)])
@pytest.mark.parametrize("game", [QUIET, BOTH_QUIET_WHITE_FIRST])
def test_an_earlier_repetition_decides_nothing(
    searcher: Searcher, variant: str, fold: int, game: tuple[str, list[str]]
) -> None:
    sfen, cycle = game
    position = played(variant, sfen, (cycle * fold)[: 4 * (fold - 2) - 1])
    _, score = worth_of(searcher, position, cycle[-1], 1)
    assert abs(score) < 5_000


SMALL_WORLD = ("5a", "4a", "5b", "1e", "2e", "1d", "3c", "3b", "2c")


def test_scores_of_repetitions_in_random_games(searcher: Searcher) -> None:
    """Check that the score of a move that ends a game by repetition agrees with the game's outcome. In the random
    games, few pieces move on few squares, so that positions are often repeated."""
    rng, decided = random.Random(11), 0
    for number in range(120):
        variant = ("minishogi", "minishogi-codingame")[number % 2]
        position = Position(variant, ("k4/5/5/5/3RK b - 1", "kr3/5/5/5/4K w - 1", "k4/5/2S2/5/4K b - 1")[number % 3])
        for _ in range(90):
            moves = sorted(move for move in position.legal_moves() if move[2:4] in SMALL_WORLD)
            if not moves:
                break
            move = rng.choice(moves)
            mover = position.turn
            position.push(move)
            outcome = position.outcome()
            if outcome is None:
                continue
            if outcome.reason in ("repetition", "perpetual_check"):
                position.pop()
                kind, score = worth_of(searcher, position, move, 1)
                won = outcome.winner == mover
                assert kind == "cp" and (score > RULE_LOSS if won else score < -RULE_LOSS), (position.moves, move)
                decided += 1
            break
    assert decided > 40


# ---- The length of a game --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", "bw")
@pytest.mark.parametrize(("variant", "limit"), [("minishogi-codingame", 0), ("minishogi", 300)])
def test_the_last_ply_is_a_draw(searcher: Searcher, variant: str, limit: int, turn: str) -> None:
    """Check that the score is the draw value of the side to move if only one ply is left. Every move then ends the game
    as a draw."""
    position = Position(variant, f"1r2k/2sgp/5/PGB2/K1S1R {turn} b 300")
    for value in (0, -150, 70):
        black, white = (value, 999) if turn == "b" else (999, value)
        options = SearchOptions(draw_value_black=black, draw_value_white=white, max_moves_to_draw=limit)
        searcher.new_game()
        result = searcher.search(position, Limits(depth=5), options)
        assert (result.score_kind, result.score) == ("cp", value)


def test_without_a_limit_the_ply_number_does_not_matter(searcher: Searcher) -> None:
    results = []
    for number in (1, 300, 5000):
        searcher.new_game()
        result = searcher.search(Position("minishogi", f"1r2k/2sgp/5/PGB2/K1S1R b b {number}"), Limits(depth=8))
        results.append((result.best, result.score, result.nodes))
    assert len(set(results)) == 1


@pytest.mark.parametrize("variant", ["minishogi-codingame", "minishogi"])
def test_a_mate_on_the_last_ply_counts(searcher: Searcher, variant: str) -> None:
    for number in (298, 300):
        searcher.new_game()
        position = Position(variant, f"4k/5/4G/5/K2R1 b G {number}")
        result = searcher.search(position, Limits(depth=6), SearchOptions(max_moves_to_draw=300))
        assert (result.score_kind, result.score) == ("mate", 1), number


def test_the_search_foresees_the_last_ply(searcher: Searcher) -> None:
    """Check the score of a king and a gold against a king. If three plies are left, there is no time for a mate, and
    the score must be 0. If 60 plies are left, the score must not be 0."""
    for left, expected in ((3, True), (60, False)):
        searcher.new_game()
        position = Position("minishogi-codingame", f"4k/5/5/5/KG3 b - {301 - left}")
        result = searcher.search(position, Limits(depth=6))
        assert (result.score == 0) == expected, left


def test_max_moves_and_draw_value_over_usi() -> None:
    with UsiClient().ready() as client:
        client.answer("setoption name MaxMovesToDraw value 300", "setoption name DrawValueBlack value -77")
        client.answer("position sfen 1r2k/2sgp/5/PGB2/K1S1R b b 300")
        lines, _ = client.go("depth", 4)
        assert info_fields(lines[-1])["cp"] == "-77"


# ---- Reproducible nodes ----------------------------------------------------------------------------------------------


def test_one_thread_repeats_node_for_node(searcher: Searcher) -> None:
    seen: set[tuple[object, ...]] = set()
    for _ in range(3):
        searcher.new_game()
        infos: list[Info] = []
        result = searcher.search(Position("minishogi", MIDDLE), Limits(depth=12), report=infos.append)
        seen.add((result, tuple((info.depth, info.score, info.nodes, *info.pv) for info in infos)))
        searcher.search(Position("minishogi", START), Limits(depth=5))  # another search between two equal ones
    assert len(seen) == 1


def test_bench_repeats_within_a_process() -> None:
    with UsiClient().ready() as client:
        signatures = set()
        for _ in range(2):
            client.send("bench 8")
            signatures.add(client.read_until("Nodes searched: ")[-1])
            client.send("position startpos", "go depth 6")
            client.read_until("bestmove")
        assert len(signatures) == 1


# ---- Limits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("nodes", [100, 1_000, 54_321, 54_322, 100_000])
def test_node_limit_is_kept(searcher: Searcher, nodes: int) -> None:
    """Check that a search exceeds its node limit by at most eight nodes. The search enters these few nodes while it
    returns to the root."""
    position = Position("minishogi", MIDDLE)
    searcher.new_game()
    result = searcher.search(position, Limits(nodes=nodes))
    assert 0 <= result.nodes - nodes <= 8
    assert result.best in position.legal_moves()


def test_the_first_depth_is_finished_whatever_the_limit(searcher: Searcher) -> None:
    position = Position("minishogi", MIDDLE)
    result = searcher.search(position, Limits(nodes=1))
    assert result.depth == 1 and result.best in position.legal_moves()


@pytest.mark.parametrize("multipv", [1, 3])
@pytest.mark.parametrize("name", VARIANTS)
def test_the_result_has_the_last_exact_score(name: str, multipv: int) -> None:
    """Check that a search's result has the score and the depth of the last report with an exact score. If a limit stops
    an iteration, this iteration may have reported only bounds."""
    searcher = Searcher(hash_mb=4, variant=find(name))
    for nodes in (300, 1_000, 3_000, 10_000, 30_000):
        infos: list[Info] = []
        position = new_position(name)
        searcher.new_game()
        result = searcher.search(position, Limits(nodes=nodes), SearchOptions(multipv=multipv), infos.append)
        last = [info for info in infos if info.multipv == 1 and not info.bound][-1]
        assert (result.score_kind, result.score, result.depth) == (last.score_kind, last.score, last.depth), nodes


@pytest.mark.parametrize("nodes", [100_000, 500_000])
def test_usi_and_python_report_the_same_score(nodes: int) -> None:
    with UsiClient() as engine:
        engine.send("setoption name USI_Hash value 16")
        engine.ready()
        infos = [info_fields(line) for line in engine.go("nodes", nodes)[0] if " score " in line]
    with kogoma.Engine(hash_mb=16) as engine:
        score = engine.play(kogoma.Position("minishogi"), kogoma.Limits(nodes=nodes)).score
    exact = [info for info in infos if "bound" not in info]
    assert score == kogoma.Score(centipawns=int(exact[-1]["cp"])), infos[-1]


@pytest.mark.parametrize("depth", [1, 2, 7, 11])
def test_depth_limit_is_kept(searcher: Searcher, depth: int) -> None:
    depths: list[int] = []
    result = searcher.search(
        Position("minishogi", MIDDLE), Limits(depth=depth), report=lambda info: depths.append(info.depth)
    )
    assert result.depth == depth
    assert sorted(set(depths)) == list(range(1, depth + 1)) and depths == sorted(depths)


def test_stop_and_ponderhit_are_harmless_once_a_search_has_ended(searcher: Searcher) -> None:
    search = searcher.start(Position("minishogi"), Limits(depth=3))
    assert search.run().depth == 3
    search.stop()
    search.ponderhit()
    assert searcher.search(Position("minishogi"), Limits(depth=6)).depth == 6


def test_a_stop_before_the_start_leaves_one_depth(searcher: Searcher) -> None:
    search = searcher.start(Position("minishogi"), Limits(infinite=True))
    search.stop()
    assert search.run().depth == 1


def test_only_searchmoves_are_played(searcher: Searcher) -> None:
    position = Position("minishogi", MIDDLE)
    for move in position.legal_moves():
        assert searcher.search(position, Limits(depth=3, searchmoves=(move,))).best == move


# ---- Variations ------------------------------------------------------------------------------------------------------


def test_variations_are_legal_up_to_their_last_move(samples: list[Sample], searcher: Searcher) -> None:
    """Check that all moves of each reported principal variation are legal by the reference rules."""
    lengths = []
    for sample in samples[3::400]:
        if not sample.legal_moves:
            continue
        infos: list[Info] = []
        position = Position("minishogi", sample.sfen)
        result = searcher.search(position, Limits(depth=9), report=infos.append)
        for info in {tuple(info.pv): info for info in infos}.values():
            game = oracle.Game(oracle.MINISHOGI, sample.sfen)
            for move in info.pv:
                game.push(move)
            lengths.append(len(info.pv))
        last = infos[-1]
        assert last.pv[0] == result.best and last.pv[1:2] == [result.ponder] * (result.ponder is not None)
        assert (last.score_kind, last.score) == (result.score_kind, result.score)
        assert position.sfen() == sample.sfen, "a search must not change the position"
    assert sum(lengths) / len(lengths) > 3


def multipv_lines(searcher: Searcher, sfen: str, depth: int) -> tuple[Result, list[list[Info]]]:
    """Run a search for the five best moves. Return the search's result and, for each depth, the reports with exact
    scores."""
    infos: list[Info] = []
    searcher.new_game()
    result = searcher.search(Position("minishogi", sfen), Limits(depth=depth), SearchOptions(multipv=5), infos.append)
    exact = [info for info in infos if not info.bound]
    return result, [[info for info in exact if info.depth == number] for number in range(1, depth + 1)]


@pytest.mark.parametrize("sfen", [START, MIDDLE, "r3k/1sbg1/5/PG1Sp/KR1B1 w - 34"])
def test_multipv_lines_are_different_moves(searcher: Searcher, sfen: str) -> None:
    result, by_depth = multipv_lines(searcher, sfen, 10)
    legal = Position("minishogi", sfen).legal_moves()
    for lines in by_depth:
        assert [info.multipv for info in lines] == [1, 2, 3, 4, 5]
        assert len({info.pv[0] for info in lines}) == 5
        assert all(info.pv[0] in legal for info in lines)
    first = by_depth[-1][0]
    assert (first.pv[0], first.score_kind, first.score) == (result.best, result.score_kind, result.score)


def test_multipv_lines_are_in_the_order_of_their_scores(searcher: Searcher) -> None:
    for lines in multipv_lines(searcher, START, 12)[1]:
        scores = [info.score for info in lines]
        assert scores == sorted(scores, reverse=True)


def test_more_lines_than_moves(searcher: Searcher) -> None:
    position = Position("minishogi", "4k/5/5/4r/4K b - 1")
    infos: list[Info] = []
    searcher.search(position, Limits(depth=3), SearchOptions(multipv=50), infos.append)
    assert {info.pv[0] for info in infos if info.depth == 3} == set(position.legal_moves())


def test_no_legal_move_is_no_best_move(searcher: Searcher) -> None:
    result = searcher.search(Position("minishogi", "4k/4G/4G/5/K4 w - 1"), Limits(depth=5))
    assert (result.best, result.score_kind, result.score) == (None, "mate", 0)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_used_table_never_plays_an_illegal_move(samples: list[Sample], threads: int) -> None:
    """Check that the best move and the ponder move are legal even if the transposition table and the killer moves come
    from hundreds of other positions of two variants."""
    searcher = Searcher(hash_mb=1, threads=threads)
    for number, sample in enumerate(samples[1::50]):
        position = Position(("minishogi", "minishogi-codingame")[number // 100 % 2], sample.sfen)
        result = searcher.search(position, Limits(nodes=1_500))
        if sample.legal_moves:
            assert result.best in sample.legal_moves, sample.sfen
            if result.ponder is not None:
                position.push(result.best or "")
                assert result.ponder in position.legal_moves(), sample.sfen
        else:
            assert result.best is None


def test_two_threads_play_a_legal_game() -> None:
    searcher, position = Searcher(hash_mb=16, threads=2), Position("minishogi")
    while position.outcome() is None and len(position.moves) < 40:
        best = searcher.search(position, Limits(movetime=25)).best
        assert best in position.legal_moves()
        position.push(best)
    assert len(position.moves) > 8
