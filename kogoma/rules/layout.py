"""The records that kernels work on, as numpy dtypes, for each layout: what the kernels are compiled for.

Layout "64" is a shogi of at most 64 squares, "128" one of at most 81, "onitama" is Onitama. A bitboard is one uint64
at 64 bits and a pair of them (low word first) at 128; `native.bitboard` reads and writes both. Squares count
from 0 at the top-left corner, row by row, as Black sees the board. Piece types count from 1 in the order of
`Variant.pieces`; type 0 is "no piece". Side 0 is Black, who moves up the board.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

TYPES = 16  # piece types, with the empty one
SLIDE_SETS = 8  # bundles of rays, with the empty one
RAYS = 4  # in a bundle: two towards higher squares, then two towards lower ones
HAND_LIMIT = 20  # pieces of one type in one hand
MAX_PLY = 128  # how deep a search can stand above its root
HISTORY = 1024  # plies of the game before the root that a search looks back on
PLIES = HISTORY + MAX_PLY + 8
SEEN = 4096  # counters of keys, by their low bits
MAX_MOVES = 800  # more than any position of any variant has
CARDS = 16  # of Onitama
FEATURES = 128  # pieces on a board and in both hands, and some to spare

# How `position.board` holds a piece: side << 4 | type.
TYPE_MASK = np.uint64(15)
SIDE_SHIFT = np.uint64(4)

Field = tuple[str, Any] | tuple[str, Any, tuple[int, ...]]
Dtype = Callable[[str], Any]  # layout -> numpy dtype of a record


def squares(layout: str) -> int:
    """How many squares a board of that layout may have."""
    return {"64": 64, "128": 81, "onitama": 25}[layout]


def bitboards(name: str, layout: str, *shape: int) -> Field:
    """A field of bitboards, whatever a bitboard is in that layout."""
    words = (2,) if layout == "128" else ()
    return name, np.uint64, shape + words


@cache
def rules_dtype(layout: str) -> np.dtype[np.void]:
    """The read-only record that makes one compiled kernel play every variant of its layout."""
    n = squares(layout)
    fields = _common_rules(n)
    if layout == "onitama":
        fields += [
            ("goal", np.uint64, (2,)),  # the shrine that a side's master has to reach
            ("around", np.uint64, (n,)),  # a square and its neighbours
            ("steps", np.uint64, (2, CARDS, n)),  # where a card of that side leads from a square
            ("zobrist_card", np.uint64, (3, CARDS)),  # in the hand of a side, or in the centre
        ]
        return np.dtype(fields)
    fields += [
        ("hand_types", np.uint64),  # types 1..hand_types can be in hand
        ("drop_types", np.uint64),  # types 1..drop_types can be dropped: more than can be in hand where both faces can
        ("slide_sets", np.uint64),  # bundles 1..slide_sets are those of the sliders
        ("unpromoted", np.uint64, (TYPES,)),  # type -> what it was before it was turned
        ("hand_type", np.uint64, (TYPES,)),  # type -> type in the captor's hand
        ("most_per_file", np.uint64, (TYPES,)),  # that a drop may make, 0: any number
        ("no_drop_mate", np.uint64, (TYPES,)),
        ("slide_set", np.uint64, (TYPES,)),
        ("first_wide", np.uint64),  # bundles from this one on have more rays, in the bundle `wide_sets` after them
        ("wide_sets", np.uint64),
        bitboards("square", layout, n),
        bitboards("file", layout, n),  # all squares on the square's file
        bitboards("board", layout, 1),  # every square
        bitboards("zone", layout, 2),  # where a move that starts or ends may promote
        bitboards("must_promote", layout, 2, TYPES),  # where a move that ends has to
        bitboards("no_drop", layout, 2, TYPES),
        bitboards("goal", layout, 2),  # where a king that stands unattacked has won
        bitboards("steps", layout, 2, n, TYPES),
        bitboards("near", layout, 2, n),  # from where any piece of the side steps to the square
        bitboards("rays", layout, 2, SLIDE_SETS, n, RAYS),
        bitboards("reach", layout, 2, SLIDE_SETS, n),  # the bundle's rays on an empty board
        bitboards("between", layout, n, n),
        bitboards("line", layout, n, n),  # the whole line through both squares, or nothing
        ("zobrist_hand", np.uint64, (2, TYPES, HAND_LIMIT + 1)),  # toggled when the nth piece comes or goes
        ("term_hand", np.int32, (2, TYPES, HAND_LIMIT + 1)),  # what the nth piece in hand adds to it
        ("promotion_ruled", np.uint64, (TYPES,)),  # 1: not `must_promote` alone says whether it may stay as it is
        ("promotes_to_slider", np.int64),  # 1: some promotion adds a slide in a new direction
        ("promotion_forced", np.int64),  # 1: in the zone there is no choice
        ("capture_promotes", np.int64),  # 1: captures promote, and nothing else does
        ("line_jumps", np.int64),  # 1: some piece steps over squares of a line, from one end to the other
        ("sudden_end", np.int64),  # 1: the game may end while there are moves (`rules.ending`)
        ("check_wins", np.int64),  # 1: the first check of a game wins it
        ("stalemate_wins", np.int64),  # 1: who has no move without being in check wins
        ("points", np.int64, (TYPES,)),
        ("die", np.int64),  # rules.variants.Die
        ("repetition_fold", np.int64),
        ("repetition_result", np.int64),
        ("check_rule", np.int64),
    ]
    return np.dtype(fields)


@cache
def position_dtype(layout: str) -> np.dtype[np.void]:
    """A position and the way it was reached. Arrays of PLIES are indexed by `ply`, the newest entry's index."""
    fields = [bitboards("by_side", layout, 2), bitboards("by_type", layout, TYPES)]
    if layout == "onitama":
        fields += _common_position(squares(layout))
        fields += [
            ("cards", np.uint64, (PLIES,)),  # who has which card, packed: `rules.onitama.moves`
            ("threat", np.uint8, (PLIES,)),  # 1 if the side that moved last could win by its next move
        ]
        return np.dtype(fields)
    fields += [
        bitboards("by_slide", layout, SLIDE_SETS),  # sliders by bundle; index 0 gathers what does not slide
        ("hand", np.uint8, (2, TYPES)),
        *_common_position(squares(layout)),
        ("checks_run", np.int16, (PLIES,)),  # moves in a row with which the side that moved last has given check
        ("seen", np.uint16, (SEEN,)),  # how many entries have a key with these low bits: 0 spares a look back
        bitboards("checkers", layout, PLIES),
        bitboards("pinned", layout, PLIES),  # pieces of the side to move that shield their king
    ]
    return np.dtype(fields)


