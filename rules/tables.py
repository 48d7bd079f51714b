"""Variant -> the read-only `rules` record (and its zobrist keys) that the kernels read."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from rules.layout import HAND_LIMIT, RAYS, SLIDE_SETS, TYPES, rules_dtype, squares
from rules.variants import Variant, Vector

ZOBRIST_SEED = 0x6B6F676F6D61  # "kogoma": the same keys in every run, so that searches repeat node for node


def width(variant: Variant) -> int:
    """Bits in a bitboard of this variant's kernels."""
    return 64 if variant.squares <= 64 else 128


class Board:
    """Geometry of one variant's board, in Python's unbounded integers."""

    def __init__(self, variant: Variant) -> None:
        self.files, self.ranks = variant.files, variant.ranks

    def walk(self, square: int, side: int, vector: Vector, limit: int) -> list[int]:
        """The squares met on the way from `square`, nearest first, at most `limit` of them."""
        sign = 1 if side == 0 else -1
        row, column = divmod(square, self.files)
        met: list[int] = []
        while len(met) < limit:
            column += sign * vector[0]
            row -= sign * vector[1]
            if not (0 <= column < self.files and 0 <= row < self.ranks):
                break
            met.append(row * self.files + column)
        return met


def _bits(squares_set: list[int]) -> int:
    return sum(1 << square for square in squares_set)


def _put(array: Any, index: tuple[int, ...], bits: int, width: int) -> None:
    """Write one bitboard into a field at either width."""
    if width == 64:
        array[index] = bits
    else:
        array[index] = (bits & (1 << 64) - 1, bits >> 64)


@cache
def rules_record(variant: Variant) -> np.ndarray[Any, Any]:
    """An array of one `rules` record for the variant. Shared and cached: copy it before you change it."""
    bits = width(variant)
    array = np.zeros(1, rules_dtype(bits))
    rules = array[0]
    board = Board(variant)
    n = variant.squares
    longest = max(variant.files, variant.ranks)
    letters = variant.letters
    in_hand = {piece.letter for piece in variant.pieces if not piece.letter.startswith("+") and not piece.royal}

    rules["squares"], rules["types"] = n, len(variant.pieces)
    rules["hand_types"] = len(in_hand)
    rules["king"] = next(letters[piece.letter] for piece in variant.pieces if piece.royal)
    _put(rules["board"], (0,), (1 << n) - 1, bits)
    for side in (0, 1):
        rows = (
            range(variant.promotion_ranks) if side == 0 else range(board.ranks - variant.promotion_ranks, board.ranks)
        )
        _put(rules["zone"], (side,), _bits([r * board.files + f for r in rows for f in range(board.files)]), bits)
    for square in range(n):
        _put(rules["square"], (square,), 1 << square, bits)
        _put(rules["file"], (square,), _bits(list(range(square % board.files, n, board.files))), bits)

    bundles: list[tuple[Vector, ...]] = [()]
    for piece in variant.pieces:
        number = letters[piece.letter]
        if piece.promotes_to:
            rules["promoted"][number] = letters[piece.promotes_to]
            rules["unpromoted"][letters[piece.promotes_to]] = number
        if not piece.letter.startswith("+"):
            rules["unpromoted"][number] = number
        rules["one_per_file"][number] = piece.one_per_file
        rules["no_drop_mate"][number] = piece.no_drop_mate
        bundle = tuple(sorted(piece.slides))
        if bundle not in bundles:
            bundles.append(bundle)
        rules["slide_set"][number] = bundles.index(bundle)
        for side in (0, 1):
            dead: list[int] = []
            for square in range(n):
                steps = [to for vector in piece.steps for to in board.walk(square, side, vector, 1)]
                _put(rules["steps"], (side, square, number), _bits(steps), bits)
                if not steps and not any(board.walk(square, side, vector, 1) for vector in piece.slides):
                    dead.append(square)
            _put(rules["dead_end"], (side, number), _bits(dead), bits)

    if len(bundles) > SLIDE_SETS or len(variant.pieces) >= TYPES:
        raise ValueError(f"variant {variant.name}: more kinds of pieces than the kernels have room for")
    rules["slide_sets"] = len(bundles) - 1
    for number, bundle in enumerate(bundles):
        for side in (0, 1):
            for square in range(n):
                walks = [walk for vector in bundle if (walk := board.walk(square, side, vector, longest))]
                rising = [walk for walk in walks if walk[0] > square]
                falling = [walk for walk in walks if walk[0] < square]
                if max(len(rising), len(falling)) > RAYS // 2:
                    raise ValueError(f"variant {variant.name}: a bundle of slides has over two rays a direction")
                for slot, walk in [*enumerate(rising), *enumerate(falling, RAYS // 2)]:
                    _put(rules["rays"], (side, number, square, slot), _bits(walk), bits)
                _put(rules["reach"], (side, number, square), _bits([to for walk in walks for to in walk]), bits)

    for square in range(n):
        for vector in ((0, 1), (1, 0), (1, 1), (1, -1), (0, -1), (-1, 0), (-1, -1), (-1, 1)):
            walk = board.walk(square, 0, vector, longest)
            back = board.walk(square, 1, vector, longest)
            for distance, to in enumerate(walk):
                _put(rules["between"], (square, to), _bits(walk[:distance]), bits)
                _put(rules["line"], (square, to), _bits([*back, square, *walk]), bits)

    random = np.random.Generator(np.random.PCG64(ZOBRIST_SEED))
    shape = (2, squares(bits), TYPES)
    rules["zobrist"] = random.integers(0, 1 << 64, shape, np.uint64)
    rules["zobrist_hand"] = random.integers(0, 1 << 64, (2, TYPES, HAND_LIMIT + 1), np.uint64)
    rules["zobrist_side"] = random.integers(0, 1 << 64, dtype=np.uint64)
    rules["repetition_fold"] = variant.repetition_fold
    rules["repetition_result"] = variant.repetition_result
    rules["check_rule"] = variant.check_rule
    rules["max_plies"] = variant.max_plies
    array.flags.writeable = False
    return array
