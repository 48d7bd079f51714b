"""Winning chances as integers, and the struct that the dice search works on.

A value is a winning chance for the side to move: FULL is won, -FULL lost, 0 even. The value before the roll is
`expected` of the sum of the best values over the six faces. Integers keep it exact, so that a search with pruning finds
the same value as one without.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cache

import numpy as np

from kogoma.rules.layout import MAX_MOVES, TYPES, Dtype, Field, squares
from kogoma.search.thread import STRUCTS, common_fields

FULL = 1 << 20
FACES = 6
NAMED = 5  # files that faces name, from the right; all others count as one file
FILES = NAMED + 1

# Discount per ply, so that an earlier win is worth more.
KEPT, OF = 1023, 1024
NUMERATOR, DENOMINATOR = KEPT, FACES * OF

# Winning chances follow the logistic curve 1 / (1 + 10 ** (-cp / SCALE)), fitted on the results of 8,897 games of
# self-play, 273,822 positions: log loss 0.541. With SCALE = 1500 the log loss is 0.696, and 56% of 200 games
# against SCALE = 3500 were lost. SUREST keeps the value of a leaf below that of a won game.
SCALE = 4000.0
SUREST = 0.98
TABLED = 8192  # centipawns; larger scores count as this

CERTAIN_NODES = 20_000  # node budget of a proof that the game is decided
CERTAIN = FULL * 9 // 10  # value above which a proof is tried

MAX_DEPTH = 40
NO_LIMIT = 1 << 40  # last ply of a game without a limit


@cache
def chance_curve() -> list[int]:
    """Return a list that converts scores from 0 to TABLED - 1 centipawns to values: expected results, scaled so that
    FULL is a certain win. For a negative score, the value of the positive score is negated."""
    return [round((2 / (1 + 10 ** (-score / SCALE)) - 1) * SUREST * FULL) for score in range(TABLED)]


def value_of(centipawns: int) -> int:
    """Convert a static evaluation in centipawns to a value: the expected result, from -FULL (a loss) to FULL (a
    win)."""
    value = chance_curve()[min(abs(centipawns), TABLED - 1)]
    return value if centipawns >= 0 else -value


def centipawns_of(value: int) -> int:
    """Convert a value (an expected result from -FULL to FULL) to a score in centipawns."""
    centipawns = min(bisect_left(chance_curve(), abs(value)), TABLED - 1)
    return centipawns if value >= 0 else -centipawns


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
