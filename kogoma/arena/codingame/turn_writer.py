"""The referee's part in CodinGame's turns: the lines that it sends to bots, and the parser of their answers.

https://www.codingame.com/multiplayer/bot-programming/minishogi (Dice-Shogi has one more line) and .../onitama.
"""

from __future__ import annotations

import re

from kogoma.arena.codingame import onitama_turn, shogi_turn
from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import SIDES, piece_letter
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.position import Position
from kogoma.rules.variants import Die, Variant

RANDOM = "random"  # with this answer, a bot leaves the choice to the referee; Onitama's referee does not know it
_UPWARDS = ("rooster", "tiger")  # cards whose steps the referee lists from the bottom up
_BOARD_LETTERS = {"M": "W", "S": "w", "m": "B", "s": "b", "": "."}


class _Answers:
    """The parser of one player's answers."""

    words: int  # number of words of an action
    actions: re.Pattern[str]  # what an answer can begin with, in lower case; not all such actions are legal

    def __init__(self, player: int) -> None:
        self.player = player

    def parse(self, answer: str) -> tuple[str, str] | None:
        """Return the action in a bot's answer, in lower case, and the message after it. Return None if the answer does
        not begin with an action."""
        parts = answer.split(maxsplit=self.words)
        action = " ".join(parts[: self.words]).lower()
        return (action, "".join(parts[self.words :])) if self.actions.fullmatch(action) else None


class ShogiTurns(_Answers):
    """The writer of one player's turns in a game of Minishogi or Dice-Shogi. `lines` must be called for each of the
    player's turns, because it tracks the order of captures, which a position does not store."""

    turn_ms = 100  # time limit for an answer
    words, actions = 1, re.compile(rf"[1-9]{{4}}\+?|[a-z]\*[1-9]{{2}}|{RANDOM}")

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self._hands: list[list[str]] = [[], []]  # letters in the order of their capture

    def once(self) -> list[str]:
        """Return the lines sent once: the player's number and the board's size."""
        return [str(self.player), str(shogi_turn.SIZE)]

    def lines(self, position: BasePosition, roll: int | None) -> list[str]:
        """Return the lines of a turn: board, hands, the die roll if there is a die, the opponent's last action."""
        assert isinstance(position, Position)
        setup, size = position.setup(), shogi_turn.SIZE
        cells = [piece_letter(position.variant, cell) or "." for cell in setup.board]
        rows = ["".join(cells[row * size : row * size + size]) for row in range(size)]
        for hand, counts in zip(self._hands, setup.hands):
            for number, piece in enumerate(position.variant.pieces, 1):
                change = counts[number] - hand.count(piece.letter)
                hand += [piece.letter] * change
                for _ in range(-change):
                    hand.remove(piece.letter)
        held = ["".join(hand) or "-" for hand in self._hands]
        rows += [held[0], held[1].lower()]
        if position.variant.die is not Die.NONE:
            rows.append(str(roll))
        last = position.moves[-1] if position.moves else None
        return [*rows, shogi_turn.to_action(last, 1 - self.player) if last else "none"]

    def action(self, usi: str) -> str:
        """Return a USI move as the referee writes it: `4534+`, `G*33` or `g*33`."""
        return shogi_turn.to_action(usi, self.player)


class OnitamaTurns(_Answers):
    """The writer of one player's turns in a game of Onitama."""

    turn_ms = 50
    words, actions = 2, re.compile(r"[0-9]+ ([a-e][1-5][a-e][1-5]|pass)")

    def once(self) -> list[str]:
        """Return the line sent once: the player's number."""
        return [str(self.player)]

    def lines(self, position: BasePosition, roll: int | None) -> list[str]:
        """Return the lines of a turn: the board, and the five cards with their steps."""
        assert isinstance(position, OnitamaPosition)
        board, size = position.setup().board, 5
        cells = [_BOARD_LETTERS[piece_letter(position.variant, cell)] for cell in board]
        rows = ["".join(cells[row * size : row * size + size]) for row in range(size)]
        for owner, card in _owned(position):
            sign = -1 if (self.player if owner < 0 else owner) else 1
            numbers = [sign * number for step in _listed(card) for number in step]
            rows.append(" ".join(map(str, [owner, card, *numbers, *[0] * (8 - len(numbers))])))
        return rows

    def action(self, usi: str) -> str:
        """Return a USI move as the referee writes it: `12 B1B3`."""
        return onitama_turn.to_action(usi, self.player)


TurnWriter = ShogiTurns | OnitamaTurns


def turn_writer(variant: Variant) -> type[TurnWriter]:
    """Return the writer class for a variant."""
    return OnitamaTurns if variant.cards else ShogiTurns


def _owned(position: OnitamaPosition) -> list[tuple[int, int]]:
    """Return (owner, card) for the five cards in the referee's order. The card in the centre has owner -1. A player's
    new card takes the place of the card that was used."""
    _, turn, cards, *_ = position.start_sfen.split()
    *hands, [centre] = ([int(card) for card in hand.split(",")] for hand in cards.split("/"))
    side = SIDES.index(turn)
    for move in position.moves:
        used = int(move.partition(":")[0])
        slot = hands[side].index(used)
        hands[side][slot], centre = centre, used
        side = 1 - side
    return [(owner, card) for owner in (0, 1) for card in hands[owner]] + [(-1, centre)]


def _listed(card: int) -> list[tuple[int, int]]:
    """Return a card's steps in the referee's order."""
    down = -1 if CARDS[card].name not in _UPWARDS else 1
    return sorted(CARDS[card].moves, key=lambda step: (step[0], down * step[1]))
