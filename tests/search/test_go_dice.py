"""Dice-Shogi over USI: rolls in `go` commands, stops, pondering, and invalid rolls."""

from __future__ import annotations

from typing import Any

import pytest

from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position
from support.usi_client import UsiClient, info_fields

START = "rbsgk/4p/5/P4/KGSBR b - 1"


@pytest.fixture(scope="module")
def client() -> Any:
    with UsiClient() as usi:
        usi.send("setoption name USI_Variant value dice")
        yield usi.ready()


def test_go_dice(client: UsiClient) -> None:
    client.send(f"position sfen {START}")
    for roll in range(1, 7):
        lines, best = client.go("dice", roll, "depth", 4)
        assert best in allowed(Position("dice"), roll)
        info = info_fields([line for line in lines if " score " in line][-1])
        assert info["depth"] == "4" and "cp" in info and info["pv"].split()[0] == best
    lines, best = client.go("depth", 4)
    assert best in Position("dice").legal_moves()
    _, best = client.go("dice", 4, "searchmoves", "5e4d", "movetime", 50)
    assert best == "5e4d"


def test_go_dice_stops_and_ponders(client: UsiClient) -> None:
    client.send("position startpos", "go infinite dice 2")
    client.read_until("info depth")
    client.send("stop")
    assert client.read_until("bestmove")[-1].split() == ["bestmove", "3e2d"]
    client.send("go ponder btime 1000 wtime 1000")
    client.send("ponderhit")
    assert client.read_until("bestmove")[-1].split()[1] in Position("dice").legal_moves()


@pytest.mark.parametrize("words", ["dice", "dice 0", "dice 7", "dice x", "dice 3 searchmoves 5e4d"])
def test_an_invalid_roll_is_reported_and_go_is_answered(client: UsiClient, words: str) -> None:
    client.send("position startpos")
    lines, best = client.go(words, "depth", 1)
    assert any(line.startswith("info string ") for line in lines), lines
    assert best in Position("dice").legal_moves()


def test_a_roll_without_a_die_is_ignored(client: UsiClient) -> None:
    client.send("setoption name USI_Variant value minishogi", "position startpos")
    lines, best = client.go("dice", 3, "depth", 1)
    assert any("dice" in line for line in lines if line.startswith("info string ")), lines
    assert best in Position("minishogi").legal_moves()
    client.send("setoption name USI_Variant value dice")
