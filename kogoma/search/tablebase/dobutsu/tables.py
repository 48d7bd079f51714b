"""The tables of a tablebase: which variants can have one, and how their positions are numbered, from 0 without gaps.

A position is seen from the side to move, whose home is the rank 0: square 3 * rank + file. Only positions that need an
entry have a number: both lions are on the board and not adjacent, and neither is on the rank that it has to reach.
Of a position and its mirror image one has a number, except that both have one if both lions are on the middle file.

The number consists of the pair of lions' squares and, for each kind of other piece, the state of its two pieces: both
in hand, one or none. A piece on the board counts the squares that are empty or hold a kind that comes later, so
every state of a kind leaves equally many states of the kinds after it for an equal number of its pieces on the board.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.rules.layout import TYPES
from kogoma.rules.rules_struct import layout_of
from kogoma.rules.variants import FORWARD, Piece, Promotion, RepetitionResult, Variant

LAYOUT = "64"
FILES, RANKS = 3, 4
SQUARES = FILES * RANKS
MIDDLE = FILES // 2
GOAL = SQUARES - FILES  # the first square of the last rank
FREE = SQUARES - 2  # squares that the lions leave
KINDS = 3  # most kinds of pieces, without the lions
OTHER = 16  # in `Seen.board`, added to the type of a piece of the side that is not to move
TYPE = 15
SHIFT = 4  # OTHER is 1 << SHIFT
NOT_STORED = -1

# Values of positions: 0 for a draw, otherwise the number of plies to the end, odd if the side to move wins.
WIN = 1  # the side to move wins at once
LOSS = 2  # every move loses at once

# Instead of a position's number.
WINS_AT_ONCE = -1  # its value is WIN
NO_ENTRY = -2  # its value is not known


def tablebase_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of the struct with the tables of a variant, and with the addresses of the values."""
    return np.dtype(
        [
            ("reach", np.int64, (2, TYPES, SQUARES)),  # bit set of squares to which a piece of the side moves
            ("lion", np.int64),  # the type of lions
            ("level", np.int64, (TYPES,)),  # type -> number of its kind, from 0; -1 for lions
            ("promoted", np.int64, (TYPES,)),  # type -> 1 if it is the promoted side of its kind
            ("kinds", np.int64),
            ("kind", np.int64, (KINDS, 2)),  # types of a kind: unpromoted, promoted (0: none)
            ("sides", np.int64, (KINDS,)),  # 2 for a kind that promotes, otherwise 1
            ("sizes", np.int64, (KINDS + 1, FREE + 1)),  # states of the kinds from a number on, by free squares
            ("pairs", np.int64),
            ("pair", np.int64, (SQUARES, SQUARES)),  # the lions' squares -> number of the pair, or NOT_STORED
            ("lions", np.int64, (SQUARES * SQUARES, 2)),  # the reverse
            ("views", np.int64, (4, SQUARES)),  # squares as seen: 1 mirrored, 2 from the other side, 3 both
            ("values", np.uint64),  # address of the values, one byte each
            ("counts", np.uint64),  # address of the numbers of moves that are not known to lose
        ]
    )


def seen_dtype(layout: str) -> np.dtype[np.void]:
    """Return the dtype of a position as the side to move (number 0) sees it."""
    return np.dtype(
        [
            ("board", np.int64, (SQUARES,)),  # type, + OTHER for the other side; 0: empty
            ("lion", np.int64, (2,)),  # the squares of both sides' lions
            ("hand", np.int64, (2, KINDS)),
            ("middle", np.int64),  # 1: both lions are on the middle file, so the mirror image has a number, too
        ]
    )


