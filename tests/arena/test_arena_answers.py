"""The parser of bots' answers: the examples in the arenas' statements, messages, and what is no answer."""

from __future__ import annotations

import random

import pytest

from kogoma.arena.codingame.turn_writer import RANDOM, OnitamaTurns, ShogiTurns
from support import arena_referee

# The statements: https://www.codingame.com/multiplayer/bot-programming/minishogi ("a single line containing the
# coordinates where you want to play. Or random"; piece notation is not case sensitive) and .../onitama ("a single line
# cardID MOVE message", where a move is A2B3 or PASS). Dice-Shogi has the format of Minishogi.
SHOGI = [
    ("4534 Take this!", ("4534", "Take this!")),
    ("4534", ("4534", "")),
    ("1425+", ("1425+", "")),
    ("G*33", ("g*33", "")),
    ("p*24", ("p*24", "")),
    ("random", (RANDOM, "")),
]
ONITAMA = [
    ("12 A2B3 message", ("12 a2b3", "message")),
    ("12 A2B3", ("12 a2b3", "")),
    ("3 PASS", ("3 pass", "")),
    ("3 PASS message", ("3 pass", "message")),
]


def test_the_statements_examples() -> None:
    for player in (0, 1):
        for turns, examples in ((ShogiTurns(player), SHOGI), (OnitamaTurns(player), ONITAMA)):
            for answer, parsed in examples:
                assert turns.parse(answer) == parsed


@pytest.mark.parametrize(
    "message", ["", "depth 10, score +25.44", "book", "  two  spaces", "4534", "12 A2B3", "random"]
)
@pytest.mark.parametrize("name", ["minishogi", "dice", "onitama"])
def test_every_action_can_have_a_message(name: str, message: str) -> None:
    rng = random.Random(name)
    arena = arena_referee.start(name, rng)
    while arena.outcome() is None:
        turns = (OnitamaTurns if name == "onitama" else ShogiTurns)(arena.turn)
        actions = sorted(arena.actions())
        for action in actions:
            for written in (action, action.lower(), action.upper()):
                assert turns.parse(f"{written} {message}") == (action.lower(), message.strip())
        arena.play(rng.choice(actions))


def test_what_is_no_answer() -> None:
    for answer in ("", "hello", "4534,", "4534++", "45 34", "G33", "12 A2B3", "randomly", "do 4534", "message"):
        assert ShogiTurns(0).parse(answer) is None, answer
    for answer in ("", "12", "A2B3", "12 A2B3,", "12 B3", "random", "random message", "PASS", "message 12 A2B3"):
        assert OnitamaTurns(0).parse(answer) is None, answer
