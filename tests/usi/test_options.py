"""Options that other engines also have: Kogoma uses those that it supports, and accepts the others without an error."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from kogoma.rules.position import new_position
from kogoma.rules.variants import ALIASES, VARIANTS
from kogoma.search.levels import LEVELS, STRONGEST, WEAKEST, level_of, levels_of
from kogoma.search.limited_strength import MIN_LINES
from support import referee
from support.lab_runs import read_games, run
from support.usi_client import UsiClient, info_fields

pytestmark = pytest.mark.slow

START = "rbsgk/4p/5/P4/KGSBR b - 1"
MIDDLE_GAME = "r3k/1sbg1/5/PG1Sp/KR1B1 w - 34"


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    with UsiClient().ready() as client:
        yield client
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    """Return an engine that all tests share, with default options, in the start position of minishogi."""
    shared.send("stop", "usi")
    defaults = [line.split() for line in shared.read_until("usiok") if " default " in line]
    lines = [f"setoption name {words[2]} value {words[words.index('default') + 1]}" for words in defaults]
    last = ("setoption name USI_Variant value minishogi", "usinewgame", "position startpos")
    assert shared.answer(*lines, *last) == []
    return shared


def set_options(engine: UsiClient, **values: object) -> None:
    lines = [f"setoption name {name} value {str(value).lower()}" for name, value in values.items()]
    assert engine.answer(*lines) == []


# ---- Options that GUIs set by themselves -----------------------------------------------------------------------------

WORKING = (
    *("PvInterval value 300", "ConsiderationMode value true", "OutputFailLHPV value false", "NodesLimit value 0"),
    *("DepthLimit value 0", "NetworkDelay2 value 1120", "RoundUpToFullSecond value true", "Clear Hash", "Clear_Hash"),
    *("USI_LimitStrength value false", "USI_Elo value 500", "UCI_Elo value 600", "Hash value 16", "Ponder value true"),
    *("USI_AnalyseMode value true", "USI_ShowCurrLine value true", "USI_ShowRefutations value false"),
    *("USI_OwnBook value true", "BookFile value no_book", "BookFile", "BookMoves value 16", "BookEvalDiff value 30"),
)
WITHOUT_MEANING = (
    *("BookDir value book", "UCI_AnalyseMode value true", "ConsiderBookMoveCount value true"),
    *("GenerateAllLegalMoves value false", "Stochastic_Ponder value true", "EvalDir value eval", "Contempt value 2"),
    *("Skill Level value 20", "NarrowBook value false"),
)


def test_no_option_that_guis_set_is_an_error(engine: UsiClient) -> None:
    for option in WORKING:
        assert engine.answer(f"setoption name {option}") == [], option
    for option in WITHOUT_MEANING:
        answer = engine.answer(f"setoption name {option}")
        assert len(answer) == 1 and answer[0].startswith("info string setoption: "), option
        assert "error" not in answer[0]


# ---- Limits and lines ------------------------------------------------------------------------------------------------


def test_limits_of_nodes_and_depth(engine: UsiClient) -> None:
    set_options(engine, NodesLimit=2000)
    for go in ("byoyomi 30000", "nodes 1000000", "movetime 30000 depth 90"):
        infos, _ = engine.go(go)
        assert int(info_fields(infos[-1])["nodes"]) < 3100
    assert int(info_fields(engine.go("nodes 500")[0][-1])["nodes"]) < 1000, "the smaller limit counts"
    set_options(engine, NodesLimit=0, DepthLimit=3)
    for go in ("byoyomi 30000", "depth 9"):
        infos, _ = engine.go(go)
        assert info_fields(infos[-1])["depth"] == "3"
    set_options(engine, NodesLimit=2_000_000_000, DepthLimit=0)
    assert engine.cost("go wtime 1000")[0].worked < 5, (
        "without the clock of the side to move, the search ends long before the limit"
    )
    set_options(engine, NodesLimit=0, DepthLimit=3)
    engine.send("go infinite")
    engine.read_until("info depth 3 ")
    assert not any(line.startswith("bestmove") for line in engine.answer())
    engine.send("stop")
    engine.read_until("bestmove ")


def test_lines_keep_their_distance(engine: UsiClient) -> None:
    set_options(engine, PvInterval=100000)
    infos, _ = engine.go("nodes", 20000)
    assert len(infos) == 1 and int(info_fields(infos[0])["depth"]) > 5
    set_options(engine, ConsiderationMode=True)
    assert len(engine.go("nodes", 20000)[0]) > 5
    set_options(engine, ConsiderationMode=False, PvInterval=100, MultiPV=3)
    infos, _ = engine.go("movetime", 350)
    assert len(infos) % 3 == 0
    times = [int(info_fields(line)["time"]) for line in infos[:-3:3]]
    assert all(later - earlier >= 90 for earlier, later in zip([0, *times], times, strict=False))


def test_bounds_are_shown_unless_switched_off(engine: UsiClient) -> None:
    bounds = []
    for wanted in (True, False):
        set_options(engine, OutputFailLHPV=wanted)
        engine.send("usinewgame", f"position sfen {MIDDLE_GAME}")
        bounds.append(sum("bound" in line for line in engine.go("nodes", 50000)[0]))
    assert bounds[0] > 0 and bounds[1] == 0


def test_clear_hash_forgets(engine: UsiClient) -> None:
    first = info_fields(engine.go("depth", 7)[0][-1])["nodes"]
    assert info_fields(engine.go("depth", 7)[0][-1])["nodes"] != first
    for name in ("Clear Hash", "clear_hash"):
        assert engine.answer(f"setoption name {name}") == []
        assert info_fields(engine.go("depth", 7)[0][-1])["nodes"] == first


# ---- Clocks ----------------------------------------------------------------------------------------------------------


@pytest.mark.clock
def test_the_maximum_delay_is_left_unused_if_the_flag_may_fall(engine: UsiClient) -> None:
    set_options(engine, NetworkDelay2=1700)
    assert engine.cost("go byoyomi 2000")[0].worked < 1
    assert engine.cost("go btime 1900 wtime 1900")[0].worked < 1
    set_options(engine, NetworkDelay2=300)
    assert engine.cost("go movetime 500")[0].elapsed > 0.4, "the flag cannot fall"


@pytest.mark.clock
def test_the_started_second_is_used_up_if_clocks_count_seconds(engine: UsiClient) -> None:
    set_options(engine, RoundUpToFullSecond=True)
    used = engine.cost("go btime 9000 wtime 9000")[0]
    assert used.elapsed > 0.9 and (used.elapsed + 0.1) % 1 < 0.7, used
    assert used.worked < 3.1, "a move takes at most a third of the clock"
    assert engine.cost("go movetime 300")[0].worked < 0.5


# ---- Names of variants -----------------------------------------------------------------------------------------------


@cache
def fairy_perft(variant: str, fen: str, depth: int) -> int:
    pyffish = referee.pyffish()
    moves = pyffish.legal_moves(variant, fen, [])
    if depth == 1:
        return len(moves)
    return sum(fairy_perft(variant, pyffish.get_fen(variant, fen, [move]), depth - 1) for move in moves)


def test_fairy_stockfishs_names_of_variants_are_understood(engine: UsiClient) -> None:
    """Check that each variant name that Kogoma and Fairy-Stockfish share means the same variant in both programs. The
    two programs must have equal perft counts for this name."""
    theirs = referee.pyffish().variants()
    names = [name for name in (*ALIASES, *VARIANTS) if name in theirs and name != "shogi"]
    assert {"kyotoshogi", "mini", "minishogi", "micro", "dobutsu", "gorogoro", "judkins"} <= set(names)
    for name in names:
        engine.send(f"setoption name UCI_Variant value {name}", "position startpos", "go perft 2")
        nodes = engine.read_until("Nodes searched: ")[-1].split()[-1]
        engine.read_until("")
        assert int(nodes) == fairy_perft(name, referee.pyffish().start_fen(name), 2), name
    assert engine.errors_for("setoption name USI_Variant value gorogoroplus") != []


# ---- Limited strength ------------------------------------------------------------------------------------------------


def weakly(engine: UsiClient, elo: int, seed: int, moves: int = 12) -> list[str]:
    """Return the moves that the engine, with limited strength, chooses in several searches of the start position."""
    set_options(engine, USI_LimitStrength=True, USI_Elo=elo, StrengthSeed=seed)
    engine.answer("usinewgame", "position startpos")
    return [engine.go("btime 60000 wtime 60000")[1] for _ in range(moves)]


def test_a_weak_player_errs_and_repeats_its_errors_with_a_seed(engine: UsiClient) -> None:
    legal = set(referee.legal_moves(START))
    weakest, again = weakly(engine, WEAKEST, 7), weakly(engine, WEAKEST, 7)
    assert weakest == again and set(weakest) <= legal and len(set(weakest)) > 5
    assert weakly(engine, WEAKEST, 8) != weakest
    assert weakly(engine, WEAKEST, 0) != weakly(engine, WEAKEST, 0)
    middle = weakly(engine, LEVELS[5].elo, 7)
    assert len(set(middle)) < len(set(weakest))
    (best,) = weakly(engine, STRONGEST, 7, 1)
    set_options(engine, USI_LimitStrength=False, MultiPV=MIN_LINES)
    engine.answer("usinewgame", "position startpos")
    infos, _ = engine.go("nodes", LEVELS[-1].nodes)
    assert best in {info_fields(line)["pv"].split()[0] for line in infos}, "the strongest level makes only small errors"


@pytest.mark.clock
def test_a_limited_search_is_small_and_shows_what_was_asked_for(engine: UsiClient) -> None:
    level = LEVELS[5]
    set_options(engine, USI_LimitStrength=True, USI_Elo=level.elo, Threads=2)
    infos, _ = engine.go("btime 60000 wtime 60000")
    assert infos and not any("multipv" in line for line in infos)
    assert int(info_fields(infos[-1])["nodes"]) <= level.nodes + 1100
    assert engine.cost("go ponder btime 60000 wtime 60000", "ponderhit")[0].worked < 1
    engine.send("go infinite")
    assert int(info_fields(engine.read_until("info depth 10 ")[-1])["nodes"]) > level.nodes, (
        "an analysis is not limited"
    )
    engine.send("stop")
    engine.read_until("bestmove ")


def test_levels_by_number_are_those_of_the_elo(engine: UsiClient) -> None:
    for number in (1, 4, 8):
        expected = weakly(engine, LEVELS[number].elo, 7)
        set_options(engine, USI_LimitStrength=False, Level=number, StrengthSeed=7)
        engine.answer("usinewgame", "position startpos")
        assert [engine.go("btime 60000 wtime 60000")[1] for _ in expected] == expected
        set_options(engine, Level="full")
    answer = engine.answer("setoption name Level value 9")
    assert any("Level must be one of full, 1, 2, 3, 4, 5, 6, 7, 8" in line for line in answer)


def test_limited_strength_with_a_die(engine: UsiClient) -> None:
    """Check searches after a roll of the die. With MultiPV 4, a search must report four lines. At a low level, the
    engine must choose among many moves, as in variants without a die."""
    set_options(engine, USI_Variant="dice", MultiPV=4)
    engine.answer("usinewgame", "position startpos")
    infos, best = engine.go("depth 3 dice 6")
    lines = [info_fields(line) for line in infos if info_fields(line)["depth"] == "3"]
    moves = [line["pv"].split()[0] for line in lines]
    assert [line["multipv"] for line in lines] == ["1", "2", "3", "4"] and len(set(moves)) == 4 and moves[0] == best
    values = [int(line["cp"]) for line in lines]
    assert values == sorted(values, reverse=True)
    set_options(engine, MultiPV=1)
    engine.answer("usinewgame", "position startpos")
    single = engine.go("depth 3 dice 6")
    assert single[1] == best and info_fields(single[0][-1])["cp"] == lines[0]["cp"]
    set_options(engine, Level=1, StrengthSeed=7)
    engine.answer("usinewgame", "position startpos")
    assert len({engine.go("btime 60000 wtime 60000 dice 6")[1] for _ in range(12)}) > 5


@pytest.mark.parametrize("name", ["minishogi", "dice", "dice-hyper", "dice-codingame"])
def test_between_two_levels(name: str) -> None:
    variant = VARIANTS[name]
    levels = levels_of(variant)
    assert [level.elo for level in levels] == [level.elo for level in LEVELS], (
        "the levels have the same Elo in all variants"
    )
    assert level_of(variant, WEAKEST) == levels[0] and level_of(variant, STRONGEST) == levels[-1]
    found = [level_of(variant, elo) for elo in range(WEAKEST, STRONGEST + 1)]
    assert [level.elo for level in found] == [*range(WEAKEST, STRONGEST + 1)]
    assert all(weaker.nodes <= stronger.nodes for weaker, stronger in itertools.pairwise(found))
    assert all(weaker.noise >= stronger.noise for weaker, stronger in itertools.pairwise(found))


@pytest.mark.long
@pytest.mark.parametrize("elo", [2640, STRONGEST])
def test_games_differ_near_full_strength(elo: int, tmp_path: Path) -> None:
    """Check that games from the start position differ if the strength is limited, even if only slightly. All searches
    have the same node limit."""
    limited = f"-each nodes=1000000 option.USI_LimitStrength=true option.USI_Elo={elo} option.USI_Hash=16".split()
    flags = "-engine name=a -engine name=b -openings file=start -repeat 1 -games 4 -maxmoves 30 -out m.jsonl".split()
    done = run("match", *flags, *limited, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    games = read_games(tmp_path / "m.jsonl")
    assert len({tuple(game["moves"]) for game in games}) >= 3


@pytest.mark.long
def test_more_elo_wins(engine: UsiClient) -> None:
    """Check that the stronger of two levels wins a match of eight games, four with each colour. In measurements, the
    weaker level scored hardly a point."""
    weak, strong, points = LEVELS[1].elo, LEVELS[4].elo, 0
    rng = random.Random(3)
    for number in range(8):
        game, outcome = new_position("minishogi"), None
        game.push(rng.choice(sorted(game.legal_moves())))
        set_options(engine, USI_LimitStrength=True, StrengthSeed=number + 1)
        engine.answer("usinewgame")
        while outcome is None and len(game.moves) < 200:
            elo = strong if game.turn == number % 2 else weak
            set_options(engine, USI_Elo=elo)
            engine.send(f"position startpos moves {' '.join(game.moves)}")
            game.push(engine.go("btime 60000 wtime 60000")[1])
            outcome = game.outcome()
        points += outcome is not None and outcome.winner == number % 2
    assert points >= 7
