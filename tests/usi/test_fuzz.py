"""Tests that send random lines to one engine process, which then plays a game."""

from __future__ import annotations

import time

import pytest

from support import referee
from support.fuzz.judge import Judge, Wrong, converse
from support.fuzz.lines import START
from support.scope import count
from support.usi_client import UsiClient

pytestmark = pytest.mark.slow

LINES = count(20_000, 4_000)


def test_fuzz_then_play(seed: int) -> None:
    """Check that the engine answers random lines correctly, and can then still play a game. A failure of this test
    shows the seed of the random lines. If this seed is given with `--seed`, this test and `benchmarks/fuzz_usi.py` send
    the same lines again."""
    with UsiClient().ready() as client:
        judge = converse(client, LINES, seed)
        assert judge.moves == judge.searches > LINES / 100
        assert client.process.poll() is None
        assert client.errors() == ""
        play_a_game(client)


LOSING = "4k/5/5/3rr/K4 b - 1"  # Black has legal moves, but its score is very low


@pytest.mark.parametrize(("at_go", "later"), [(100, 99999), (99999, 100)])
def test_a_search_resigns_by_the_value_at_go(at_go: int, later: int) -> None:
    """Check that a search uses the ResignValue that was set before `go`, not one that is set later. `Judge`, which
    checks the engine's answers, must expect the same."""
    judge = Judge("minishogi")
    with UsiClient().ready() as client:
        for line in (
            f"position sfen {LOSING}",
            f"setoption name ResignValue value {at_go}",
            "go ponder",
            f"setoption name ResignValue value {later}",
        ):
            judge.judge(line.encode(), client.answer(line))
        time.sleep(0.2)  # enough for several depths, all with a low score
        client.send("stop")
        said = client.read_until("bestmove ")
        assert (said[-1] == "bestmove resign") == (at_go == 100)
        judge.judge(b"stop", said)
        with pytest.raises(Wrong, match="resign"):
            wrong = Judge("minishogi")
            wrong.judge(b"go", [])
            wrong.judge(b"setoption name ResignValue value 100", [])
            wrong.judge(b"stop", ["bestmove resign"])


def play_a_game(client: UsiClient) -> None:
    """Let the engine play against itself until the game ends or has 150 plies. Assert that all moves are legal."""
    client.send("usi")
    for line in client.read_until("usiok"):
        if " default " in line:
            words = line.split()
            client.send(f"setoption name {words[2]} value {words[words.index('default') + 1]}")
    assert client.answer("setoption name USI_Variant value minishogi", "usinewgame") == []
    game, played = referee.Game(START), list[str]()
    while len(played) < 150:
        client.send("position startpos moves " + " ".join(played))
        infos, move = client.go("nodes", 2000)
        assert infos
        if move == "resign":
            assert game.verdict() is not None
            break
        verdict = game.play(move)
        assert verdict is None or verdict.reason not in ("illegal_move", "pawn_drop_mate"), (played, move)
        played.append(move)
        if verdict is not None:
            break
    assert len(played) > 5
