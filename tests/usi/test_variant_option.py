"""Every variant of shogi over USI: chosen by the option or by an SFEN, played legally, and with repeatable node
counts."""

from __future__ import annotations

import random
import re
import subprocess
from collections.abc import Iterator

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support.usi_client import ENGINE, ROOT, UsiClient, info_fields

GAMES = (
    *("shogi", "minishogi", "minishogi-codingame", "judkins", "gorogoro"),
    *("micro", "kyoto", "dobutsu", "generals"),
)
STARTS = {variant: oracle.RULES[variant].start for variant in GAMES}
POSITIONS = 10  # per variant, from random games of at most LONGEST plies
LONGEST = 60


@pytest.fixture(scope="module")
def shared() -> Iterator[UsiClient]:
    """Yield an engine that all tests share, with the libraries for large and small boards loaded."""
    with UsiClient(variant=None).ready() as client:
        client.send("setoption name USI_Variant value minishogi")
        yield client.ready()
        assert client.errors() == ""


@pytest.fixture
def engine(shared: UsiClient) -> UsiClient:
    assert shared.answer("stop", "setoption name USI_Variant value shogi", "usinewgame") == []
    return shared


def perft_moves(engine: UsiClient) -> list[str]:
    """Return the legal moves that the engine lists for `go perft 1`."""
    engine.send("go perft 1")
    lines = engine.read_until("Nodes searched: ")
    engine.read_until("")
    return sorted(line.removesuffix(": 1") for line in lines if line.endswith(": 1") and "Nodes" not in line)


def legal_moves(variant: str, sfen: str) -> dict[str, oracle.Position]:
    """Return the legal moves according to the reference rules, each with the position after the move. As in the
    engine's output, an unpromotion has a + at its end."""
    position = oracle.parse_sfen(oracle.RULES[variant], sfen)
    return {move.replace("-", "+"): after for move, after in oracle.legal_moves(position).items()}


def assert_line_is_legal(variant: str, sfen: str, moves: list[str]) -> None:
    """Assert that all moves of a line are legal according to the reference rules."""
    for move in moves:
        following = legal_moves(variant, sfen)
        assert move in following, (sfen, move)
        sfen = oracle.write_sfen(following[move])


@pytest.mark.parametrize("variant", GAMES)
def test_the_option_chooses_what_startpos_is(engine: UsiClient, variant: str) -> None:
    assert engine.answer(f"setoption name USI_Variant value {variant}", "position startpos") == []
    assert engine.sfen() == STARTS[variant]
    moves = perft_moves(engine)
    assert moves == sorted(legal_moves(variant, STARTS[variant]))
    infos, best = engine.go("nodes", 2000)
    assert best in moves
    for line in infos:
        assert_line_is_legal(variant, STARTS[variant], info_fields(line)["pv"].split())
    assert int(info_fields(infos[-1])["nodes"]) < 3100


@pytest.mark.parametrize("variant", GAMES)
def test_a_legal_move_in_any_position(engine: UsiClient, variant: str) -> None:
    engine.answer(f"setoption name USI_Variant value {variant}")
    rng, met = random.Random(10), 0
    while met < POSITIONS:
        position, look_at = Position(variant), rng.randrange(2, LONGEST)
        while len(position.moves) < look_at and position.outcome() is None:
            position.push(rng.choice(sorted(position.legal_moves())))
        if position.outcome() is not None:
            continue
        met += 1
        sfen, expected = position.sfen(), legal_moves(variant, position.sfen())
        engine.send(f"position startpos moves {' '.join(position.moves)}")
        assert engine.sfen() == sfen
        engine.send("go nodes 1000")
        words = engine.read_until("bestmove ")[-1].split()
        assert words[1] in expected, sfen
        if "ponder" in words:
            assert_line_is_legal(variant, sfen, [words[1], words[3]])


def test_games_change_within_a_session(engine: UsiClient) -> None:
    """Check that the variant can be changed in any order, and that a search does not depend on earlier searches in
    other variants."""
    first: dict[str, tuple[str, str]] = {}
    for variant in (*GAMES, *GAMES[::2], *GAMES[1::2], *GAMES):
        assert engine.answer(f"setoption name UCI_Variant value {variant}") == []
        assert engine.sfen() == STARTS[variant]
        infos, best = engine.go("depth", 5)
        found = best, info_fields(infos[-1])["nodes"]
        assert first.setdefault(variant, found) == found