def _common_rules(n: int) -> list[Field]:
    """What the rules' records of all layouts have."""
    return [
        ("squares", np.uint64),
        ("files", np.uint64),
        ("types", np.uint64),
        ("king", np.uint64),
        ("promoted", np.uint64, (TYPES,)),  # type -> what promotion turns it into, 0 if nothing
        ("tactical_promotion", np.uint64),  # the move's promotion bit where promoting is an event, otherwise 0
        ("zobrist", np.uint64, (2, n, TYPES)),
        ("zobrist_side", np.uint64),
        ("term", np.int32, (2, n, TYPES)),  # running score of a piece on a square, for Black; eval fills it in
        ("drop_either_side", np.int64),  # 1: with either face up
        ("king_capture", np.int64),  # 1: checks need not be answered, the game ends when a king is captured
        ("capture_delay", np.int64),  # 2 in a search of such a game, which sees its end two plies before; otherwise 0
        ("declaration", np.int64, (2,)),  # points that a win by declaration needs, 0: there is none
    ]


def _common_position(n: int) -> list[Field]:
    """What the positions' records of all layouts have."""
    return [
        ("board", np.uint8, (n + 7 & ~7,)),  # side << 4 | type, 0 where empty
        ("king", np.uint8, (2, 4)),  # square in [side, 0]
        ("side", np.uint64),
        ("ply", np.uint64),
        ("game_ply", np.int64),  # plies of the whole game when ply was 0
        ("feature", np.uint32, (FEATURES,)),  # what `eval.relations` works with
        ("key", np.uint64, (PLIES,)),
        ("score", np.int32, (PLIES,)),  # running terms, for Black
        ("move", np.uint16, (PLIES,)),  # the move that led here
        ("captured", np.uint8, (PLIES,)),  # the type it captured, as it stood on the board
        ("moved", np.uint8, (PLIES,)),  # side << 4 | type as it stands after the move; 0 after a pass
    ]


@cache
def moves_dtype(layout: str) -> np.dtype[np.void]:
    """Room for the move lists of a recursion, one row a ply."""
    return np.dtype([("list", np.uint16, (MAX_PLY, MAX_MOVES))])
