"""Die rolls: which of the legal moves a roll allows.

A roll from 1 to 5 names the file on which a move must end, counted as in USI (1 is the right-most file as Black sees
the board). A 6 allows every move, and so does a roll for whose file there is no legal move. Rules:
http://minerva.cs.uec.ac.jp/cgi-bin/uec55shogi/wiki.cgi?page=The+Rule+of+Dice-Shogi
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kogoma.rules.variants import FACES, Die

if TYPE_CHECKING:
    from kogoma.rules.base_position import BasePosition


def allowed_codes(position: BasePosition, roll: int | None) -> list[int]:
    """Return the codes of the legal moves that a roll from 1 to 6 allows, or of all legal moves if the roll is None.
    Raises ValueError if the roll is not in this range, or if the variant has no die."""
    if roll is None:
        return position.legal_codes()
    variant = position.variant
    if variant.die is Die.NONE:
        raise ValueError(f"{variant.name} is played without a die")
    if not 1 <= roll <= FACES:
        raise ValueError(f"a die roll is a number from 1 to {FACES}, not {roll}")
    return position.legal_codes(roll)


def allowed(position: BasePosition, roll: int | None) -> list[str]:
    """Return the moves of `allowed_codes` in USI notation.

    >>> from kogoma.rules.position import new_position
    >>> sorted(allowed(new_position("dice"), 4))
    ['2e4c', '3e4d', '4e4d', '5e4d']
    """
    return [position.usi(move) for move in allowed_codes(position, roll)]
