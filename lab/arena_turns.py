"""The turns of CodinGame's arenas as their referees write them, for bots that know nothing else.

https://www.codingame.com/multiplayer/bot-programming/minishogi (Dice-Shogi has one more line) and .../onitama.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from arena import onitama_turn, shogi_turn
from rules.base import BasePosition
from rules.cards import CARDS
from rules.notation import piece_letter
from rules.onitama_position import OnitamaPosition
from rules.position import Position
from rules.variants import Die

_STEP_ORDER = (1, 0, -1, 2)  # of dy, among a card's steps with the same dx, in the referee's lists
_BOARD_LETTERS = {"M": "W", "S": "w", "m": "B", "s": "b", "": "."}


class TurnWriter(ABC):
    """Writes the turns of one game for one player. It has to see every position in which that player is to move."""

    turn_ms: int  # how long an answer may take

    def __init__(self, player: int) -> None:
        self.player = player

    @abstractmethod
    def once(self) -> list[str]:
        """The lines before the first turn."""

    @abstractmethod
    def lines(self, position: BasePosition, throw: int | None) -> list[str]:
        """The lines of a turn, before the legal actions."""

    @abstractmethod
    def action(self, usi: str) -> str:
        """A move of this player's as the arena writes it."""

    @abstractmethod
    def words(self, answer: str) -> str:
        """The action in an answer; what else a bot may say is left out."""


class ShogiTurns(TurnWriter):
    """Minishogi and Dice-Shogi."""

    turn_ms = 100

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self._hands: list[list[str]] = [[], []]  # letters in the order of their capture

    def once(self) -> list[str]:
        return [str(self.player), str(shogi_turn.SIZE)]

    def lines(self, position: BasePosition, throw: int | None) -> list[str]:
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
            rows.append(str(throw))
        last = position.moves[-1] if position.moves else None
        return [*rows, shogi_turn.to_action(last, 1 - self.player) if last else "none"]

    def action(self, usi: str) -> str:
        return shogi_turn.to_action(usi, self.player)

    def words(self, answer: str) -> str:
        return answer.lower()


class OnitamaTurns(TurnWriter):
    """Onitama."""

    turn_ms = 50

    def __init__(self, player: int) -> None:
        super().__init__(player)
        self._hands: list[list[int]] = []  # both players' cards, a new one where the used one lay

    def once(self) -> list[str]:
        return [str(self.player)]

    def lines(self, position: BasePosition, throw: int | None) -> list[str]:
        assert isinstance(position, OnitamaPosition)
        setup, size = position.setup(), 5
        cells = [_BOARD_LETTERS[piece_letter(position.variant, cell)] for cell in setup.board]
        rows = ["".join(cells[row * size : row * size + size]) for row in range(size)]
        hands = [setup.cards[:2], setup.cards[2:4]]
        self._hands = [_follow(old, new) for old, new in zip(self._hands, hands)] if self._hands else hands
        owned = [(owner, card) for owner in (0, 1) for card in self._hands[owner]] + [(-1, setup.cards[4])]
        for owner, card in owned:
            sign = -1 if (self.player if owner < 0 else owner) else 1
            steps = sorted(CARDS[card].moves, key=lambda step: (step[0], _STEP_ORDER.index(step[1])))
            numbers = [sign * number for step in steps for number in step]
            rows.append(" ".join(map(str, [owner, card, *numbers, *[0] * (8 - len(numbers))])))
        return rows

    def action(self, usi: str) -> str:
        return onitama_turn.to_action(usi, self.player)

    def words(self, answer: str) -> str:
        return " ".join(answer.lower().split()[:2])


def _follow(old: list[int], new: list[int]) -> list[int]:
    """The cards of a hand, where each one that is still there keeps its place."""
    fresh = [card for card in new if card not in old]
    return [card if card in new else fresh.pop() for card in old]
