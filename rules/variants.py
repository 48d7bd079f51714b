"""Every game as a small frozen record of differences from another, with a link to its rules.

A variant says what is on the board and what its rules are; `rules.tables` turns it into the arrays the kernels
read. Nothing here knows how anything is computed, and nothing but the standard library is imported.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import IntEnum

Vector = tuple[int, int]  # (columns to the right, rows forward), as the piece's owner sees it

FORWARD, BACK, LEFT, RIGHT = (0, 1), (0, -1), (-1, 0), (1, 0)
FORWARD_LEFT, FORWARD_RIGHT, BACK_LEFT, BACK_RIGHT = (-1, 1), (1, 1), (-1, -1), (1, -1)
ORTHOGONALS: tuple[Vector, ...] = (FORWARD, BACK, LEFT, RIGHT)
DIAGONALS: tuple[Vector, ...] = (FORWARD_LEFT, FORWARD_RIGHT, BACK_LEFT, BACK_RIGHT)


class RepetitionResult(IntEnum):
    """Who loses when a position has come up too often and nobody gave perpetual check."""

    NONE = 0  # repetition is not looked at
    BLACK_LOSES = 1
    DRAW = 2


class CheckRule(IntEnum):
    """Which checks turn a repetition into a loss for the side that gave them."""

    NONE = 0
    PERPETUAL = 1  # every move of that side between the first and the last occurrence gave check
    STANDING = 2  # the side to move is in check in the repeated position itself


@dataclass(frozen=True)
class Piece:
    """How one piece moves. `promoted` is the letter of its other side, written `+X` in SFEN, or "" if it has none."""

    letter: str
    steps: tuple[Vector, ...] = ()
    slides: tuple[Vector, ...] = ()
    promotes_to: str = ""
    royal: bool = False
    one_per_file: bool = False  # nifu: no drop on a file that already holds one
    no_drop_mate: bool = False  # uchifuzume: a drop that mates at once is illegal


GOLD_STEPS = (*ORTHOGONALS, FORWARD_LEFT, FORWARD_RIGHT)

KING = Piece("K", steps=ORTHOGONALS + DIAGONALS, royal=True)
GOLD = Piece("G", steps=GOLD_STEPS)
SILVER = Piece("S", steps=(*DIAGONALS, FORWARD), promotes_to="+S")
PAWN = Piece("P", steps=(FORWARD,), promotes_to="+P", one_per_file=True, no_drop_mate=True)
BISHOP = Piece("B", slides=DIAGONALS, promotes_to="+B")
ROOK = Piece("R", slides=ORTHOGONALS, promotes_to="+R")
TOKIN = Piece("+P", steps=GOLD_STEPS)
PROMOTED_SILVER = Piece("+S", steps=GOLD_STEPS)
HORSE = Piece("+B", steps=ORTHOGONALS, slides=DIAGONALS)
DRAGON = Piece("+R", steps=DIAGONALS, slides=ORTHOGONALS)


@dataclass(frozen=True)
class Variant:
    """One game. Pieces are listed with those that can be in hand first, the weakest first of all."""

    name: str
    rules: str  # where the rules are published
    files: int
    ranks: int
    start: str
    pieces: tuple[Piece, ...] = field(repr=False)
    promotion_ranks: int = 1
    repetition_fold: int = 4  # which occurrence of board + hands + side to move ends the game
    repetition_result: RepetitionResult = RepetitionResult.BLACK_LOSES
    check_rule: CheckRule = CheckRule.PERPETUAL
    max_plies: int = 0  # 0: no limit; otherwise a draw after that many plies

    @property
    def squares(self) -> int:
        """How many squares the board has."""
        return self.files * self.ranks

    @property
    def letters(self) -> dict[str, int]:
        """Piece letter ("P", "+P") -> type number, counted from 1."""
        return {piece.letter: number for number, piece in enumerate(self.pieces, 1)}


MINISHOGI = Variant(
    name="minishogi",
    rules="https://en.wikipedia.org/wiki/Minishogi",
    files=5,
    ranks=5,
    start="rbsgk/4p/5/P4/KGSBR b - 1",
    pieces=(PAWN, SILVER, GOLD, BISHOP, ROOK, KING, TOKIN, PROMOTED_SILVER, HORSE, DRAGON),
)

MINISHOGI_CODINGAME = replace(
    MINISHOGI,
    name="minishogi-codingame",
    rules="https://www.codingame.com/multiplayer/bot-programming/minishogi",
    repetition_fold=3,
    check_rule=CheckRule.STANDING,
    max_plies=300,
)

VARIANTS: dict[str, Variant] = {variant.name: variant for variant in (MINISHOGI, MINISHOGI_CODINGAME)}


def find(name: str) -> Variant:
    """The variant of that name; ValueError, listing the known names, if there is none."""
    try:
        return VARIANTS[name.lower()]
    except KeyError:
        raise ValueError(f"unknown variant {name!r}; known: {', '.join(VARIANTS)}") from None


def shape(sfen: str) -> tuple[int, int]:
    """(files, ranks) of an SFEN's board, by its first row; ValueError if that row can't be read."""
    board = (sfen.split() or [""])[0]
    first_row = board.split("/")[0]
    if len(first_row) > 64 or not re.fullmatch(r"([0-9]+|\+?[A-Za-z])+", first_row):
        raise ValueError(f"sfen: cannot read the board's first row {first_row[:40]!r}")
    cells = re.findall(r"[0-9]+|\+?[A-Za-z]", first_row)
    return sum(int(cell) if cell.isdigit() else 1 for cell in cells), board.count("/") + 1


def infer(sfen: str, preferred: Variant) -> Variant:
    """The variant an SFEN's board shape asks for: `preferred` if it fits, otherwise the first that does."""
    files, ranks = shape(sfen)
    for variant in (preferred, *VARIANTS.values()):
        if (variant.files, variant.ranks) == (files, ranks):
            return variant
    raise ValueError(f"sfen: no game is played on a board of {files} files and {ranks} ranks")
