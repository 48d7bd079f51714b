"""The layouts: the dtypes of the structs that kernels work on.

Layout "64" is for shogi boards of up to 64 squares, "128" for up to 81, "onitama" for Onitama. A bitboard is one uint64
in the first and last, and a pair of words (low word first) in "128"; `native.bitboard` handles both. Squares count from
0 at the top-left corner, row by row, as Black sees the board. Piece types count from 1 in the order of
`Variant.pieces`; type 0 is "no piece". Side 0 is Black, who moves up the board.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

TYPES = 16  # piece types, including "no piece"
SLIDE_SETS = 8  # ray bundles (sets of rays along which piece types slide), including the empty one
RAYS = 4  # per bundle: two towards higher squares, two towards lower ones
HAND_LIMIT = 20  # pieces of one type in one hand
MAX_PLY = 128  # maximum distance from a search's root
HISTORY = 1024  # plies before the root that a search sees
REMOVED = HISTORY // 2  # oldest plies of a longer game, which `play` removes at once
PLIES = HISTORY + MAX_PLY + 8
SEEN = 4096  # counters of hash keys, indexed by the keys' low bits
MAX_MOVES = 800  # more than any position has
CARDS = 16  # Onitama's movement cards
FEATURES = 128  # most features of a position
NEURONS = 64  # in the first layer of the evaluation's network, for each side's view
SLOTS = 64  # plies whose accumulators a position keeps; a power of 2

# How `position.board` holds a piece: side << 4 | type.
TYPE_MASK = np.uint64(15)
SIDE_SHIFT = np.uint64(4)

Field = tuple[str, Any] | tuple[str, Any, tuple[int, ...]]
Dtype = Callable[[str], Any]  # takes a layout, returns the numpy dtype of a struct


def squares(layout: str) -> int:
    """Return the largest number of squares of a board in the layout."""
    return {"64": 64, "128": 81, "onitama": 25}[layout]


def off_board(layout: str) -> int:
    """Return the square number of a king that is not on the board, as in mate problems without the attacker's king. Its
    entries in the rules' tables are empty: nothing attacks it, and it attacks nothing."""
    return squares(layout)


def bitboards(name: str, layout: str, *shape: int) -> Field:
    """Return the field `name` of a dtype: an array of bitboards of the given shape."""
    words = (2,) if layout == "128" else ()
    return name, np.uint64, shape + words


@cache
def rules_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the read-only struct that holds the rules of a variant."""
    n = squares(layout)
    fields = _common_rules(n)
    if layout == "onitama":
        fields += [
            ("goal", np.uint64, (2,)),  # the shrine that a side's master must reach
            ("around", np.uint64, (n,)),  # a square and its neighbours
            ("steps", np.uint64, (2, CARDS, n)),  # squares to which a card of that side leads
            ("zobrist_card", np.uint64, (3, CARDS)),  # for each side's hand and the centre
        ]
        return np.dtype(fields)
    fields += [
        ("hand_types", np.uint64),  # types 1..hand_types can be in hand
        ("drop_types", np.uint64),  # types 1..drop_types can be dropped, including promoted sides
        ("off_board", np.uint64),  # square of a king that is not on the board (function `off_board`)
        ("slide_sets", np.uint64),  # number of ray bundles in use
        ("unpromoted", np.uint64, (TYPES,)),  # type -> type before promotion
        ("hand_type", np.uint64, (TYPES,)),  # type -> type in the captor's hand
        ("most_per_file", np.uint64, (TYPES,)),  # most pieces of the type on a file after a drop, 0: no limit
        ("no_drop_mate", np.uint64, (TYPES,)),
        ("slide_set", np.uint64, (TYPES,)),
        ("first_wide", np.uint64),  # bundles from this number on have a second part: bundle number + `wide_sets`
        ("wide_sets", np.uint64),
        bitboards("square", layout, n + 1),
        bitboards("file", layout, n),  # all squares on the square's file
        bitboards("board", layout, 1),  # every square
        bitboards("zone", layout, 2),  # moves that start or end here may promote
        bitboards("must_promote", layout, 2, TYPES),  # moves that end here must promote
        bitboards("no_drop", layout, 2, TYPES),
        bitboards("goal", layout, 2),  # a king that is not attacked here wins
        bitboards("home", layout, 2),  # squares on which a side places pieces in the placement phase
        ("placements", np.int64),  # plies of the placement phase, 0: there is none
        ("dismissed", np.uint64, (TYPES,)),  # bit set of the types that leave the hand when this type is placed
        ("zobrist_placement", np.uint64),  # in the key of each position of the placement phase
        bitboards("steps", layout, 2, n + 1, TYPES),
        bitboards("near", layout, 2, n + 1),  # squares from which some piece of the side steps to the square
        bitboards("rays", layout, 2, SLIDE_SETS, n + 1, RAYS),
        bitboards("reach", layout, 2, SLIDE_SETS, n + 1),  # the bundle's rays on an empty board
        bitboards("between", layout, n + 1, n + 1),
        bitboards("line", layout, n + 1, n + 1),  # the whole line through both squares, or nothing
        ("zobrist_hand", np.uint64, (2, TYPES, HAND_LIMIT + 1)),  # [n]: XORed when the nth piece is added or removed
        ("term_hand", np.int32, (2, TYPES, HAND_LIMIT + 1)),  # what the nth piece in hand adds to the running score
        ("promotion_ruled", np.uint64, (TYPES,)),  # 1: promotion depends on more than `must_promote`
        ("promotes_to_slider", np.int64),  # 1: some promotion adds a slide in a new direction
        ("promotion_forced", np.int64),  # 1: promotion in the zone is compulsory
        ("capture_promotes", np.int64),  # 1: captures promote, and nothing else does
        ("line_jumps", np.int64),  # 1: some piece jumps along a line
        ("sudden_end", np.int64),  # 1: the game may end while there are moves (`rules.ending`)
        ("check_wins", np.int64),  # 1: the first check of a game wins it
        ("stalemate_wins", np.int64),  # 1: a stalemated side wins
        ("points", np.int64, (TYPES,)),
        ("repetition_fold", np.int64),
        ("repetition_result", np.int64),
        ("check_rule", np.int64),
    ]
    return np.dtype(fields)


@cache
def position_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of a position and the moves that led to it. Arrays of PLIES entries have one entry per ply; the
    field `ply` is the index of the newest one."""
    fields = [bitboards("by_side", layout, 2), bitboards("by_type", layout, TYPES)]
    if layout == "onitama":
        fields += _common_position(squares(layout))
        fields += [
            ("cards", np.uint64, (PLIES,)),  # the cards of both sides and the centre, packed: `rules.onitama.moves`
            ("threat", np.uint8, (PLIES,)),  # 1 if the side that moved last could win by its next move
        ]
        return np.dtype(fields)
    fields += [
        bitboards("by_slide", layout, SLIDE_SETS),  # sliders by bundle; index 0 holds all other pieces
        ("hand", np.uint8, (2, TYPES)),
        *_common_position(squares(layout)),
        ("checks_run", np.int16, (PLIES,)),  # consecutive checks by the side that moved last
        ("seen", np.uint16, (SEEN,)),  # number of plies whose keys have these low bits
        bitboards("checkers", layout, PLIES),
        bitboards("pinned", layout, PLIES),  # pinned pieces of the side to move
    ]
    return np.dtype(fields)


