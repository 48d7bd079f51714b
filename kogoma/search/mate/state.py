"""The struct that the mate solver works on, and its constants.

A row is a node of the current path, counted from 1 at the root. The children of a row are stored consecutively in the
fields named `child_...`, from `start[row]` to `end[row]`. The attacker is the side to move at the root. A hand is
packed into one integer, six bits per type. The highest of the six is always 0, because `table.covers` needs it.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kogoma.rules.layout import MAX_MOVES, PLIES, TYPES, Dtype, Field, bitboards, position_dtype, rules_dtype, squares
from kogoma.rules.structs import Fields
from kogoma.search.thread import common_fields

INFINITE = 1 << 30  # larger than any proof or disproof number
ROWS = 512
ROOT = 1  # the row of the root position
POOL = 1 << 16  # maximum number of children of all rows of a path
NO_LIMIT = 4000  # limit of the mate's length if none is given, in plies
FOR_GOOD = 4095  # length of a disproof for any number of plies
ABSOLUTE = 1 << 20  # value of `dep` for a disproof that does not depend on the path
HAND_BITS = 6
USELESS_SHIFT = 16  # in the result of `solution`
UNDECIDED, REFUTED = -1, -2  # results of `solve` without a mate

AWAKE, ASLEEP, STAND_IN, GONE = 0, 1, 2, 3  # child_state: see `search.mate.expand`

assert PLIES > ROWS


PARTS = 40  # maximum number of parts of a position struct: see `parts_of`


def parts_of(dtype: np.dtype[np.void]) -> list[tuple[int, int, int]]:
    """Return the memory ranges of a position struct, each as (offset, fixed bytes, bytes per ply). `dfpn.copy_position`
    uses them to copy only the plies in use."""
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
    """Return the dtype of the struct that the mate solver works on."""
    rows, pool = ROWS + 4, POOL + MAX_MOVES + 128
    fields: list[Field] = [
        # set by `MateSolver.set_up`
        ("copy", np.uint64),  # address of the position that the solver plays on
        ("part_count", np.uint64),
        ("parts", np.uint64, (PARTS, 3)),  # see `parts_of`
        bitboards("origins", layout, 2, squares(layout), TYPES),  # see `fill_origins`
        # set by Python for each search
        *common_fields(),
        ("attacker", np.uint64),
        ("root_ply", np.int64),
        ("every_move", np.int64),  # 1: the attacker may play any move; 0: only checks and moves that win at once
        ("same_hands", np.int64),  # 1: table entries are used for equal hands only
        ("tt_full", np.uint64),  # number of all buckets, minus 1; `tt_mask` may use fewer
        ("grow_at", np.int64),  # number of nodes at which more buckets are used
        ("salt", np.uint64),  # distinguishes the table entries of this search from others
        # results
        ("line", np.uint16, (rows,)),  # the moves of a solution
        # working memory
        ("last_row", np.int64),  # maximum number of rows
        # by row of the search path
        ("pn", np.int64, (rows,)),  # proof number
        ("dn", np.int64, (rows,)),  # disproof number
        ("dep", np.int64, (rows,)),  # disproof: the first row on which it depends, or ABSOLUTE
        ("length", np.int64, (rows,)),  # proof: plies to mate
        ("cut", np.int64, (rows,)),  # disproof: 1 if it holds for the ply limit of the search only
        ("need", np.uint64, (rows,)),  # proof: the attacker's hand that suffices
        ("best", np.int64, (rows,)),  # index of the child to search
        ("second", np.int64, (rows,)),  # proof or disproof number of the second-best child
        ("others", np.int64, (rows,)),  # number of the other children that are still open
        ("board_key", np.uint64, (rows,)),  # hash key without hands
        ("hand", np.uint64, (rows,)),  # the attacker's packed hand
        ("path", np.uint64, (rows,)),  # key of all earlier positions on the path
        ("start", np.int64, (rows,)),  # index of the first child
        ("end", np.int64, (rows,)),  # index after the last child
        # by child
        ("child_move", np.uint16, (pool,)),
        ("child_state", np.uint8, (pool,)),
        ("child_group", np.uint8, (pool,)),  # the square of an interposition, plus 1
        ("child_cut", np.uint8, (pool,)),
        ("child_pn", np.int32, (pool,)),
        ("child_dn", np.int32, (pool,)),
        ("child_dep", np.int32, (pool,)),
        ("child_length", np.int32, (pool,)),
        ("child_key", np.uint64, (pool,)),
        ("child_hand", np.uint64, (pool,)),
        ("child_need", np.uint64, (pool,)),
        ("list", np.uint16, (MAX_MOVES,)),
        # set by `search.mate.replies.prepare_replies` at the attacker's turn
        ("prepared", np.int64),  # 0: the fields below are not valid
        ("flights", np.int64),  # number of squares to which the defender's king can step
        bitboards("free", layout, 1),  # the squares that `flights` counts
        bitboards("bound", layout, 1),  # the defender's king and possibly pinned pieces
        bitboards("hiding", layout, 1),  # pieces that can give a discovered check; set by `checks.generate_all_checks`
    ]
    return np.dtype(fields)


MATE_STRUCTS: dict[str, Dtype] = {"rules": rules_dtype, "position": position_dtype, "mate": mate_dtype}
"""The structs that every entry point of the solver takes, for `native.kernel.entry_point`."""


def fill_constants(mate: Fields, position: np.dtype[np.void], rules: Fields | None) -> None:
    """Fill the fields of the solver's struct that depend on the layout and the variant only, except for `copy`.
    `position` is the dtype of a position struct; `rules` is None in games without checks, as Onitama."""
    parts = parts_of(position)
    mate["part_count"], mate["parts"][: len(parts)] = len(parts), parts
    if rules is not None:
        fill_origins(rules, mate["origins"])


def fill_origins(rules: Fields, origins: Any) -> None:
    """Fill `origins`, an array of bitboards indexed by side, square of the enemy king and piece type. Each bitboard
    holds the squares from which a piece of that type can move, on an empty board, to a square from which it, or its
    promoted form, attacks the king. A matrix product of numpy would be simpler, but the threads of numpy wait by
    spinning, which took 200 ms on busy processors."""
    squares = origins.shape[1]
    # Comments in brackets name the axes of an array: `from`, `to` and `king` are squares, and `word` is a word of a
    # bitboard of the squares `from`. The square for pieces off the board is left out.
    steps = _as_booleans(rules["steps"][:, :squares])[..., :squares]
    reach = _as_booleans(rules["reach"][:, :, :squares])[..., :squares]
    for side in (0, 1):
        attacks = [steps[side, :, kind] | reach[side, rules["slide_set"][kind]] for kind in range(TYPES)]  # [from, to]
        for kind in range(1, TYPES):
            if kind != rules["king"]:
                giving = attacks[kind] | attacks[int(rules["promoted"][kind])]  # [to, king]
                attackers = _as_bitboards(attacks[kind].T, origins).reshape(squares, -1)  # [to, word]
                coming = np.where(giving.T[:, :, None], attackers, np.uint64(0))  # [king, to, word]
                origins[side, :, kind] = np.bitwise_or.reduce(coming, axis=1).reshape(origins[side, :, kind].shape)


def _as_booleans(boards: Any) -> Any:
    """Return bitboards of one or more words as an array of booleans whose last axis is the square."""
    one_word = boards.ndim == 3
    octets = np.ascontiguousarray(boards[..., None] if one_word else boards).view(np.uint8)
    return np.unpackbits(octets, axis=-1, bitorder="little").astype(bool)


def _as_bitboards(squares: Any, like: Any) -> Any:
    """Return rows of booleans as bitboards that have as many words as those in `like`."""
    words = like.shape[3] if like.ndim == 4 else 1
    padded = np.zeros((len(squares), 64 * words), bool)
    padded[:, : squares.shape[1]] = squares
    boards = np.packbits(padded, axis=1, bitorder="little").view(np.uint64)
    return boards if like.ndim == 4 else boards[:, 0]
