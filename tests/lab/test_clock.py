"""Turns of the arenas, clocks and adjudication in matches."""

from __future__ import annotations

import random

import pytest

from kogoma.arena.codingame.turn_writer import OnitamaTurns, ShogiTurns
from kogoma.lab.engines.clock import Clock, TimeControl
from kogoma.lab.journals.match_journal import Score
from kogoma.lab.match.play import Adjudication, Adjudicator
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.position import new_position
from kogoma.rules.variants import VARIANTS
from support import arena_referee


@pytest.mark.parametrize("name", ["minishogi", "dice"])
def test_turns_are_the_arenas(name: str) -> None:
    rng = random.Random(name)
    for _ in range(5):
        arena = arena_referee.start(name, rng)
        position = new_position(f"{name}-codingame")
        writers = [ShogiTurns(0), ShogiTurns(1)]
        captured: list[list[str]] = [[], []]  # in the order of capture
        while arena.outcome() is None and len(position.moves) < 60:
            player = arena.turn
            assert writers[player].once() == arena.once(player)
            expected, die = arena.lines(), getattr(arena, "die", None)
            written = writers[player].lines(position, die)
            assert [sorted(line) if at in (5, 6) else line for at, line in enumerate(written)] == [
                sorted(line) if at in (5, 6) else line for at, line in enumerate(expected)
            ]
            assert written[5:7] == ["".join(captured[0]) or "-", "".join(captured[1]).lower() or "-"]
            action = rng.choice(sorted(arena.actions()))
            usi = arena_referee.to_usi(action)
            assert writers[player].action(usi) == action
            row, column = ord(usi[3]) - ord("a"), 5 - int(usi[2])
            code = int(position.struct["board"][0, row * 5 + column])
            if code:
                captured[player].append(position.variant.pieces[(code & 15) - 1].letter[-1])
            if usi[1] == "*":
                captured[player].remove(usi[0])
            position.push(usi)
            arena.play(action)


def test_onitamas_turns_are_the_arenas() -> None:
    rng = random.Random(8)
    for _ in range(10):
        cards = rng.sample(range(len(CARDS)), 5)
        cards = [*sorted(cards[:2]), *sorted(cards[2:4]), cards[4]]
        arena = arena_referee.OnitamaReferee(rng, cards)
        position = new_position("onitama", "ssmss/5/5/5/SSMSS b {},{}/{},{}/{} 1".format(*cards))
        writers = [OnitamaTurns(0), OnitamaTurns(1)]
        while arena.outcome() is None:
            writer = writers[arena.turn]
            assert writer.once() == arena.once(arena.turn)
            assert writer.lines(position, None) == arena.lines()
            assert sorted(map(writer.action, position.legal_moves())) == sorted(arena.actions())
            action = rng.choice(sorted(arena.actions()))
            position.push(action.replace(" ", ":").lower())
            arena.play(action)


@pytest.mark.parametrize(
    ("text", "control"),
    [
        ("0+0.1b", TimeControl(byoyomi_ms=100)),
        ("60+0.6", TimeControl(base_ms=60_000, increment_ms=600)),
        ("40/1:30+1", TimeControl(base_ms=90_000, increment_ms=1000, moves=40)),
        ("10+1+5b nodes=500", TimeControl(base_ms=10_000, increment_ms=1000, byoyomi_ms=5000, nodes=500)),
        ("st=0.05 first=1 depth=3", TimeControl(move_ms=50, first_ms=1000, depth=3)),
        ("inf", TimeControl()),
        ("N=100", TimeControl(nodes=100)),
        ("tc=n=100", TimeControl(nodes=100)),
        ("D=9", TimeControl(depth=9)),
        ("MT=250", TimeControl(move_ms=250)),
    ],
)
def test_time_controls_as_text(text: str, control: TimeControl) -> None:
    assert TimeControl.parse(text) == control
    assert TimeControl.parse(str(control)) == control


@pytest.mark.parametrize("text", ["fast", "1++1", "0+0b", "1+1b+2b", "st=x", "nodes=-1", "10 st=1", "x=1"])
def test_bad_time_controls(text: str) -> None:
    with pytest.raises(ValueError):
        TimeControl.parse(text)


def test_a_clock_with_an_increment() -> None:
    clock = Clock(TimeControl.parse("1+0.5"))
    assert clock.allowed_ms() == 1000
    assert clock.spend(900)
    assert clock.allowed_ms() == 600
    assert not clock.spend(601)
    assert clock.spend(600)
    assert clock.allowed_ms() == 500


def test_a_clock_with_byoyomi_and_a_margin() -> None:
    clock = Clock(TimeControl.parse("1+0.1b"), margin_ms=20)
    assert clock.allowed_ms() == 1100
    assert clock.spend(1115)
    assert clock.allowed_ms() == 100
    assert clock.spend(120)
    assert not clock.spend(121)


def test_a_clock_for_a_number_of_moves() -> None:
    clock = Clock(TimeControl.parse("2/1"))
    assert [clock.moves_to_go(), clock.spend(400), clock.moves_to_go(), clock.spend(400)] == [2, True, 1, True]
    assert clock.allowed_ms() == 1200


def test_a_clock_for_each_move() -> None:
    clock = Clock(TimeControl.parse("st=0.1 first=1"))
    assert [clock.allowed_ms(), clock.spend(900), clock.allowed_ms(), clock.spend(101)] == [1000, True, 100, False]
    assert Clock(TimeControl(nodes=200)).allowed_ms() is None


def test_adjudication() -> None:
    def decide(settings: Adjudication, *scores: int | str | None) -> tuple[int | None, str, int] | None:
        adjudicator = Adjudicator(settings, VARIANTS["minishogi"])
        for ply, score in enumerate(scores):
            kind = "mate" if isinstance(score, str) else "cp"
            line = None if score is None else Score(kind, int(score), 1, 1)
            if found := adjudicator.outcome(ply % 2, line, ply + 1):
                return found.winner, found.reason, ply + 1
        return None

    resign = Adjudication(resign_moves=2, resign_score=500)
    assert decide(resign, 0, -600, 100, "-3", 0) == (0, "adjudicated_win", 4)
    assert decide(resign, 0, -600, 0, -400, 0, -600, 0, None, 0, -600) is None
    both = Adjudication(resign_moves=2, resign_score=500, resign_twosided=True)
    assert decide(both, 0, -600, 0, -600, 500, -600, 500) == (0, "adjudicated_win", 7)
    draw = Adjudication(draw_from=5, draw_moves=2, draw_score=10)
    assert decide(draw, 0, 0, 5, -10, 0) == (None, "adjudicated_draw", 5)
    assert decide(draw, 0, 0, 5, -11, 0, 0, 0) is None
    assert decide(Adjudication(max_plies=3), 0, 0, 0) == (None, "max_moves", 3)
