"""The text of moves in USI and Onitama: the only patterns of them, for all readers of moves.

It uses the standard library alone, so that engines that have not loaded the rules can tell moves from other words.
"""

from __future__ import annotations

import re

USI_MOVE = re.compile(r"(?:(\+?[A-Z])\*|([1-9][a-z]))([1-9][a-z])([+-]?)")
"""A move of a shogi variant: `2e3d`, `2b2a+`, `P*3c` and, if pieces may be dropped with either side up, `+P*3c`. Its
groups are the dropped piece or None, the origin or None, the target, and the suffix. If a promoted piece turns back
into an unpromoted one, Fairy-Stockfish writes the suffix `-`; Kogoma writes `+`, and reads both."""

ONITAMA_MOVE = re.compile(r"([0-9]{1,2}):(?:pass|([a-z])([1-9])([a-z])([1-9]))")
"""A move of Onitama, such as `10:b1b3` or `10:pass`. Its groups are the number of the card, and the columns and rows of
origin and target, which are None for a pass."""


def read_move(text: str) -> str | None:
    """Return a move of any variant, legal or not, as Kogoma writes it, or None if the text is not a move.

    >>> read_move("+P*3c"), read_move("2b2a-"), read_move("01:b1b3"), read_move("depth")
    ('+P*3c', '2b2a+', '1:b1b3', None)
    """
    if USI_MOVE.fullmatch(text):
        return text.replace("-", "+")
    card, _, rest = text.partition(":")
    return f"{int(card)}:{rest}" if ONITAMA_MOVE.fullmatch(text) else None