def _common_rules(n: int) -> list[Field]:
    """Return the fields of the rules structs of all layouts."""
    return [
        ("squares", np.uint64),
        ("files", np.uint64),
        ("types", np.uint64),
        ("king", np.uint64),
        ("promoted", np.uint64, (TYPES,)),  # type -> type after promotion, 0 if it does not promote
        ("tactical_promotion", np.uint64),  # the promotion bit if promotions are tactical, otherwise 0
        ("zobrist", np.uint64, (2, n, TYPES)),
        ("zobrist_side", np.uint64),
        ("term", np.int32, (2, n, TYPES)),  # running score of a piece on a square, for Black; eval fills it in
        ("drop_either_side", np.int64),  # 1: pieces are dropped with either side up
        ("king_capture", np.int64),  # 1: checks need not be answered, the game ends when a king is captured
        ("capture_delay", np.int64),  # in searches of king_capture variants, plies from mate to capture; else 0
        ("die", np.int64),  # rules.variants.Die
        ("declaration", np.int64, (2,)),  # points for a win by declaration, 0: none
    ]


def _common_position(n: int) -> list[Field]:
    """Return the fields of the position structs of all layouts."""
    return [
        ("board", np.uint8, (n + 7 & ~7,)),  # side << 4 | type, 0 where empty
        ("king", np.uint8, (2, 4)),  # square in [side, 0]; may be `off_board`
        ("side", np.uint64),
        ("ply", np.uint64),
        ("game_ply", np.int64),  # plies of the game before index 0
        ("feature", np.uint32, (FEATURES,)),  # scratch space of `eval.network`
        ("accumulated", np.uint64, (SLOTS,)),  # key of the position whose accumulators are in the slot: `eval.network`
        ("accumulator", np.int16, (SLOTS, 2, NEURONS)),  # by slot and side that sees the position
        ("key", np.uint64, (PLIES,)),
        ("score", np.int32, (PLIES,)),  # running score, for Black
        ("move", np.uint16, (PLIES,)),  # the move that led here
        ("captured", np.uint8, (PLIES,)),  # the type of piece that this move captured, 0 for none
        ("moved", np.uint8, (PLIES,)),  # side << 4 | type as it stands after the move; 0 after a null move
    ]


@cache
def moves_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the move lists of a recursive search, one row per ply."""
    return np.dtype([("list", np.uint16, (MAX_PLY, MAX_MOVES))])