def suits(variant: Variant) -> bool:
    """Return whether a variant can have a tablebase: Dobutsu, or Dobutsu with other moves or fewer pieces."""
    lions, kinds = [piece for piece in variant.pieces if piece.royal], kinds_of(variant)
    counts = [_count(variant, letter) for piece in lions for letter in (piece.letter, piece.letter.lower())]
    used = [*lions, *(piece for kind in kinds for piece in kind if piece)]
    return (
        (variant.files, variant.ranks, variant.promotion, variant.promotion_ranks)
        == (FILES, RANKS, Promotion.IN_ZONE, 1)
        and (variant.king_capture, variant.goal, variant.drop_anywhere) == (True, True, True)
        and (variant.repetition_result, variant.max_plies, variant.placement_ranks) == (RepetitionResult.DRAW, 0, 0)
        and not (variant.cards or variant.die or variant.check_wins or variant.drop_either_side or variant.any_set_up)
        and not any(piece.rays or piece.most_per_file or piece.no_drop_mate for piece in used)
        and all(max(abs(right), abs(forward)) == 1 for piece in used for right, forward in piece.steps)
        and all(piece.steps == (FORWARD,) for piece, after in kinds if after)  # they promote on the last rank, always
        and counts == [1, 1]
        and 1 <= len(kinds) <= KINDS
        and all(_count(variant, piece.letter) + _count(variant, piece.letter.lower()) == 2 for piece, _ in kinds)
    )


def _count(variant: Variant, letter: str) -> int:
    """Return how often a letter occurs on the board of the start position."""
    return variant.start.split()[0].count(letter)


def kinds_of(variant: Variant) -> list[tuple[Piece, Piece | None]]:
    """Return the pieces of each kind of the start position besides lions, unpromoted and promoted (None: it does not
    promote), in the order of their states in a number. The kind that promotes comes last: there its many states cost
    least."""
    by_letter = {piece.letter: piece for piece in variant.pieces}
    kinds = [(piece, by_letter.get(piece.promotes_to)) for piece in variant.pieces if not piece.royal]
    found = [(piece, after) for piece, after in kinds if _count(variant, piece.letter.lower())]
    return sorted(found, key=lambda kind: kind[1] is not None)


def new_tablebase(variant: Variant) -> Any:
    """Return the struct of a variant's tables, without addresses of values."""
    struct = np.zeros(1, tablebase_dtype(layout_of(variant)))
    table = struct[0]
    for kind, piece in enumerate(variant.pieces, 1):
        for side, sign in enumerate((1, -1)):
            for square in range(SQUARES):
                for right, forward in piece.steps:
                    rank, file = square // FILES + sign * forward, square % FILES + sign * right
                    if 0 <= rank < RANKS and 0 <= file < FILES:
                        table["reach"][side, kind, square] |= 1 << rank * FILES + file
        if piece.royal:
            table["lion"] = kind
            table["level"][kind] = -1
    kinds = kinds_of(variant)
    table["kinds"] = len(kinds)
    for level, both in enumerate(kinds):
        for promoted, found in enumerate(both):
            if found is not None:
                number = variant.pieces.index(found) + 1
                table["kind"][level, promoted] = number
                table["level"][number], table["promoted"][number] = level, promoted
                table["sides"][level] = promoted + 1
    sizes = table["sizes"]
    sizes[len(kinds)] = 1
    for level in reversed(range(len(kinds))):
        ways = 2 * int(table["sides"][level])
        for free in range(FREE + 1):
            sizes[level, free] = 3 * sizes[level + 1, free]
            if free > 0:
                sizes[level, free] += 2 * ways * free * sizes[level + 1, free - 1]
            if free > 1:
                sizes[level, free] += ways * ways * (free * (free - 1) // 2) * sizes[level + 1, free - 2]
    _number_lions(table)
    for square in range(SQUARES):
        mirrored = square // FILES * FILES + FILES - 1 - square % FILES
        table["views"][:, square] = square, mirrored, SQUARES - 1 - square, SQUARES - 1 - mirrored
    return struct


def _number_lions(table: Any) -> None:
    """Number the pairs of lions' squares that need entries."""
    table["pair"][:] = NOT_STORED
    for own in range(GOAL):
        for other in range(FILES, SQUARES):
            distance = max(abs(own // FILES - other // FILES), abs(own % FILES - other % FILES))
            mirrored = own % FILES > MIDDLE or (own % FILES == MIDDLE and other % FILES > MIDDLE)
            if distance > 1 and not mirrored:
                table["pair"][own, other] = table["pairs"]
                table["lions"][table["pairs"]] = own, other
                table["pairs"] += 1


def entries(table: Any) -> int:
    """Return how many positions have a number. `table` are the fields of a struct of `new_tablebase`."""
    return int(table["pairs"] * table["sizes"][0, FREE])
