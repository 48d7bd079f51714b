"""Onitama: legal actions and results compared with the arena's records, making and unmaking moves, SFEN and moves as
text, the symmetry of the evaluation, and scores of decided positions compared with minimax."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kogoma import legal_moves
from kogoma.eval.explain import ONITAMA_TERMS, explain
from kogoma.rules.base_position import BasePosition
from kogoma.rules.layout import PLIES
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.position import Position, new_position
from kogoma.search.limits import Limits
from kogoma.search.searcher import Searcher
from kogoma.usi_engine.parse import parse_go
from oracles import onitama as onitama_oracle
from oracles.onitama_positions import Plain, forced_loss, forced_win, plain_moves, plain_position

pytestmark = pytest.mark.slow

DATA = Path(__file__).parents[1] / "data"
START = "ssmss/5/5/5/SSMSS b 12,14/7,11/13 1"
LETTERS = {"W": "M", "w": "S", "B": "m", "b": "s", ".": "1"}


def records(name: str) -> Iterator[dict[str, Any]]:
    with (DATA / f"onitama_{name}.jsonl").open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def sfen_of(lines: list[str], player: int) -> str:
    """Return the SFEN of the position that the referee sends in ten lines. The first five lines are the board."""
    rows = ["".join(LETTERS[cell] for cell in row) for row in lines[:5]]
    rows = [re.sub("1+", lambda blank: str(len(blank[0])), row) for row in rows]
    cards = [line.split()[1] for line in lines[5:10]]
    return "{} {} {},{}/{},{}/{} 1".format("/".join(rows), "bw"[player], *cards)


def text_of(action: str) -> str:
    return action.lower().replace(" ", ":")


def random_games(seed: int, count: int) -> Iterator[OnitamaPosition]:
    """Play random games. Yield the position before each move and at the end of each game. The positions of a game are
    one object, which changes with each move."""
    rng = random.Random(seed)
    for _ in range(count):
        cards = rng.sample(range(16), 5)
        position = OnitamaPosition("onitama", "ssmss/5/5/5/SSMSS b {},{}/{},{}/{} 1".format(*cards))
        while position.outcome() is None:
            yield position
            position.push(rng.choice(position.legal_moves()))
        yield position


def rotated(sfen: str) -> str:
    """Return the SFEN of the position with the board rotated, and with the pieces, cards and turn exchanged."""
    board, turn, cards, number = sfen.split()
    black, white, centre = cards.split("/")
    return f"{board[::-1].swapcase()} {'w' if turn == 'b' else 'b'} {white}/{black}/{centre} {number}"


# ---- Rules -----------------------------------------------------------------------------------------------------------


def test_cards_equal_the_referees() -> None:
    assert {number: set(card.moves) for number, card in enumerate(CARDS)} == {
        number: set(steps) for number, steps in onitama_oracle.cards().items()
    }


def test_legal_moves_equal_the_referees() -> None:
    for record in records("turns"):
        lines = record["input"][1:] if record["first"] else record["input"]
        position = new_position("onitama", sfen_of(lines, record["player"]))
        assert sorted(position.legal_moves()) == sorted(text_of(action) for action in lines[11:])
        position.push(text_of(record["out"]))
        if "after_for_opponent" in record:
            after = sfen_of(record["after_for_opponent"], 1 - record["player"])
            assert position.sfen() == OnitamaPosition("onitama", after[:-1] + "2").sfen()


def test_games_end_like_the_referees() -> None:
    reasons: set[str] = set()
    for record in records("games"):
        position = new_position("onitama", sfen_of(record["first_input"][1:], 0))
        for action in record["moves"]:
            assert position.outcome() is None
            position.push(text_of(action))
        outcome = position.outcome()
        assert outcome is not None and position.ply == record["plies"]
        assert outcome.winner == {(1, 0): 0, (0, 1): 1, (0, 0): None}[tuple(record["scores"])]
        reason = record["reason"].replace("max_turns_tie", "max_plies")
        # A master that captures the enemy master on its shrine wins for both reasons.
        on_shrine = record["moves"][-1][-2:] in ("C1", "C5")
        assert outcome.reason == reason or (on_shrine and {outcome.reason, reason} == {"master_captured", "shrine"})
        assert position.legal_moves() == [] or outcome.winner is None
        reasons.add(outcome.reason)
    assert reasons == {"master_captured", "shrine", "max_plies"}


def test_moves_equal_the_plain_rules() -> None:
    for position in random_games(1, 20):
        if position.outcome() is None:
            assert sorted(position.legal_moves()) == sorted(text for text, _, _ in plain_moves(plain_of(position)))


def plain_of(position: BasePosition) -> Plain:
    return plain_position(position.sfen())


def plain_perft(position: Plain, depth: int) -> int:
    moves = plain_moves(position)
    if depth == 1:
        return len(moves)
    return sum(plain_perft(after, depth - 1) for _, after, wins in moves if not wins)


@pytest.mark.parametrize("sfen", [START, "1m2s/s1S2/2M2/3s1/S4 w 0,10/3,15/6 9", "2m2/5/1sS2/M4/5 b 7,1/11,4/14 30"])
def test_perft_equals_the_plain_rules(sfen: str) -> None:
    for depth in (1, 2, 3, 4):
        assert OnitamaPosition("onitama", sfen).perft(depth) == plain_perft(plain_position(sfen), depth)
    assert sum(dict(OnitamaPosition("onitama", sfen).divide(4)).values()) == plain_perft(plain_position(sfen), 4)


@pytest.mark.parametrize(
    "sfen", ["MSSSS/5/2m2/5/5 b 4,6/7,11/13 5", "S3m/S4/M4/S4/S4 b 3,15/0,1/2 5", "m4/5/5/2M2/ssss1 w 1,2/4,13/6 4"]
)
def test_a_side_that_cannot_move_gives_up_a_card(sfen: str) -> None:
    position = new_position("onitama", sfen)
    legal = position.legal_moves()
    assert sorted(legal) == sorted(text for text, _, _ in plain_moves(plain_position(sfen)))
    if sfen.startswith("m4"):
        assert not any("pass" in move for move in legal)
        return
    assert len(legal) == 2 and all(move.endswith(":pass") for move in legal)
    for move in legal:
        before = position.struct.copy()
        position.push(move)
        after = next(after for text, after, _ in plain_moves(plain_position(sfen)) if text == move)
        assert plain_of(position).board == after.board
        assert [sorted(hand) for hand in plain_of(position).cards] == [sorted(hand) for hand in after.cards]
        assert position.perft(2) == plain_perft(after, 2)
        position.pop()
        assert same(position.struct, before)
    with pytest.raises(ValueError, match="illegal move '10:pass'"):
        position.push("10:pass")
    result = Searcher(16, 1, position.variant).search(position, Limits(depth=6))
    assert result.best in legal and result.ponder is not None


def same(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    """Return whether two structs are equal in all meaningful fields. In fields with one entry per ply, entries after
    the current ply are ignored."""
    newest = int(first["ply"][0])
    for name in first.dtype.names or ():
        one, other = first[name][0], second[name][0]
        if one.shape[:1] == (PLIES,):
            one, other = one[: newest + 1], other[: newest + 1]
        if name == "king":
            one, other = one[:, 0], other[:, 0]
        if not np.array_equal(one, other):
            return False
    return True


def test_taking_back_restores_everything() -> None:
    seen: dict[int, str] = {}
    for position in random_games(2, 12):
        text = position.sfen().rsplit(" ", 1)[0]
        assert seen.setdefault(position.key, text) == text, "two positions have the same key"
        fresh = OnitamaPosition("onitama", position.sfen())
        assert fresh.key == position.key
        assert fresh.legal_moves() == position.legal_moves()
        before = position.struct.copy()
        for move in position.legal_moves():
            position.push(move)
            position.pop()
            assert same(position.struct, before), move
    assert len(seen) > 300


def test_a_long_game_is_taken_back_to_its_start() -> None:
    record = next(record for record in records("games") if record["plies"] == 200)
    position = new_position("onitama", sfen_of(record["first_input"][1:], 0))
    before = position.struct.copy()
    for action in record["moves"]:
        position.push(text_of(action))
    for _ in record["moves"]:
        position.pop()
    assert same(position.struct, before) and position.moves == []
    with pytest.raises(ValueError, match="no move to take back"):
        position.pop()


# ---- Text ------------------------------------------------------------------------------------------------------------


def test_every_sfen_is_read_again() -> None:
    for position in random_games(4, 20):
        assert OnitamaPosition("onitama", position.sfen()).sfen() == position.sfen()


@pytest.mark.parametrize(
    ("sfen", "complaint"),
    [
        ("ssmss/5/5/5/SSMSS b", "4 fields expected"),
        ("ssmss/5/5/5/SSMSS x 12,14/7,11/13 1", "must be b or w"),
        ("ssmss/5/5/5/SSMSS b 12,14/7,11 1", "cannot read the cards"),
        ("ssmss/5/5/5/SSMSS b 12,14/7,11/16 1", "five different cards"),
        ("ssmss/5/5/5/SSMSS b 12,14/7,12/13 1", "five different cards"),
        ("ssmss/5/5/5/SSMSS b 12,14/7,11/13 0", "move number"),
        ("ssmss/5/5/5/SSKSS b 12,14/7,11/13 1", "unknown piece letter 'K'"),
        ("ssmss/5/5/M4/SSMSS b 12,14/7,11/13 1", "Black has 2 masters"),
        ("ssmss/s4/5/5/SSMSS b 12,14/7,11/13 1", "more than 4 students"),
        ("ss1ss/5/5/5/SSMSS b 12,14/7,11/13 1", "White's master is captured, but Black is to move"),
        ("m1M2/5/5/5/5 b 12,14/7,11/13 1", "Black is to move, but has already won"),
        ("ssmss/5/5/5/SSMS b 12,14/7,11/13 1", "4 squares wide"),
    ],
)
def test_bad_sfens_are_refused(sfen: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        new_position("onitama", sfen)


@pytest.mark.parametrize(
    ("sfen", "winner", "reason"),
    [
        ("ss1ss/5/5/5/SSMSS w 12,14/7,11/13 3", 0, "master_captured"),
        ("m1M2/5/5/5/5 w 12,14/7,11/13 3", 0, "shrine"),
        ("ssmss/5/5/5/SSMSS b 12,14/7,11/13 201", None, "max_plies"),
    ],
)
def test_a_game_that_is_over_may_be_set_up(sfen: str, winner: int | None, reason: str) -> None:
    outcome = new_position("onitama", sfen).outcome()
    assert outcome is not None and (outcome.winner, outcome.reason) == (winner, reason)


@pytest.mark.parametrize(
    "move", ["12:b1b2", "7:b5b4", "13:b1c2", "12:b1a6", "12:b1", "12b1a2", "12:pass", "B1A2", "2e2d", "12:c1b1"]
)
def test_illegal_moves_are_refused(move: str) -> None:
    position = new_position("onitama", START)
    with pytest.raises(ValueError, match="illegal move"):
        position.push(move)
    assert position.sfen() == START


def test_the_diagram_shows_board_and_cards() -> None:
    text = str(new_position("onitama", START))
    assert "| S | S | M | S | S | 1" in text and "Black's cards: 12 goose, 14 mantis" in text
    assert "In the centre: 13 elephant" in text and f"Sfen: {START}" in text


def test_the_class_of_a_position_follows_the_variant() -> None:
    assert isinstance(new_position("onitama"), OnitamaPosition) and isinstance(new_position("minishogi"), Position)
    assert len(legal_moves(START)) == 12
    limits, _ = parse_go(["searchmoves", "12:b1a2", "14:pass", "depth", "3"])
    assert limits.searchmoves == ("12:b1a2", "14:pass")


# ---- Evaluation and search -------------------------------------------------------------------------------------------


def test_score_of_the_rotated_position_is_the_same() -> None:
    seen: set[str] = set()
    handcrafted = tuple(term for term in ONITAMA_TERMS if term != "network")
    for position in random_games(5, 20):
        if position.outcome() is None:
            for network in (True, False):
                rows, total = explain(position, network)
                assert network or tuple(term for term, _, _ in rows) == handcrafted
                assert explain(OnitamaPosition("onitama", rotated(position.sfen())), network)[1] == total
                black = sum(black - white for _, black, white in rows)
                assert total == (-black if position.turn else black)
                seen |= {term for term, black, white in rows if black or white}
    assert seen == set(ONITAMA_TERMS)


@pytest.mark.long
def test_scores_of_decided_positions_equal_minimax() -> None:
    """Check that the search reports a win within five plies or a loss within four plies if and only if minimax finds
    it. The search must report the same number of plies as minimax."""
    searcher = Searcher(16, 1, new_position("onitama").variant)
    found: dict[int, int] = {}
    for position in random_games(6, 60):
        plain = plain_of(position)
        if position.outcome() is not None or position.ply % 3 or not 4 <= len(plain.board) <= 7:
            continue
        win, loss = forced_win(plain, 5), forced_loss(plain, 4)
        expected = win if win is not None else -loss if loss is not None else None
        if expected is not None and found.get(expected, 0) >= 20:
            continue
        searcher.new_game()
        result = searcher.search(position, Limits(depth=12))
        if expected is None:
            assert result.score_kind == "cp" or result.score > 5 or result.score < -4, position.sfen()
            continue
        assert (result.score_kind, result.score) == ("mate", expected), position.sfen()
        found[expected] = found.get(expected, 0) + 1
    assert set(found) == {1, 3, 5, -2, -4} and sum(found.values()) >= 60, found


def test_a_variation_is_written_with_the_cards_of_its_moves() -> None:
    infos: list[list[str]] = []
    searcher = Searcher(16, 1, new_position("onitama").variant)
    position = new_position("onitama", START)
    result = searcher.search(position, Limits(depth=9), report=lambda info: infos.append(info.pv))
    assert result.best == infos[-1][0] and len(infos[-1]) > 3
    for pv in infos:
        line = position.copy()
        for move in pv:
            line.push(move)