def test_another_game_begins_anew_and_the_same_one_goes_on(engine: UsiClient) -> None:
    engine.answer("position startpos moves 7g7f")
    after = engine.sfen()
    assert after.split()[1] == "w"
    engine.answer("setoption name USI_Variant value shogi")
    assert engine.sfen() == after
    engine.answer("setoption name USI_Variant value kyoto", "setoption name USI_Variant value shogi")
    assert engine.sfen() == STARTS["shogi"]


@pytest.mark.parametrize(
    ("chosen", "sfen", "played"),
    [
        *(("minishogi", sfen, variant) for variant, sfen in STARTS.items() if variant != "minishogi-codingame"),
        *(("shogi", sfen, variant) for variant, sfen in STARTS.items() if variant != "minishogi-codingame"),
        ("kyoto", STARTS["minishogi"], "minishogi"),
        ("generals", STARTS["judkins"], "judkins"),
        ("judkins", STARTS["generals"], "generals"),
        ("judkins", "ygcksr/pppppp/6/6/PPPPPP/RSVCKX b H 1", "generals"),
        # If several variants fit the board, the chosen variant is kept if it is one of them. Otherwise, the first one
        # in the list is chosen.
        ("minishogi", "4k/1P3/5/5/K4 b - 1", "minishogi"),
        ("kyoto", "4k/1P3/5/5/K4 b - 1", "kyoto"),
        ("shogi", "4k/1P3/5/5/K4 b - 1", "minishogi"),
        ("judkins", "5k/6/1P4/6/6/K5 b SP 1", "judkins"),
        ("generals", "5k/6/1P4/6/6/K5 b SP 1", "generals"),
        ("shogi", "5k/6/1P4/6/6/K5 b SP 1", "judkins"),
    ],
)
def test_an_sfen_says_which_game_it_is(engine: UsiClient, chosen: str, sfen: str, played: str) -> None:
    assert engine.answer(f"setoption name USI_Variant value {chosen}", f"position sfen {sfen}") == []
    assert engine.sfen() == sfen
    moves = perft_moves(engine)
    assert moves == sorted(legal_moves(played, sfen))
    assert engine.go("nodes", 500)[1] in moves
    engine.answer("position startpos")
    assert engine.sfen() == STARTS[chosen], "the option is unchanged"


def nodes_of(text: str) -> int:
    found = re.search(r"^Nodes searched: (\d+)$", text, re.MULTILINE)
    assert found, text
    return int(found.group(1))


@pytest.mark.parametrize("variant", GAMES)
def test_bench_counts_the_same_nodes_again(engine: UsiClient, variant: str) -> None:
    """Check that the bench of the chosen variant always has the same node count, even after other searches, after
    searches in another variant, and after `usinewgame`."""
    depth, counts = 5, set[int]()
    for lines in ((), ("usinewgame",), ("position startpos", "go nodes 3000")):
        engine.answer(f"setoption name USI_Variant value {variant}")
        engine.send(*lines)
        if lines[-1:] == ("go nodes 3000",):
            engine.read_until("bestmove ")
        engine.send(f"bench {depth}")
        lines_of_it = engine.read_until("Nodes/second")
        counts.add(nodes_of("\n".join(lines_of_it)))
        engine.answer("setoption name USI_Variant value dobutsu", "position startpos")
        engine.go("nodes", 1000)
    assert len(counts) == 1 and min(counts) > 100


@pytest.mark.parametrize("variant", ["shogi", "kyoto"])
def test_bench_of_a_game_on_the_command_line(engine: UsiClient, variant: str) -> None:
    engine.answer(f"setoption name USI_Variant value {variant}")
    engine.send("bench 4")
    inside = nodes_of("\n".join(engine.read_until("Nodes/second")))
    done = subprocess.run([*ENGINE, "bench", "4", variant], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert nodes_of(done.stdout) == inside
