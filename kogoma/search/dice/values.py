"""Winning chances as integers, and the record that the search of dice games works in.

A value is a winning chance for the side to move: FULL is won, -FULL lost, 0 even. The value of a position before the
throw is `expected` of the sum, over the six faces, of the best move's value at each; integers keep that exact, so that
a search that leaves out what cannot matter finds the same number as one that leaves out nothing.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache

import numpy as np

from kogoma.rules.layout import MAX_MOVES, TYPES, Dtype, Field, squares
from kogoma.search.thread import STRUCTS, asked_of_search

FULL = 1 << 20
FACES = 6
NAMED = 5  # files that faces name, from the right; the other files of a wider board count as one
FILES = NAMED + 1

# Each ply towards a result costs this part of its value, so that a win is worth more now than later.
KEPT, OF = 1023, 1024
NUMERATOR, DENOMINATOR = KEPT, FACES * OF

# Winning chances follow the logistic curve 1 / (1 + 10 ** (-cp / SCALE)), fitted on the results of 8,897 games of
# self-play, 273,822 positions: log loss 0.541, and 0.696 with 1500, which also lost 56% of 200 games to 3500. An
# evaluation alone is never sure: what is left of FULL separates the best of leaves from a won game.
SCALE = 4000.0
SUREST = 0.98
TABLED = 8192  # centipawns; scores beyond count as this many

MAX_DEPTH = 40
NO_LIMIT = 1 << 40  # plies of a game without a limit


@cache
def chance_curve() -> list[int]:
    """Centipawns 0..TABLED - 1 -> value; negative scores have the negated values."""
    return [round((2 / (1 + 10 ** (-score / SCALE)) - 1) * SUREST * FULL) for score in range(TABLED)]


def value_of(centipawns: int) -> int:
    """The value of a leaf that is worth so many centipawns."""
    value = chance_curve()[min(abs(centipawns), TABLED - 1)]
    return value if centipawns >= 0 else -value


def centipawns_of(value: int) -> int:
    """The score whose leaf would have the value next to this one."""
    centipawns = min(bisect_left(chance_curve(), abs(value)), TABLED - 1)
    return centipawns if value >= 0 else -centipawns


@cache
def dice_thread_dtype(layout: str) -> np.dtype[np.void]:
    """The record of one search. Rows are plies from the root, columns of `lo`, `hi`, ... are files (`file_of`)."""
    n = squares(layout)
    rows = MAX_DEPTH + 2
    fields: list[Field] = [
        *asked_of_search(),
        ("last_ply", np.int64),  # plies of the game after which it is a draw
        ("draw_value", np.int64, (2,)),  # for Black and for White
        ("tt_exact", np.int64),  # 1: values are used at equal depth alone; 0: those of deeper searches, too
        ("full_depth", np.int64),  # 1: all moves are searched equally deep; 0: late ones less, at first
        ("chance_curve", np.int32, (TABLED,)),  # `chance_curve`
        ("root_count", np.uint64),
        ("root_move", np.uint16, (MAX_MOVES,)),
        # what the search tells
        ("root_best", np.uint64),  # 0: none is known yet
        ("root_value", np.int64),
        # what it works with
        ("tt_off", np.int64),  # 1: entries order moves, and their values are not used (`past_decides`)
        ("proof_nodes", np.int64),  # what is left for the proof that a game is decided
        ("list", np.uint16, (rows, MAX_MOVES)),  # as generated
        ("move", np.uint16, (rows, MAX_MOVES)),  # file by file, the most promising first
        ("order", np.int64, (rows, MAX_MOVES)),
        ("first", np.uint64, (rows, FILES)),  # of the file's moves in `move`; the next one to search
        ("end", np.uint64, (rows, FILES)),
        ("lo", np.int64, (rows, FILES)),  # bounds of the best value of a move to that file
        ("hi", np.int64, (rows, FILES)),
        ("top", np.int64, (rows, FILES)),  # no move searched so far is better
        ("best", np.uint64, (rows, FILES)),
        ("turn", np.uint64, (rows, FILES)),  # files that have moves, in the order of search
        ("history", np.int16, (2 * (n + TYPES) * n,)),
    ]
    return np.dtype(fields)


DICE_STRUCTS: dict[str, Dtype] = {**STRUCTS, "thread": dice_thread_dtype}
"""What every entry of the search works on, for `native.kernel.entry_point`."""
