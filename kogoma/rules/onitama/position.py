"""A game of Onitama as Python sees it."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.cards import CARDS
from kogoma.rules.moves import CARD
from kogoma.rules.notation import SIDE_NAMES, piece_letter
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
from kogoma.rules.outcome import Ending, Outcome
from kogoma.rules.variants import ONITAMA, Variant


class OnitamaPosition(BasePosition):
    """A position of Onitama and the game that led to it. Black is player 0.

    >>> position = OnitamaPosition(sfen="ssmss/5/5/5/SSMSS b 12,14/7,11/13 1")
    >>> len(position.legal_moves())
    12
    >>> position.push("12:b1a2")
    >>> position.sfen()
    'ssmss/5/5/S4/S1MSS w 13,14/7,11/12 2'
    """

    def __init__(self, variant: Variant | str = ONITAMA, sfen: str | None = None) -> None:
        """The start of the variant, or an SFEN; ValueError, in one line, if that is no position of the game."""
        super().__init__(variant, sfen)

    def _start(self) -> int:
        setup = parse_onitama(self.start_sfen, self.variant)
        record = self.fields
        record["board"][: len(setup.board)] = setup.board
        record["cards"][0] = pack(setup.cards)
        record["side"] = setup.turn
        record["game_ply"] = setup.number - 1
        self._library("init_position", *self.addresses)
        return setup.number

    def _encode(self, usi: str) -> int:
        return text_to_move(self.variant, usi, self.cards, self.turn)

    def variation(self, moves: list[int]) -> list[str]:
        """A line of the kernels' moves as text: which card each plays depends on those before it."""
        texts, cards, side = [], self.cards, self.turn
        for move in moves:
            texts.append(move_to_text(self.variant, move, cards, side))
            cards = swapped(cards, side, bool(move & int(CARD)))
            side = 1 - side
        return texts

    @property
    def cards(self) -> list[int]:
        """Numbers of Black's two cards, White's two and the one in the centre (`rules.cards`)."""
        return unpack(int(self.fields["cards"][int(self.fields["ply"])]))

    def setup(self) -> OnitamaSetup:
        """Board, cards, turn and move number as plain lists."""
        board = [int(cell) for cell in self.fields["board"][: self.variant.squares]]
        return OnitamaSetup(board, self.cards, self.turn, self.ply + 1)

    def sfen(self) -> str:
        """The position as SFEN, with cards and move number."""
        return write_onitama(self.setup(), self.variant)

    def outcome(self) -> Outcome | None:
        """How the game has ended, or None while it goes on: only the last move can have won it."""
        ending = self._library("ended_by", *self.addresses)
        if ending != Ending.NONE:
            return Outcome(1 - self.turn, "master_captured" if ending == Ending.KING_CAPTURED else "shrine")
        return Outcome(None, "max_plies") if self.ply >= self.variant.max_plies else None

    def __str__(self) -> str:
        """A diagram with cards, SFEN and key."""
        setup, files, ranks = self.setup(), self.variant.files, self.variant.ranks
        edge = "+" + "---+" * files
        lines = [edge]
        for row in range(ranks):
            cells = setup.board[row * files : (row + 1) * files]
            lines.append("".join(f"|{piece_letter(self.variant, cell):>2} " for cell in cells) + f"| {ranks - row}")
            lines.append(edge)
        lines.append("".join(f"  {chr(ord('a') + column)} " for column in range(files)))
        named = [f"{card} {CARDS[card].name}" for card in setup.cards]
        for side, name in enumerate(SIDE_NAMES):
            lines.append(f"{name}'s cards: {', '.join(named[2 * side : 2 * side + 2])}")
        return "\n".join([*lines, f"In the centre: {named[4]}", f"Sfen: {self.sfen()}", f"Key: {self.key:016X}"])
