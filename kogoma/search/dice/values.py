"""Winning chances as integers, and the struct that the dice search works on.

A value is a winning chance for the side to move: FULL is won, -FULL lost, 0 even. The value before the roll is
`expected` of the sum of the best values over the six faces. Integers keep it exact, so that a search with pruning finds
the same value as one without.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from kogoma.rules.layout import MAX_MOVES, TYPES, Dtype, Field, squares
from kogoma.rules.variants import FACES
from kogoma.search.dice.curve import FULL, TABLED
from kogoma.search.thread import STRUCTS, common_fields

NAMED = 5  # files that faces name, from the right; all others count as one file
FILES = NAMED + 1

# Discount per ply, so that an earlier win is worth more.
KEPT, OF = 1023, 1024
NUMERATOR, DENOMINATOR = KEPT, FACES * OF

CERTAIN_NODES = 20_000  # node budget of a proof that the game is decided
CERTAIN = FULL * 9 // 10  # value above which a proof is tried

MAX_DEPTH = 40
NO_LIMIT = 1 << 40  # last ply of a game without a limit


@cache
def dice_thread_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the thread struct of dice searches. Dimensions of length `rows` are indexed by the ply from
    the root, dimensions of length FILES by the file of the board (see `target_file`)."""
    n = squares(layout)
    rows = MAX_DEPTH + 2
    fields: list[Field] = [
        *common_fields(),
        ("last_ply", np.int64),  # the game is a draw after this ply
        ("draw_value", np.int64, (2,)),  # value of a draw, for Black and for White
        ("tt_exact", np.int64),  # 1: use table values of equal depth only; 0: also of deeper searches
        ("full_depth", np.int64),  # 1: no reductions
        ("chance_curve", np.int32, (TABLED,)),  # value by centipawns: the result of the function `chance_curve`
        # results
        ("lines", np.int64),  # number of lines that the last iteration found
        ("line", np.uint16, (MAX_MOVES,)),  # root moves by the lines that were found, best first, then the others
        ("line_score", np.int64, (MAX_MOVES,)),  # centipawns, in the order of `line`
        ("reply", np.uint64, (FILES,)),  # best move to each file of the last iteration before a roll, 0: none
        ("root_best", np.uint64),  # 0: none yet
        ("root_value", np.int64),
        # working memory
        ("root_order", np.uint16, (MAX_MOVES,)),  # all root moves; `root_move` has those that are not yet in a line
        ("tt_off", np.int64),  # 1: table entries only order moves (`past_decides`)
        ("proof_nodes", np.int64),  # node budget of the proof that the game is decided
        ("list", np.uint16, (rows, MAX_MOVES)),  # moves as generated
        ("move", np.uint16, (rows, MAX_MOVES)),  # the same moves by file, the most promising of each file first
        ("move_score", np.int64, (rows, MAX_MOVES)),  # ordering score of each move in `move`
        ("first", np.uint64, (rows, FILES)),  # index in `move` of the file's next move
        ("end", np.uint64, (rows, FILES)),  # index in `move` after the file's last move
        ("lo", np.int64, (rows, FILES)),  # lower bound of the best value of a move to that file
        ("hi", np.int64, (rows, FILES)),  # upper bound of this value
        ("top", np.int64, (rows, FILES)),  # upper bound of the values of the moves searched so far
        ("best", np.uint64, (rows, FILES)),  # best move to that file so far, or 0
        ("file_order", np.uint64, (rows, FILES)),  # files with moves, in search order
        ("history", np.int16, (2 * (n + TYPES) * n,)),
    ]
    return np.dtype(fields)


DICE_STRUCTS: dict[str, Dtype] = {**STRUCTS, "thread": dice_thread_dtype}
"""What every entry of the search works on, for `native.kernel.entry_point`."""
