"""A game of Onitama in Python."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.move_encoding import CARD
from kogoma.rules.notation import SIDE_NAMES, board_lines
from kogoma.rules.onitama.notation import (
    OnitamaSetup,
    move_to_text,
    pack,
    parse_onitama,
    swapped,
    text_to_move,
    unpack,
    write_onitama,
)
from kogoma.rules.onitama_cards import CARDS


class OnitamaPosition(BasePosition):
    """A position of Onitama and the game that led to it. Black is player 0.

    >>> position = OnitamaPosition("onitama", "ssmss/5/5/5/SSMSS b 12,14/7,11/13 1")
    >>> len(position.legal_moves())
    12
    >>> position.push("12:b1a2")
    >>> position.sfen()
    'ssmss/5/5/S4/S1MSS w 13,14/7,11/12 2'
    """

    def _start(self) -> None:
        setup = parse_onitama(self.start_sfen, self.variant)
        struct = self.fields
        struct["board"][: len(setup.board)] = setup.board
        struct["cards"][0] = pack(setup.cards)
        struct["side"] = setup.turn
        struct["game_ply"] = setup.number - 1
        self._library("init_position", *self.addresses)

    def _encode(self, usi: str) -> int:
        return text_to_move(self.variant, usi, self.cards, self.turn)

    def variation(self, moves: list[int]) -> list[str]:
        """Return a sequence of move codes as text. The card of each move depends on the moves before it."""
        texts, cards, side = [], self.cards, self.turn
        for move in moves:
            texts.append(move_to_text(self.variant, move, cards, side))
            cards = swapped(cards, side, bool(move & int(CARD)))
            side = 1 - side
        return texts

    @property
    def cards(self) -> list[int]:
        """Return the numbers of five cards (see `rules.onitama_cards`): Black's two, White's two and the one in the
        centre."""
        return unpack(int(self.fields["cards"][int(self.fields["ply"])]))

    def setup(self) -> OnitamaSetup:
        """Return board, cards, side to move and move number as a set-up."""
        board = [int(cell) for cell in self.fields["board"][: self.variant.squares]]
        return OnitamaSetup(board, self.cards, self.turn, self.ply + 1)

    def sfen(self) -> str:
        """Return the position as SFEN, with the cards of Black, White and the centre, and the move number."""
        return write_onitama(self.setup(), self.variant)

    def __str__(self) -> str:
        """Return a diagram with cards, SFEN and hash key."""
        setup, variant = self.setup(), self.variant
        lines = board_lines(variant, setup.board, map(str, range(variant.ranks, 0, -1)))
        lines.append("".join(f"  {letter} " for letter in "abcdefghi"[: variant.files]))
        named = [f"{card} {CARDS[card].name}" for card in setup.cards]
        for side, name in enumerate(SIDE_NAMES):
            lines.append(f"{name}'s cards: {', '.join(named[2 * side : 2 * side + 2])}")
        return "\n".join([*lines, f"In the centre: {named[4]}", f"Sfen: {self.sfen()}", f"Key: {self.key:016X}"])
