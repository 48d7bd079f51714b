"""The struct that a search thread works on: limits, move lists, histories, principal variations and counts."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from kogoma.eval.game import game_dtype
from kogoma.rules.layout import MAX_MOVES, MAX_PLY, TYPES, Dtype, Field, position_dtype, squares
from kogoma.rules.structs import Fields
from kogoma.search.endings import tables as onitama
from kogoma.search.parameters import SearchParameters

REDUCTIONS = 64
MAX_DEPTH = MAX_PLY - 10

MATE = 32000  # being mated at `ply` scores -MATE + ply
RULE_WIN = 30000  # win by repetition, minus the plies to it
DECIDED = RULE_WIN - MAX_PLY - 1  # larger scores count plies; the table stores them relative to the node
MATE_BOUND = MATE - MAX_PLY - 1
INFINITE = 32001
UNKNOWN = 32002  # "no static evaluation"


def common_fields() -> list[Field]:
    """Return the first fields of the thread structs of all searches: limits, counts and root moves."""
    return [
        ("stop", np.int64),
        ("node_limit", np.int64),  # 0: none
        ("deadline", np.int64),  # time of `native.clock`; 0: none
        ("tt", np.uint64),  # address of the table's first bucket
        ("tt_mask", np.uint64),  # number of buckets in use, minus 1
        ("generation", np.uint64),
        ("nodes", np.int64),
        ("seldepth", np.int64),
        ("root_count", np.int64),
        ("root_move", np.uint16, (MAX_MOVES,)),
    ]


@cache
def frame_dtype() -> np.dtype[np.void]:
    """Return the dtype of what a search keeps of one node on its way from the root."""
    return np.dtype(
        [
            ("cut_node", np.int64),  # 1: the node is expected to fail high
            ("stage", np.int64),  # stage of `search.ordering.next_move`
            ("next", np.uint64),  # index in `list` of the next move of the stage
            ("end", np.uint64),  # index after the last move of the stage
            ("bad_end", np.uint64),  # index after the losing captures, which are first in `list`
            ("pv_length", np.int64),
            ("static_eval", np.int32),
            ("excluded", np.uint16),  # the move excluded by a singular search, or 0
            ("tt_move", np.uint16),
            ("refutation", np.uint16, (3,)),  # two killers and the countermove
            ("killer", np.uint16, (2,)),
            ("pv", np.uint16, (MAX_PLY + 8,)),
            ("list", np.uint16, (MAX_MOVES,)),  # generated moves
            ("value", np.int32, (MAX_MOVES,)),  # ordering score of each move in `list`
            ("tried", np.uint16, (MAX_MOVES,)),  # moves that were searched
            ("put_off", np.uint16, (MAX_MOVES,)),  # deferred moves
        ],
        align=True,
    )


@cache
def thread_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the thread struct of alpha-beta searches. Its histories are indexed by (side, piece type,
    destination square) or by (side, origin square, destination square)."""
    n = squares(layout)
    cells = 2 * TYPES * n
    endings: list[Field] = [
        ("endings", onitama.endings_dtype(layout)),  # for look-ups at nodes; 0 men: there are none
        ("endings_hits", np.int64),  # how many look-ups found a value
    ]
    fields: list[Field] = [
        *common_fields(),
        *(endings if layout == onitama.LAYOUT else []),
        ("max_plies", np.int64),  # the game is a draw after this ply; 0: none
        ("draw_value", np.int64, (2,)),  # centipawns of a draw, for Black and for White
        ("root_restricted", np.int64),  # 1: `searchmoves` excludes root moves
        ("root_first", np.int64),  # index of the first root move to search (MultiPV: after the better lines)
        *((name, np.int64) for name in SearchParameters._fields),
        ("reductions", np.int64, (REDUCTIONS,)),  # by depth or by move number: factors of a late move reduction
        ("marks", np.uint64),  # address of the marks of `search.abdada`; 0: one thread
        ("task", np.int64),  # the task of the helper threads (`search.lazy_smp`); 0: none
        ("tasks", np.int64),  # number of tasks so far
        ("helpers", np.int64),  # number of helper threads
        ("helper_stops", np.uint64),  # address of an array of the addresses of the helper threads' fields `stop`
        # results
        ("root_score", np.int32, (MAX_MOVES,)),  # -INFINITE if the move is not better than an earlier one
        ("root_last", np.int32, (MAX_MOVES,)),  # the score of the last search in which the move got one
        ("root_nodes", np.int64, (MAX_MOVES,)),
        ("root_pv", np.uint16, (MAX_MOVES, MAX_PLY)),
        # working memory
        ("root_ply", np.uint64),
        ("null_from", np.int64),  # no null moves before this ply (verification search)
        ("stack", frame_dtype(), (MAX_PLY + 8,)),  # by distance from the root
        ("countermove", np.uint16, (cells,)),
        ("history", np.int16, (2 * (n + TYPES) * n,)),
        ("capture_history", np.int16, (cells * TYPES,)),
        ("continuation", np.int16, (cells * cells,)),
    ]
    return np.dtype(fields)


def write_parameters(thread: Fields, parameters: SearchParameters) -> None:
    """Write the search parameters, and the table of reductions that follows from them, into a thread struct."""
    for name, value in zip(parameters._fields, parameters):
        thread[name] = value
    factor = parameters.reduction / 10
    thread["reductions"][1:] = [int(factor * math.log(i)) for i in range(1, REDUCTIONS)]


STRUCTS: dict[str, Dtype] = {"game": game_dtype, "position": position_dtype, "thread": thread_dtype}
"""The structs that every entry point of the search takes, for `native.kernel.entry_point`."""
