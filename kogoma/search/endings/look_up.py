"""Kernels that look up the value of an ending of Onitama, for Python and for the nodes of a search."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.native.bitboard import ONE, ZERO
from kogoma.native.kernel import kernel
from kogoma.native.memory import load_byte
from kogoma.native.types import Int
from kogoma.rules.onitama.moves import card_of, centre_card
from kogoma.rules.types import Position
from kogoma.search.endings.index import at, lowest, number_of, size
from kogoma.search.endings.tables import LONGEST, SQUARES, STOPPED, UNKNOWN, Endings


@kernel
def value_of(table: Endings, position: Position) -> Any:
    """Return the number of plies to the end of a position that has not ended, or DRAW. Return UNKNOWN if it has no
    entry, because it has too many men or other cards, or if the entries have not been computed."""
    if table.undecided == STOPPED:
        return np.int64(UNKNOWN)
    us, them = position.side, position.side ^ ONE
    ours, theirs = position.by_side[us], position.by_side[them]
    masters = position.by_type[table.master]
    if size(ours | theirs) > table.men or ours & masters == 0 or theirs & masters == 0:
        return np.int64(UNKNOWN)
    cards = position.cards[position.ply]
    one, two = table.card[card_of(cards, us, ZERO)], table.card[card_of(cards, us, ONE)]
    three, four = table.card[card_of(cards, them, ZERO)], table.card[card_of(cards, them, ONE)]
    centre = table.card[centre_card(cards)]
    if min(one, two, three, four, centre) == UNKNOWN:
        return np.int64(UNKNOWN)
    board = number_of(
        table,
        lowest(as_seen(ours & masters, us)),
        lowest(as_seen(theirs & masters, us)),
        as_seen(ours & ~masters, us),
        as_seen(theirs & ~masters, us),
    )
    if board == UNKNOWN:
        return np.int64(UNKNOWN)
    found = load_byte(at(table, table.distribution[1 << one | 1 << two, centre], board))
    return found if found <= LONGEST else table.undecided


@kernel
def as_seen(squares: Int, side: Int) -> Any:
    """Return a set of squares as a side sees the board."""
    rest, found = np.int64(squares), 0
    if side == 0:
        return rest
    while rest != 0:
        found |= 1 << SQUARES - 1 - lowest(rest)
        rest &= rest - 1
    return found
