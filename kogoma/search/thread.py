"""The record that one search thread works in: limits, move lists, histories, principal variations and counts."""

from __future__ import annotations

from functools import cache

import numpy as np

from kogoma.eval.weights import weights_dtype
from kogoma.rules.layout import MAX_MOVES, MAX_PLY, TYPES, Dtype, Field, position_dtype, rules_dtype, squares
from kogoma.search.parameters.values import SearchParameters, tuning

REDUCTIONS = 64
MAX_DEPTH = MAX_PLY - 10

MATE = 32000  # mated now is -MATE + ply
RULE_WIN = 30000  # won by the rules of repetition, minus the plies until then
DECIDED = RULE_WIN - MAX_PLY - 1  # scores beyond are counted in plies, and kept relative to the node in the table
MATE_BOUND = MATE - MAX_PLY - 1
INFINITE = 32001
UNKNOWN = 32002  # "no static evaluation"


def asked_of_search() -> list[Field]:
    """The fields that every search's record begins with: what Python asks for, and the counts that it is told."""
    return [
        ("stop", np.int64),
        ("node_limit", np.int64),  # 0: none
        ("deadline", np.int64),  # of `native.clock`; 0: none
        ("tt", np.uint64),  # address of the table's first bucket
        ("tt_mask", np.uint64),  # buckets in use - 1
        ("generation", np.uint64),
        ("nodes", np.int64),
        ("seldepth", np.int64),
    ]


@cache
def thread_dtype(layout: str) -> np.dtype[np.void]:
    """One thread's record. Cells of the histories are (side, type, destination) or (side, origin, destination)."""
    n = squares(layout)
    cells = 2 * TYPES * n
    fields: list[Field] = [
        *asked_of_search(),
        ("max_plies", np.int64),  # of the game, then a draw; 0: none
        ("draw_value", np.int64, (2,)),  # centipawns of a draw, for Black and for White
        ("root_count", np.int64),
        ("root_restricted", np.int64),  # 1: root_move leaves out moves that may be better (`searchmoves`)
        ("root_first", np.int64),  # MultiPV: moves before this one are taken already
        ("reduction", np.int64, (REDUCTIONS,)),
        ("marks", np.uint64),  # address of the words of `search.abdada`; 0: one thread searches alone
        ("task", np.int64),  # what its helpers search, too (`task_word`); 0: nothing, as the root moves may be changing
        # what the search tells
        ("root_move", np.uint16, (MAX_MOVES,)),
        ("root_score", np.int32, (MAX_MOVES,)),  # -INFINITE: not better than a move before it
        ("root_nodes", np.int64, (MAX_MOVES,)),
        ("root_pv", np.uint16, (MAX_MOVES, MAX_PLY)),
        # what it works with
        ("root_ply", np.uint64),
        ("null_from", np.int64),  # null moves are not tried above this ply (verification)
        ("cut_node", np.int64, (MAX_PLY + 8,)),  # 1: the node's score is expected to be at least its beta
        ("excluded", np.uint16, (MAX_PLY + 8,)),  # the move that a singular search leaves out, or 0
        ("static_eval", np.int32, (MAX_PLY + 8,)),
        ("pv", np.uint16, (MAX_PLY + 8, MAX_PLY + 8)),
        ("pv_length", np.int64, (MAX_PLY + 8,)),
        ("list", np.uint16, (MAX_PLY + 8, MAX_MOVES)),
        ("value", np.int32, (MAX_PLY + 8, MAX_MOVES)),
        ("tried", np.uint16, (MAX_PLY + 8, MAX_MOVES)),
        ("put_off", np.uint16, (MAX_PLY + 8, MAX_MOVES)),  # moves that another thread was searching
        ("stage", np.int64, (MAX_PLY + 8,)),
        ("next", np.uint64, (MAX_PLY + 8,)),  # index of the next move of the stage
        ("end", np.uint64, (MAX_PLY + 8,)),
        ("bad_end", np.uint64, (MAX_PLY + 8,)),  # losing captures wait at the list's beginning, up to here
        ("tt_move", np.uint16, (MAX_PLY + 8,)),
        ("refutation", np.uint16, (MAX_PLY + 8, 3)),  # two killers and the countermove, as they are tried
        ("killer", np.uint16, (MAX_PLY + 8, 2)),
        ("countermove", np.uint16, (cells,)),
        ("history", np.int16, (2 * (n + TYPES) * n,)),
        ("capture_history", np.int16, (cells * TYPES,)),
        ("continuation", np.int16, (cells * cells,)),
    ]
    if tuning():
        fields.append(("parameters", np.dtype([(name, np.int64) for name in SearchParameters._fields])))
    return np.dtype(fields)


def task_word(number: int, alpha: int, beta: int, depth: int) -> int:
    """One call of search_root as one word, which is read and written as a whole: from the low bits alpha 16, beta 16,
    depth 8, and the call's number, counted from 1, so that no two calls of a search have the same word."""
    return (number & 0x7FFFFF) << 40 | depth << 32 | (beta & 0xFFFF) << 16 | alpha & 0xFFFF


STRUCTS: dict[str, Dtype] = {
    "rules": rules_dtype,
    "weights": weights_dtype,
    "position": position_dtype,
    "thread": thread_dtype,
}
"""What every entry of the search works on, for `native.kernel.entry_point`."""
