"""Positions in Python: `new_position` creates a `Position` or an `OnitamaPosition`, depending on the variant."""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.notation import (
    SIDE_NAMES,
    Setup,
    board_lines,
    hand_text,
    move_to_usi,
    parse_sfen,
    square_name,
    usi_to_move,
    write_sfen,
)
from kogoma.rules.onitama.notation import parse_onitama
from kogoma.rules.onitama.position import OnitamaPosition
from kogoma.rules.structs import bits
from kogoma.rules.variants import Variant, find


class Position(BasePosition):
    """A position of a shogi variant and the game that led to it.

    >>> position = Position("minishogi")
    >>> len(position.legal_moves())
    14
    >>> position.push("2e3d")
    >>> position.sfen()
    'rbsgk/4p/5/P1B2/KGS1R w - 2'
    """

    def _start(self) -> None:
        setup = parse_sfen(self.start_sfen, self.variant)
        struct = self.fields
        struct["board"][: len(setup.board)] = setup.board
        for side in (0, 1):
            struct["hand"][side][: len(setup.hands[side])] = setup.hands[side]
        struct["side"] = setup.turn
        struct["game_ply"] = setup.number - 1
        if self._library("init_position", *self.addresses) and not self.variant.king_capture:
            raise ValueError(f"sfen: {SIDE_NAMES[setup.turn]} is to move and could capture the king")

    def _encode(self, usi: str) -> int:
        return usi_to_move(self.variant, usi)

    def variation(self, moves: list[int]) -> list[str]:
        """Convert a sequence of move codes to USI notation."""
        return [move_to_usi(self.variant, move) for move in moves]

    @property
    def checkers(self) -> list[str]:
        """Return the squares of the pieces that give check to the side to move."""
        found = self._checkers()
        return [square_name(self.variant, square) for square in range(self.variant.squares) if found >> square & 1]

    @property
    def in_check(self) -> bool:
        """Whether the side to move is in check."""
        return self._checkers() != 0

    def _checkers(self) -> int:
        return bits(self.fields["checkers"][int(self.fields["ply"])])

    def setup(self) -> Setup:
        """Return board, hands, side to move and move number as a set-up."""
        struct = self.fields
        board = [int(cell) for cell in struct["board"][: self.variant.squares]]
        return Setup(board, [[int(n) for n in hand] for hand in struct["hand"]], self.turn, self.ply + 1)

    def sfen(self) -> str:
        """Return the position as SFEN, with hands and move number."""
        return write_sfen(self.setup(), self.variant)

    def __str__(self) -> str:
        """Return a diagram with hands, SFEN, hash key and checkers."""
        setup, variant = self.setup(), self.variant
        lines = ["  ".join(f"{file:>2}" for file in range(variant.files, 0, -1))]
        lines += board_lines(variant, setup.board, "abcdefghi"[: variant.ranks])
        for side, name in enumerate(SIDE_NAMES):
            lines.append(f"{name}'s hand: {hand_text(variant, setup.hands[side], side) or '-'}")
        lines += [f"Sfen: {self.sfen()}", f"Key: {self.key:016X}", f"Checkers: {' '.join(self.checkers)}".rstrip()]
        return "\n".join(lines)


def new_position(variant: Variant | str, sfen: str | None = None) -> Position | OnitamaPosition:
    """Return the start position of the variant, or the position of an SFEN. Raises ValueError for an invalid SFEN."""
    variant = find(variant) if isinstance(variant, str) else variant
    return OnitamaPosition(variant, sfen) if variant.cards else Position(variant, sfen)


def check_sfen(variant: Variant, sfen: str) -> None:
    """Raise ValueError if an SFEN is not valid for the variant. A king that could be captured is not noticed, because
    only the compiled rules can detect it."""
    if variant.cards:
        parse_onitama(sfen, variant)
    else:
        parse_sfen(sfen, variant)
