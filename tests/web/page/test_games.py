"""A whole game of each variant on the web page against its engine, with a drop, a promotion, a take-back and a
reload."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

import pytest

import kogoma
from kogoma.rules.dice.die import allowed
from kogoma.rules.position import Position, new_position
from kogoma.rules.variants import VARIANTS, Die, Promotion
from kogoma.search.limits import Limits
from support.browsers.played_page import PlayedPage
from support.scope import mostly_long

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from kogoma.rules.onitama.position import OnitamaPosition

pytestmark = pytest.mark.slow

NODES = 3000  # per move of Black, whom the test plays
LEAST = 10  # plies before which Black does not end the game
BLACK = 0


def kinds_of(name: str) -> set[str]:
    """Return the kinds of moves that a game of the variant must contain."""
    variant = VARIANTS[name]
    if variant.cards:
        return {"move"}
    return {"drop", "promotion"} if variant.promotion is Promotion.IN_ZONE else {"drop", "turn"}


def kind_of(move: str) -> str:
    """Return the kind of a move: "drop", "promotion" or "move". An unpromotion also counts as a promotion."""
    return "drop" if "*" in move else "promotion" if move.endswith("+") else "move"


class Opponent:
    """A player that plays Black on the page. It first plays the kinds of moves that the test needs, and then plays to
    win."""

    def __init__(self, name: str) -> None:
        self.wanted = {"promotion" if kind == "turn" else kind for kind in kinds_of(name)}
        self.rng = random.Random(name)
        self.engine = kogoma.Engine(hash_mb=16)

    def choose(self, position: Position | OnitamaPosition, roll: int) -> str:
        """Return a legal move that the roll of the die allows, preferably of a kind that the game still lacks."""
        allowed_roll = roll if position.variant.die is not Die.NONE else None
        moves = sorted(allowed(position, allowed_roll))
        missing = [move for move in moves if kind_of(move) in self.wanted]
        game = kogoma.Position(position.variant, position.start_sfen, position.moves)
        best = self.engine.play(game, Limits(nodes=NODES, dice=allowed_roll)).best
        assert best is not None
        move = best
        if missing and len(position.moves) > 2:
            safe = [move for move in missing if self.goes_on(position, move)]
            move = self.rng.choice(safe) if safe else best
        elif (self.wanted or len(position.moves) < LEAST) and not self.goes_on(position, best):
            others = [move for move in moves if self.goes_on(position, move)]
            move = self.rng.choice(others) if others else best
        self.wanted.discard(kind_of(move))
        return move

    @staticmethod
    def goes_on(position: Position | OnitamaPosition, move: str) -> bool:
        """Return whether the game goes on after a move."""
        position.push(move)
        ended = position.outcome() is not None
        position.pop()
        return not ended


@pytest.mark.parametrize("name", mostly_long(VARIANTS, "minishogi"))
def test_a_whole_game(browser: Browser, site_address: str, name: str) -> None:
    opened = PlayedPage(browser, site_address, seed=20261121)
    opened.new_game(name, player_0="person", player_1="engine:", level_1="0")
    opponent = Opponent(name)
    position = new_position(name)
    turns = 0
    while opened.wait("person", "over") == "person":
        for move in opened.moves[len(position.moves) :]:
            position.push(move)
        assert position.outcome() is None and position.turn == BLACK
        turns += 1
        if turns == 3:
            opened.page.reload()
            opened.page.wait_for_selector("html[data-ready]", state="attached")
            assert (opened.moves, opened.wait("person")) == (position.moves, "person")
        if turns == 4:
            opened.page.click("#do-take-back")
            for _ in range(2):
                position.pop()
            assert (opened.moves, opened.wait("person")) == (position.moves, "person")
        move = opponent.choose(position, opened.roll)
        opened.play(move, BLACK)
        position.push(move)
    for move in opened.moves[len(position.moves) :]:
        position.push(move)
    outcome = position.outcome()
    assert outcome is not None and opponent.wanted == set()
    told = opened.page.inner_text("#status strong")
    assert re.match({0: "Black wins: ", 1: "White wins: ", None: "Draw: "}[outcome.winner], told)
    assert turns > 4 and opened.heard == []
    opened.context.close()
