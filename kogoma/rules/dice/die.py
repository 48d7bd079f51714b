"""Throws of the die: which of the legal moves a throw allows.

A throw of 1 to 5 names the file on which a move has to end, counted as USI counts files, 1 being the right-most column
as Black sees the board. 6 frees the choice, and so does a throw for whose file there is no legal move. Rules:
http://minerva.cs.uec.ac.jp/cgi-bin/uec55shogi/wiki.cgi?page=The+Rule+of+Dice-Shogi
"""

from __future__ import annotations

from kogoma.rules.base_position import BasePosition
from kogoma.rules.move_encoding import SQUARE_MASK
from kogoma.rules.variants import Die

FACES = 6
FREE = 6  # the face that names no file


def allowed_codes(position: BasePosition, throw: int | None) -> list[int]:
    """The legal moves that a throw of 1 to 6 allows, or all if there is none (yet), as the kernels encode them;
    ValueError for any other number, or for a throw in a game without a die."""
    moves = position.legal_codes()
    if throw is None:
        return moves
    variant = position.variant
    if variant.die is Die.NONE:
        raise ValueError(f"{variant.name} is played without a die")
    if not 1 <= throw <= FACES:
        raise ValueError(f"a throw is a number from 1 to {FACES}, not {throw}")
    if throw == FREE or (variant.die is Die.UNLESS_IN_CHECK and position.in_check):
        return moves
    column = variant.files - throw
    return [move for move in moves if (move & int(SQUARE_MASK)) % variant.files == column] or moves


def allowed(position: BasePosition, throw: int | None) -> list[str]:
    """As `allowed_codes`, in USI notation.

    >>> from kogoma.rules.position import new_position
    >>> sorted(allowed(new_position("dice"), 4))
    ['2e4c', '3e4d', '4e4d', '5e4d']
    """
    return [position.usi(move) for move in allowed_codes(position, throw)]
