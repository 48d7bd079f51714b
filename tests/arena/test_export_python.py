"""Generated Python against the native engine: the same moves, records, evaluations and searches, node for node."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

import exported
from exported import GAMES, Exported, Native
from rules.dice import allowed_codes

ROOM = 100_000  # characters that an arena takes
DICE = ("dice-codingame",)
DEPTHS = {"minishogi-codingame": (2, 4), "onitama": (3, 6), "generals": (2, 4)}


@pytest.fixture(scope="module")
def bot(request: pytest.FixtureRequest) -> Iterator[tuple[str, Exported]]:
    """Each game's generated source, in a process of its own."""
    with exported.exported(request.param) as process:
        yield request.param, process


@pytest.mark.parametrize("bot", GAMES, indirect=True)
def test_moves_records_and_evaluation(bot: tuple[str, Exported]) -> None:
    """Along random games: every field of the record, legal moves, moves of any bits, perft, and the evaluation; and
    every move taken back restores all of it."""
    name, process = bot
    native = Native(name)
    for number, position in enumerate(exported.random_positions(name, 15, seed=1)):
        step = 97 + number
        answer = process.ask(ask="compare", depth=2, step=step, **exported.described(position))
        assert answer["record"] == exported.record_content(position), position.sfen()
        assert answer["moves"] == position.legal_codes(), position.sfen()
        may = [move for move in range(0, 65536, step) if native.may_play(position, move)]
        assert answer["may_play"] == may, position.sfen()
        assert answer["restored"], position.sfen()
        assert answer["perft"] == position.perft(2), position.sfen()
        assert answer["eval"] == native.static_eval(position), position.sfen()


@pytest.mark.parametrize("bot", DEPTHS, indirect=True)
def test_search_of_many_positions(bot: tuple[str, Exported]) -> None:
    """Line, score and node count of iterative deepening to a small depth, with the same table."""
    name, process = bot
    native = Native(name)
    for number, position in enumerate(exported.random_positions(name, 60, seed=2)):
        depth = DEPTHS[name][number % 4 == 0]
        answer = process.ask(**exported.search_question(position, depth))
        assert answer == native.search(position, depth), (position.sfen(), depth)


@pytest.mark.parametrize("bot", DICE, indirect=True)
def test_search_with_a_die(bot: tuple[str, Exported]) -> None:
    """Best move, value, node count and proofs, before a throw and after it."""
    name, process = bot
    native, rng = Native(name), random.Random(3)
    for number, position in enumerate(exported.random_positions(name, 50, seed=3)):
        thrown = number % 2
        moves = allowed_codes(position, rng.randint(1, 6)) if thrown else position.legal_codes()
        depth = 2 + (number % 10 == 1)
        answer = process.ask(**exported.dice_question(position, depth, moves, thrown))
        assert answer == native.search_dice(position, depth, moves, thrown), (position.sfen(), depth, thrown)


@pytest.mark.parametrize("bot", GAMES, indirect=True)
def test_size_and_imports(bot: tuple[str, Exported]) -> None:
    """It fits into what an arena takes and imports the standard library alone (it runs without site-packages)."""
    source = exported.generated(bot[0])
    assert len(source) < ROOM
    assert "numpy" not in source and "numba" not in source


def test_deadline() -> None:
    """A deadline that has passed stops the search; one that never comes changes nothing."""
    name = "onitama"
    position = exported.random_positions(name, 1, seed=4)[0]
    question = exported.search_question(position, 5)
    with exported.exported(name, exported.generated(name, deadline=16)) as process:
        assert process.ask(**question) == Native(name).search(position, 5)
        stopped = process.ask(**question, late=True)
    assert 0 < stopped["nodes"] <= 16
