"""The rules of Onitama in plain Python, written from the arena's statement. They are slow, but easy to check by
reading.

https://www.codingame.com/multiplayer/bot-programming/onitama. Squares are (column, row), counted from 0 at A1. Pieces
have the referee's letters: W and w are master and students of player 0, B and b those of player 1. The steps of a card
are (dx, dy) for player 0; player 1 plays them rotated. The steps of all cards are taken from the referee's records.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

Square = tuple[int, int]
DATA = Path(__file__).parents[1] / "data"
SIZE, MAX_PLIES = 5, 200
MASTERS = "WB"
SHRINES = ((2, 0), (2, 4))  # the start squares of the masters; the goal of each player is the other's start square


class Outcome(NamedTuple):
    """The end of a game: the winner (None for a tie) and the reason."""

    winner: int | None
    reason: str


@cache
def cards() -> dict[int, list[Square]]:
    """Return the steps of all sixteen cards, read from recorded turns."""
    found: dict[int, list[Square]] = {}
    for text in (DATA / "onitama_turns.jsonl").read_text().splitlines():
        record = json.loads(text)
        for line in record["input"]:
            if len(numbers := line.split()) == 10:
                owner, card, *steps = map(int, numbers)
                turned = -1 if owner == 1 or (owner == -1 and record["player"] == 1) else 1
                pairs = [(turned * dx, turned * dy) for dx, dy in zip(steps[::2], steps[1::2]) if dx or dy]
                assert found.setdefault(card, pairs) == pairs, record
    assert sorted(found) == list(range(16))
    return found


def steps(card: int, player: int) -> list[Square]:
    """Return the steps (dx, dy) that a card allows a player. The steps of player 1 are rotated."""
    turned = -1 if player else 1
    return [(turned * dx, turned * dy) for dx, dy in cards()[card]]


def owner(piece: str) -> int:
    """Return the player who owns a piece."""
    return int(piece in "Bb")


def square_name(square: Square) -> str:
    """Return the arena's name of a square."""
    return f"{'ABCDE'[square[0]]}{square[1] + 1}"


def square_of(name: str) -> Square:
    """Return the square that has this name in the arena."""
    return "ABCDE".index(name[0]), int(name[1]) - 1


class Game:
    """A game of Onitama, played with the arena's actions (`12 B1B3`, `12 PASS`)."""

    def __init__(self, hands: tuple[list[int], list[int]], centre: int) -> None:
        self.board: dict[Square, str] = {(x, 0): "W" if x == 2 else "w" for x in range(SIZE)}
        self.board |= {(x, 4): "B" if x == 2 else "b" for x in range(SIZE)}
        self.hands, self.centre = (list(hands[0]), list(hands[1])), centre
        self.ply = 0
        self.result: Outcome | None = None

    @property
    def turn(self) -> int:
        """Return the player to move."""
        return self.ply % 2

    def actions(self) -> list[str]:
        """Return the legal actions. These are all moves or, if there are no moves, PASS with each of the player's two
        cards."""
        player, found = self.turn, []
        for card in self.hands[player]:
            for (x, y), piece in self.board.items():
                if owner(piece) != player:
                    continue
                for dx, dy in steps(card, player):
                    target = (x + dx, y + dy)
                    inside = 0 <= target[0] < SIZE and 0 <= target[1] < SIZE
                    if inside and not (target in self.board and owner(self.board[target]) == player):
                        found.append(f"{card} {square_name((x, y))}{square_name(target)}")
        return found or [f"{card} PASS" for card in self.hands[player]]

    def play(self, action: str) -> None:
        """Play an action. Raise ValueError if the action is not legal."""
        if self.result is not None or action not in self.actions():
            raise ValueError(f"{action} is not legal in this position")
        player = self.turn
        card, move = action.split()
        if move != "PASS":
            origin, target = square_of(move[:2]), square_of(move[2:])
            piece, captured = self.board.pop(origin), self.board.get(target)
            self.board[target] = piece
            if captured is not None and captured in MASTERS:
                self.result = Outcome(player, "master_captured")
            elif piece in MASTERS and target == SHRINES[1 - player]:
                self.result = Outcome(player, "shrine")
        hand = self.hands[player]
        hand[hand.index(int(card))], self.centre = self.centre, int(card)
        self.ply += 1
        if self.result is None and self.ply >= MAX_PLIES:
            self.result = Outcome(None, "max_plies")

    def lines(self) -> list[str]:
        """Return the lines with which the arena describes the board and the cards to the player to move."""
        rows = ["".join(self.board.get((x, y), ".") for x in range(SIZE)) for y in reversed(range(SIZE))]
        owned = [(0, card) for card in self.hands[0]] + [(1, card) for card in self.hands[1]] + [(-1, self.centre)]
        for player, card in owned:
            numbers = [number for step in steps(card, self.turn if player < 0 else player) for number in step]
            rows.append(" ".join(map(str, [player, card, *numbers, *[0] * (8 - len(numbers))])))
        return rows
