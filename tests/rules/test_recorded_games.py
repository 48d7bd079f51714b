"""Minishogi compared with records of CodinGame's referee: legal actions, and the ends of games."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from kogoma.rules.position import Position
from oracles import shogi as oracle
from support.scope import part

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
REASONS = {"repetition3": "repetition", "repetition3_in_check": "perpetual_check"}


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def to_usi(action: str) -> str:
    """Convert an action of the arena to USI notation: `4534+` -> `4e3d+`, `g*33` -> `G*3c`."""
    if action[1] == "*":
        return f"{action[0].upper()}*{action[2]}{'_abcde'[int(action[3])]}"
    return f"{action[0]}{'_abcde'[int(action[1])]}{action[2]}{'_abcde'[int(action[3])]}{action[4:]}"


def read_turn(lines: list[str], player: int) -> tuple[str, list[str]]:
    """Read the lines that the referee sends in a turn. Return the SFEN and the legal actions in USI notation."""
    board = re.sub(r"\.+", lambda empty: str(len(empty[0])), "/".join(lines[:5]))
    hands = (lines[5].upper() + lines[6].lower()).replace("-", "") or "-"
    actions = lines[9:]
    assert int(lines[8]) == len(actions)
    return f"{board} {'bw'[player]} {hands} 1", sorted(to_usi(action) for action in actions)


def outcome_of(record: dict[str, Any]) -> tuple[int | None, str]:
    """Return the winner of a recorded game, and the engine's name for the reason why the game ended."""
    winner = {(1, -1): 0, (-1, 1): 1, (0, 0): None}[tuple(record["scores"])]
    return winner, REASONS.get(record["reason"], record["reason"])


def turns() -> list[tuple[str, list[str], dict[str, Any]]]:
    """Return the SFEN, the legal actions and the record of every recorded turn."""
    found = []
    for record in records("minishogi_turns.jsonl"):
        lines = record["input"][2 * record["first"] :]  # the player's number and the size are sent only once
        found.append((*read_turn(lines, record["player"]), record))
    return found


def test_legal_moves_equal_the_referees() -> None:
    checked = turns()
    assert len(checked) == 400
    for sfen, actions, record in checked:
        position = Position("minishogi-codingame", sfen)
        assert sorted(position.legal_moves()) == actions, record
        assert position.in_check == record["in_check"], record
        assert position.key == Position("minishogi-codingame", record["sfen"]).key, record


def test_recorded_moves_can_be_played() -> None:
    for sfen, _, record in turns():
        position = Position("minishogi-codingame", sfen)
        position.push(to_usi(record["out"]))
        assert position.ply == 1 and position.turn == 1 - record["player"]


@pytest.mark.parametrize("first", range(0, 232, 29))
def test_games_end_like_the_referees(first: int) -> None:
    for record in records("minishogi_games.jsonl")[first : first + 29]:
        position = Position("minishogi-codingame")
        for action in record["moves"]:
            assert position.outcome() is None, (position.ply, record)
            position.push(to_usi(action))
        outcome = position.outcome()
        assert outcome is not None, record
        assert (outcome.winner, outcome.reason) == outcome_of(record), record
        assert position.ply == record["plies"]
        final = Position("minishogi-codingame", record["final_sfen"])
        assert (position.sfen(), position.key) == (final.sfen(), final.key)


def test_the_records_contain_all_kinds_of_ends() -> None:
    ends = {outcome_of(record) for record in records("minishogi_games.jsonl")}
    assert {reason for _, reason in ends} == {"checkmate", "stalemate", "repetition", "perpetual_check", "max_plies"}
    assert {(0, "perpetual_check"), (1, "perpetual_check"), (1, "repetition"), (None, "max_plies")} <= ends


def test_oracle_agrees_with_the_turns() -> None:
    for sfen, actions, record in turns():
        assert sorted(oracle.legal_moves(oracle.parse_sfen(oracle.MINISHOGI_CODINGAME, sfen))) == actions, record


def test_oracle_agrees_with_the_games() -> None:
    for record in part(records("minishogi_games.jsonl")[::3], 3):
        game = oracle.Game(oracle.MINISHOGI_CODINGAME)
        for action in record["moves"]:
            assert game.outcome() is None, record
            game.push(to_usi(action))
        assert game.outcome() == outcome_of(record), record
