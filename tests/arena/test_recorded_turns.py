"""Recorded turns and games of CodinGame's referees, compared with the adapter, the engine's rules, and the referees in
`tests/support`."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kogoma.arena.codingame.arenas import ARENAS
from kogoma.arena.codingame.turn_reader import RawTurn, Turn, TurnReader
from kogoma.console.lines import LineReader
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import new_position
from oracles import shogi as oracle
from support import arena_referee

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
GAMES = ["minishogi", "dice", "onitama"]
REASONS = {"repetition3": "repetition", "repetition3_in_check": "perpetual_check", "max_turns_tie": "max_plies"}


def records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def turns(name: str) -> list[dict[str, Any]]:
    """Return the recorded turns, sorted so that turns that begin a game come before all other turns."""
    found = sorted(records(f"{name}_turns.jsonl"), key=lambda record: not record["first"])
    assert len(found) == 400
    return found


def fail(text: str) -> None:
    raise AssertionError(text)


def read_turns(
    name: str, inputs: list[list[str]], folder: Path, complain: Callable[[str], None] = fail
) -> Iterator[RawTurn]:
    """Yield the turns that the adapter's reader finds in the lines `inputs`. By default, the test fails if the reader
    reports an error."""
    path = folder / "input"
    path.write_text("".join(f"{line}\n" for lines in inputs for line in lines))
    with path.open("rb") as file:
        lines = LineReader(file.fileno())
        lines.start()
        reader = TurnReader(ARENAS[name].form, lines, complain)
        while (raw := reader.read(lambda first: None)) is not None:
            yield raw
        lines.join()


def read_turn(name: str, raw: RawTurn, player: int) -> Turn:
    return ARENAS[name].read(raw, None if raw.once else player)


def outcomes_of(record: dict[str, Any]) -> set[tuple[int | None, str]]:
    """Return all pairs of winner and reason that are possible for the end of a recorded game. In Onitama, two reasons
    are possible if one master is captured and the other master is on the shrine."""
    first, second = record["scores"]
    winner = None if first == second else int(second > first)
    reasons = {REASONS.get(record["reason"], record["reason"])}
    board = "".join(record.get("final_input_for_next", [])[:5])
    if board and (("B" not in board and board[2] == "W") or ("W" not in board and board[22] == "B")):
        reasons = {"master_captured", "shrine"}  # one master is captured, and the other is on the shrine
    return {(winner, reason) for reason in reasons}


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("count", [1, 2])
def test_extra_lines_in_a_turn_are_skipped(name: str, count: int, tmp_path: Path) -> None:
    """Check that the adapter skips extra lines at any place before the list of legal actions, and reads all other lines
    as they were sent."""
    form, inputs, wanted = ARENAS[name].form, list[list[str]](), list[list[str]]()
    for record in turns(name)[::20]:
        lines = list(record["input"])
        fields = (len(form.once) if record["first"] else 0) + len(form.each)
        for place in range(fields + 1):
            inputs.append([*lines[:place], *["?!"] * count, *lines[place:]])
            wanted.append(lines)
    found, complaints = list[list[str | None]](), list[str]()
    for raw in read_turns(name, inputs, tmp_path, complaints.append):
        assert not raw.complete
        found.append([*raw.once, *raw.each, str(len(raw.actions)), *raw.actions])
    assert found == wanted
    assert len([text for text in complaints if "'?!'" in text]) >= len(inputs)


@pytest.mark.parametrize("name", GAMES)
def test_turns_allow_exactly_the_referees_actions(name: str, tmp_path: Path) -> None:
    checked = turns(name)
    inputs = [record["input"] for record in checked]
    arena, kinds = ARENAS[name], set[tuple[int, int | None]]()
    for record, raw in zip(checked, read_turns(name, inputs, tmp_path), strict=True):
        assert raw.complete and bool(raw.once) == record["first"]
        turn = read_turn(name, raw, record["player"])
        assert turn.player == record["player"] and turn.sfen is not None, record
        position = new_position(arena.variant, f"{turn.sfen} {record['ply'] + 1}")
        assert (position.turn, position.ply) == (record["player"], record["ply"])
        assert set(allowed(position, turn.dice)) == set(turn.actions), record
        if "all_legal" in record:
            every = {arena.to_action(move, record["player"]) for move in position.legal_moves()}
            assert every == set(record["all_legal"]), record
        listed = set(record["input"][-len(turn.actions) :])
        assert {arena.to_action(move, record["player"]) for move in turn.actions} == listed
        kinds.add((record["player"], turn.dice))
    assert len(kinds) == (12 if name == "dice" else 2)


@pytest.mark.parametrize("name", GAMES)
def test_the_player_follows_from_the_turn(name: str, tmp_path: Path) -> None:
    checked = turns(name)
    inputs = [record["input"] for record in checked]
    for record, raw in zip(checked, read_turns(name, inputs, tmp_path), strict=True):
        raw.once = []
        assert ARENAS[name].read(raw, None).player == record["player"], record


def test_dice_games_end_when_and_as_the_referee_ended_them() -> None:
    checked = records("dice_games.jsonl")
    for record in checked:
        position = new_position("dice-codingame")
        for action, die in zip(record["moves"], record["dice"], strict=True):
            assert position.outcome() is None, (position.ply, record)
            move = arena_referee.to_usi(action)
            assert move in allowed(position, int(die)), (position.ply, record)
            position.push(move)
        outcome = position.outcome()
        assert outcome is not None, record
        assert (outcome.winner, outcome.reason) in outcomes_of(record), record
        assert position.ply == record["plies"]
        assert position.key == new_position("dice-codingame", record["final_sfen"]).key
    ends = {reason for record in checked for _, reason in outcomes_of(record)}
    assert (len(checked), ends) == (87, {"checkmate", "stalemate", "max_plies"})


def test_onitama_games_end_when_and_as_the_referee_ended_them(tmp_path: Path) -> None:
    checked = records("onitama_games.jsonl")
    inputs = [[*record["first_input"], "0"] for record in checked]
    for record, raw in zip(checked, read_turns("onitama", inputs, tmp_path), strict=True):
        turn = read_turn("onitama", raw, 0)
        position = new_position("onitama", f"{turn.sfen} 1")
        for action in record["moves"]:
            assert position.outcome() is None, (position.ply, record)
            position.push(action.replace(" ", ":").lower())
        outcome = position.outcome()
        assert outcome is not None, record
        assert (outcome.winner, outcome.reason) in outcomes_of(record), record
        assert position.ply == record["plies"]
        assert outcome.winner is None or not position.legal_moves()
    assert len(checked) == 146


def test_onitama_games_leave_the_referees_boards(tmp_path: Path) -> None:
    checked = records("onitama_games.jsonl")
    inputs = [[*record["first_input"], "0", *record["final_input_for_next"], "0"] for record in checked]
    raws = list(read_turns("onitama", inputs, tmp_path))
    for record, first, last in zip(checked, raws[::2], raws[1::2], strict=True):
        position = new_position("onitama", f"{read_turn('onitama', first, 0).sfen} 1")
        for action in record["moves"]:
            position.push(action.replace(" ", ":").lower())
        assert position.sfen().split()[:3] == str(read_turn("onitama", last, record["plies"] % 2).sfen).split()


# The referees of the tests


def by_kind(lines: list[str]) -> list[str]:
    """Return the lines of a turn, with sorted cards in Onitama, and with sorted pieces in each hand in other games. The
    order of cards or of pieces in hand does not matter."""
    rows, rest = lines[:5], lines[5:]
    return [
        *rows,
        *(sorted(rest) if " " in rest[0] else ["".join(sorted(rest[0])), "".join(sorted(rest[1])), *rest[2:]]),
    ]


def referee_at(name: str, record: dict[str, Any]) -> arena_referee.Referee:
    """Return a referee in the position of a recorded turn."""
    lines = record["input"]
    if name == "onitama":
        lines = lines[int(record["first"]) :]
        cards = sorted((line.split() for line in lines[5:10]), key=lambda card: "01-".index(card[0][0]))
        referee = arena_referee.OnitamaReferee(random.Random(1), [int(card[1]) for card in cards])
        board = {(x, 4 - y): piece for y in range(5) for x, piece in enumerate(lines[y]) if piece != "."}
        referee.game.board, referee.game.ply = board, record["ply"]
        return referee
    lines = lines[2 * record["first"] :]
    roll = (lambda: int(lines[7])) if name == "dice" else None
    shogi = arena_referee.ShogiReferee(random.Random(1), roll, lines[7 + (name == "dice")])
    shogi.game = oracle.Game(shogi.game.rules, record["sfen"])
    return shogi


@pytest.mark.parametrize("name", GAMES)
def test_own_referees_send_the_same_turns(name: str) -> None:
    for record in turns(name):
        referee, lines = referee_at(name, record), list(record["input"])
        if record["first"]:
            once = referee.once(record["player"])
            assert lines[: len(once)] == once
            lines = lines[len(once) :]
        actions = referee.actions()
        count = lines.index(str(len(actions)), 8)
        assert sorted(lines[count + 1 :]) == sorted(actions), record
        assert by_kind(lines[:count]) == by_kind(referee.lines()), record


@pytest.mark.parametrize(("name", "step"), [("minishogi", 8), ("dice", 3), ("onitama", 1)])
def test_own_referees_end_the_same_games(name: str, step: int) -> None:
    for record in records(f"{name}_games.jsonl")[::step]:
        rolls = iter([*map(int, record.get("dice", [])), 0]).__next__
        referee: arena_referee.Referee
        if name == "onitama":
            cards = [int(line.split()[1]) for line in record["first_input"][6:]]
            referee = arena_referee.OnitamaReferee(random.Random(1), cards)
            assert [*referee.once(0), *referee.lines()] == record["first_input"]
        else:
            referee = arena_referee.ShogiReferee(random.Random(1), rolls if name == "dice" else None)
        for action in record["moves"]:
            assert referee.outcome() is None and action in referee.actions(), record
            referee.play(action)
        assert referee.outcome() in outcomes_of(record), record
        if name == "onitama":
            assert by_kind(referee.lines()) == by_kind(record["final_input_for_next"])


@pytest.mark.parametrize("player", [0, 1])
def test_a_player_without_a_move_passes_with_either_card(player: int, tmp_path: Path) -> None:
    """Check that a player without a move can pass with either card. No recorded turn has such a position. In this test,
    all pieces of the player are on the last row, and the cards allow only steps off the board or onto the player's own
    pieces."""
    referee = arena_referee.OnitamaReferee(random.Random(1), [0, 1, 4, 6, 2] if player else [4, 6, 0, 1, 2])
    last, letters, other = (0, "bbbBb", "W") if player else (4, "wwwWw", "B")
    referee.game.board = {(x, last): letter for x, letter in enumerate(letters)} | {(0, 2): other}
    referee.game.ply = player
    assert referee.actions() == ["4 PASS", "6 PASS"]
    (raw,) = read_turns("onitama", [[str(player), *referee.lines(), "2", *referee.actions()]], tmp_path)
    turn = read_turn("onitama", raw, player)
    assert {ARENAS["onitama"].to_action(move, player) for move in turn.actions} == {"4 PASS", "6 PASS"}
    assert set(new_position("onitama", f"{turn.sfen} {player + 1}").legal_moves()) == set(turn.actions)
