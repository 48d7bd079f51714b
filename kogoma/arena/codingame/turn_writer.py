"""The turns of CodinGame's arenas as their referees write them, for bots written for them.

https://www.codingame.com/multiplayer/bot-programming/minishogi (Dice-Shogi has one more line) and .../onitama.
"""

from __future__ import annotations

from kogoma.arena.codingame import onitama_turn, shogi_turn
from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import SIDES, piece_letter
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.position import Position
from kogoma.rules.variants import Die, Variant

_UPWARDS = ("rooster", "tiger")  # cards whose steps the referee lists from the bottom up, and not from the top
_BOARD_LETTERS = {"M": "W", "S": "w", "m": "B", "s": "b", "": "."}


class ShogiTurns:
    """Writes the turns of a game of Minishogi or Dice-Shogi for one player. `lines` has to be called for each of that
    player's turns: the order of captures is not in a position."""

    turn_ms = 100  # how long an answer may take

    def __init__(self, player: int) -> None:
        self.player = player
        self._hands: list[list[str]] = [[], []]  # letters in the order of their capture

    def once(self) -> list[str]:
        """The player's number and the board's size."""
        return [str(self.player), str(shogi_turn.SIZE)]

    def lines(self, position: BasePosition, throw: int | None) -> list[str]:
        """Board, hands, the throw where there is a die, and the opponent's last action."""
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
        """`4534+`, `G*33` or `g*33`."""
        return shogi_turn.to_action(usi, self.player)

    def action_in(self, answer: str) -> str:
        """The whole answer; letters of either case will do."""
        return answer.lower()


class OnitamaTurns:
    """Writes the turns of a game of Onitama for one player, as `ShogiTurns` does."""

    turn_ms = 50

    def __init__(self, player: int) -> None:
        self.player = player

    def once(self) -> list[str]:
        """The player's number."""
        return [str(self.player)]

    def lines(self, position: BasePosition, throw: int | None) -> list[str]:
        """The board, and the five cards with the steps that they allow."""
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
        """`12 B1B3`."""
        return onitama_turn.to_action(usi, self.player)

    def action_in(self, answer: str) -> str:
        """Card and move; a message may follow them."""
        return " ".join(answer.lower().split()[:2])


TurnWriter = ShogiTurns | OnitamaTurns


def turn_writer(variant: Variant) -> type[TurnWriter]:
    """What writes the turns of a game."""
    return OnitamaTurns if variant.cards else ShogiTurns


def _owned(position: OnitamaPosition) -> list[tuple[int, int]]:
    """Owner and number of every card in the referee's order: a new card takes the slot of the one that was used."""
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
    """A card's steps in the referee's order."""
    down = -1 if CARDS[card].name not in _UPWARDS else 1
    return sorted(CARDS[card].moves, key=lambda step: (step[0], down * step[1]))
