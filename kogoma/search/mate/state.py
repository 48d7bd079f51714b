"""The record that the mate solver works in, and its numbers.

A row is one node of the path, counted from 1 at the root. What is known of a row's children lies one after the other in
the fields that begin with `child_`, from `start[row]` up to `end[row]`. The attacker is the side to move at the root.

A hand is one word: six bits a type, of which the highest stays free for comparisons.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kogoma.rules.layout import MAX_MOVES, PLIES, TYPES, Dtype, Field, bitboards, position_dtype, rules_dtype, squares
from kogoma.rules.structs import Fields
from kogoma.search.thread import asked_of_search

INFINITE = 1 << 30  # a proof or disproof number that is never reached
ROWS = 512
ROOT = 1  # the row of the position that is asked for
POOL = 1 << 16  # children of all rows of a path
NO_LIMIT = 4000  # plies that the attacker may take where nobody limits them
FOR_GOOD = 4095  # of a disproof: for any number of plies
ABSOLUTE = 1 << 20  # of a disproof: it does not depend on the row of any position before it
HAND_BITS = 6
USELESS_SHIFT = 16  # in what `solution` returns
UNDECIDED, REFUTED = -1, -2  # what `solve` returns where it has no plies to mate to tell

AWAKE, ASLEEP, STAND_IN, GONE = 0, 1, 2, 3  # child_state: see `search.mate.expand`

assert PLIES > ROWS


PARTS = 40  # of a position's record, at most


def parts_of(dtype: np.dtype[np.void]) -> list[tuple[int, int, int]]:
    """What makes up a position's record, for `search.mate.dfpn`: where a part begins, how many bytes it has that
    count always, and how many for each ply of the game. What a game's history does not fill is most of a record."""
    parts: list[tuple[int, int, int]] = []
    for kind, offset, *_ in (dtype.fields or {}).values():
        if kind.shape[:1] == (PLIES,):
            parts.append((offset, 0, kind.itemsize // PLIES))
        elif parts and parts[-1][2] == 0:
            parts[-1] = parts[-1][0], offset + kind.itemsize - parts[-1][0], 0
        else:
            parts.append((offset, kind.itemsize, 0))
    return parts


@cache
def mate_dtype(layout: str) -> np.dtype[np.void]:
    """One solver's record."""
    rows, pool = ROWS + 4, POOL + MAX_MOVES + 128
    fields: list[Field] = [
        # what Python sets up
        ("copy", np.uint64),  # address of the position that the solver plays on
        ("part_count", np.uint64),
        ("parts", np.uint64, (PARTS, 3)),  # see `parts_of`
        bitboards("origins", layout, 2, squares(layout), TYPES),  # see `fill_origins`
        # what Python asks for
        *asked_of_search(),
        ("attacker", np.uint64),
        ("root_ply", np.int64),
        ("every_move", np.int64),  # 1: the attacker may play any move; 0: checks, and what wins at once
        ("same_hands", np.int64),  # 1: entries of the table count for equal hands alone
        ("tt_full", np.uint64),  # all buckets - 1
        ("grow_at", np.int64),  # nodes from which more are used
        ("salt", np.uint64),  # tells this search's entries from those of others
        # what the solver tells
        ("line", np.uint16, (rows,)),  # a solution
        # what it works with
        ("last_row", np.int64),  # rows that the path may have
        # by row
        ("pn", np.int64, (rows,)),  # proof number: nodes that are yet to be proven, at least, for a mate
        ("dn", np.int64, (rows,)),  # disproof number
        ("dep", np.int64, (rows,)),  # of a disproof: the highest row on which it depends, or ABSOLUTE
        ("length", np.int64, (rows,)),  # of a proof: plies to mate
        ("cut", np.int64, (rows,)),  # of a disproof: 1 if it holds for this number of plies only
        ("need", np.uint64, (rows,)),  # of a proof: the attacker's hand that is enough
        ("best", np.int64, (rows,)),  # index of the child to look at
        ("second", np.int64, (rows,)),  # the number by which that child was chosen, of the next best one
        ("others", np.int64, (rows,)),  # what the other children add to the number that is summed
        ("board_key", np.uint64, (rows,)),  # without hands
        ("hand", np.uint64, (rows,)),  # the attacker's
        ("path", np.uint64, (rows,)),  # of all positions before it
        ("start", np.int64, (rows,)),
        ("end", np.int64, (rows,)),
        # by child
        ("child_move", np.uint16, (pool,)),
        ("child_state", np.uint8, (pool,)),
        ("child_group", np.uint8, (pool,)),  # the square between, plus 1
        ("child_cut", np.uint8, (pool,)),
        ("child_pn", np.int32, (pool,)),
        ("child_dn", np.int32, (pool,)),
        ("child_dep", np.int32, (pool,)),
        ("child_length", np.int32, (pool,)),
        ("child_key", np.uint64, (pool,)),
        ("child_hand", np.uint64, (pool,)),
        ("child_need", np.uint64, (pool,)),
        ("list", np.uint16, (MAX_MOVES,)),
        # of the position that was surveyed last, at the attacker's turn: see `search.mate.replies`
        ("surveyed", np.int64),  # 0: nothing is known
        ("flights", np.int64),  # squares to which the defender's king could step: how many
        bitboards("free", layout, 1),  # and which
        bitboards("bound", layout, 1),  # the king, and pieces of the defender's that may be pinned
        bitboards("hiding", layout, 1),  # pieces of the attacker's that may give a check by leaving their squares
    ]
    return np.dtype(fields)


MATE_STRUCTS: dict[str, Dtype] = {"rules": rules_dtype, "position": position_dtype, "mate": mate_dtype}
"""What every entry of the solver works on, for `native.kernel.entry_point`."""


def fill_origins(rules: Fields, origins: Any) -> None:
    """Fill `origins`, bitboards by side, square of the enemy king, and type: all squares from where a piece of the type
    gets to one on which it, or what it is promoted to, attacks that king, if nothing else is on the board.

    No matrix product: numpy's runs on threads of its own, which wait for each other by spinning. Where other processes
    keep the processors busy, that took 200 ms.
    """
    squares = origins.shape[1]
    steps, reach = (_as_booleans(rules[name])[..., :squares] for name in ("steps", "reach"))
    for side in (0, 1):
        attacks = [steps[side, :, kind] | reach[side, rules["slide_set"][kind]] for kind in range(TYPES)]  # [from, to]
        for kind in range(1, TYPES):
            if kind != rules["king"]:
                giving = attacks[kind] | attacks[int(rules["promoted"][kind])]  # [to, king]
                attackers = _as_bitboards(attacks[kind].T, origins).reshape(squares, -1)  # [to, word] of from
                coming = np.where(giving.T[:, :, None], attackers, np.uint64(0))  # [king, to, word]
                origins[side, :, kind] = np.bitwise_or.reduce(coming, axis=1).reshape(origins[side, :, kind].shape)


def _as_booleans(boards: Any) -> Any:
    """Bitboards of either width; the last axis becomes that of the squares."""
    one_word = boards.ndim == 3
    octets = np.ascontiguousarray(boards[..., None] if one_word else boards).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").astype(bool)


def _as_bitboards(squares: Any, like: Any) -> Any:
    """Rows of booleans as bitboards of the width of `like`."""
    words = like.shape[3] if like.ndim == 4 else 1
    padded = np.zeros((len(squares), 64 * words), bool)
    padded[:, : squares.shape[1]] = squares
    boards = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return boards if like.ndim == 4 else boards[:, 0]
