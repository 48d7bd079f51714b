"""Build the read-only `rules` struct (and its Zobrist keys) of a variant."""

from __future__ import annotations

from functools import cache
from math import gcd
from typing import Any

import numpy as np

from kogoma.rules.geometry import RAY_BUNDLES, dead_ends, home, ray_bundles, walk, zone
from kogoma.rules.layout import SLIDE_SETS, TYPES, off_board, rules_dtype
from kogoma.rules.move_encoding import PROMOTION
from kogoma.rules.onitama_cards import CARDS
from kogoma.rules.variants import DIAGONALS, ORTHOGONALS, Promotion, Variant, can_be_held

ZOBRIST_SEED = 0x6B6F676F6D61  # "kogoma": the same keys in every run, so that searches repeat node for node


def layout_of(variant: Variant) -> str:
    """Return the name of a variant's board layout (see the module `rules.layout`): "64", "128" or "onitama"."""
    if variant.cards:
        return "onitama"
    return "64" if variant.squares <= 64 else "128"


def _bits(squares_set: list[int]) -> int:
    return sum(1 << square for square in squares_set)


def _put(field: Any, index: tuple[int, ...], bits: int) -> None:
    """Write a bitboard into a field, as one word or two."""
    if field.ndim == len(index):
        field[index] = bits
    else:
        field[index] = (bits & (1 << 64) - 1, bits >> 64)


@cache
def rules_struct(variant: Variant) -> np.ndarray[Any, Any]:
    """Return the `rules` struct of the variant, as an array of one element. It is cached, shared and read-only: copy it
    before changing it."""
    array = np.zeros(1, rules_dtype(layout_of(variant)))
    rules = array[0]
    rules["squares"], rules["files"], rules["types"] = variant.squares, variant.files, len(variant.pieces)
    rules["king"] = next(variant.letters[piece.letter] for piece in variant.pieces if piece.royal)
    if variant.cards:
        _fill_onitama(rules, variant)
    else:
        _fill_board(rules, variant)
        _fill_pieces(rules, variant)
        _fill_slides(rules, variant)
        _fill_lines(rules, variant)
        _fill_flags(rules, variant)
    _fill_keys(rules)
    array.flags.writeable = False
    return array


def _fill_flags(rules: Any, variant: Variant) -> None:
    for name in ("stalemate_wins", "die", "repetition_fold", "repetition_result", "check_rule", "placements"):
        rules[name] = getattr(variant, name)
    rules["declaration"] = variant.declaration
    for group in variant.choices:
        types = [variant.letters[letter] for letter in group]
        rules["dismissed"][types] = [_bits([other for other in types if other != kind]) for kind in types]
    rules["king_capture"] = variant.king_capture
    rules["check_wins"] = variant.check_wins
    rules["drop_either_side"] = variant.drop_either_side
    rules["line_jumps"] = any(gcd(*vector) > 1 for piece in variant.pieces for vector in piece.steps)
    rules["sudden_end"] = variant.king_capture or variant.goal or variant.check_wins
    rules["promotion_forced"] = variant.promotion_forced and variant.promotion is Promotion.IN_ZONE
    rules["capture_promotes"] = variant.promotion is Promotion.CAPTURE
    rules["tactical_promotion"] = 0 if variant.promotion is Promotion.EVERY_MOVE else PROMOTION


def _fill_keys(rules: Any) -> None:
    """Fill in the Zobrist keys, which are the same in every run, so that searches are reproducible."""
    random = np.random.Generator(np.random.PCG64(ZOBRIST_SEED))
    for name in ("zobrist", "zobrist_hand", "zobrist_card"):
        if name in rules.dtype.names:
            rules[name] = random.integers(0, 1 << 64, rules[name].shape, np.uint64)
    rules["zobrist_side"] = random.integers(0, 1 << 64, dtype=np.uint64)
    if "placements" in rules.dtype.names and rules["placements"]:
        rules["zobrist_placement"] = random.integers(0, 1 << 64, dtype=np.uint64)


def _fill_onitama(rules: Any, variant: Variant) -> None:
    n = variant.squares
    rules["goal"] = 1 << variant.files // 2, 1 << n - 1 - variant.files // 2
    for square in range(n):
        near = [to for vector in ORTHOGONALS + DIAGONALS for to in walk(variant, square, 0, vector, 1)]
        rules["around"][square] = _bits([square, *near])
    for number, card in enumerate(CARDS):
        for side in (0, 1):
            for square in range(n):
                steps = [to for vector in card.moves for to in walk(variant, square, side, vector, 1)]
                rules["steps"][side, number, square] = _bits(steps)


def _fill_board(rules: Any, variant: Variant) -> None:
    n, files = variant.squares, variant.files
    rules["off_board"] = off_board(layout_of(variant))
    _put(rules["board"], (0,), (1 << n) - 1)
    last = [_bits(list(range(files))), _bits(list(range(n - files, n)))]
    for side in (0, 1):
        _put(rules["zone"], (side,), zone(variant, side))
        _put(rules["goal"], (side,), last[side] if variant.goal else 0)
        _put(rules["home"], (side,), _bits(home(variant, side)))
    for square in range(n):
        _put(rules["square"], (square,), 1 << square)
        _put(rules["file"], (square,), _bits(list(range(square % files, n, files))))


def _fill_pieces(rules: Any, variant: Variant) -> None:
    letters = variant.letters
    n = variant.squares
    zones = [zone(variant, side) for side in (0, 1)]
    in_hand = [piece.letter for piece in variant.pieces if can_be_held(variant, piece)]
    turned = [piece.promotes_to for piece in variant.pieces if piece.letter in in_hand and piece.promotes_to]
    droppable = in_hand + (turned if variant.drop_either_side else [])
    if [piece.letter for piece in variant.pieces[: len(droppable)]] != droppable or len(variant.pieces) >= TYPES:
        raise ValueError(
            f"variant {variant.name} has too many pieces, or pieces in another order than `Variant.pieces` demands"
        )
    rules["hand_types"], rules["drop_types"] = len(in_hand), len(droppable)
    for piece in variant.pieces:
        number = letters[piece.letter]
        if piece.promotes_to:
            rules["promoted"][number] = letters[piece.promotes_to]
            rules["unpromoted"][letters[piece.promotes_to]] = number
            promoted = variant.pieces[letters[piece.promotes_to] - 1]
            rules["promotes_to_slider"] |= not set(promoted.rays) <= set(piece.rays)
            rules["promotion_ruled"][number] = variant.promotion is not Promotion.IN_ZONE or variant.promotion_forced
        if variant.placements or not piece.royal:
            rules["hand_type"][number] = letters[piece.letter.removeprefix("+")]
        rules["most_per_file"][number] = piece.most_per_file
        rules["points"][number] = piece.points
        # Without checks there are no mates.
        rules["no_drop_mate"][number] = piece.no_drop_mate and not variant.king_capture
        for side in (0, 1):
            dead_end = dead_ends(variant, piece, side)
            for square in range(n):
                steps = [to for vector in piece.steps for to in walk(variant, square, side, vector, 1)]
                _put(rules["steps"], (side, square, number), _bits(steps))
            _put(rules["no_drop"], (side, number), 0 if variant.drop_anywhere else _bits(dead_end))
            if variant.promotion is Promotion.CAPTURE or not piece.promotes_to:
                forced = 0  # promotion does not depend on squares
            elif variant.promotion is Promotion.EVERY_MOVE:
                forced = (1 << n) - 1
            else:
                forced = zones[side] if variant.promotion_forced else _bits(dead_end) & zones[side]
            _put(rules["must_promote"], (side, number), forced)
    # The squares from which a piece steps to S are those to which an enemy piece of its type on S would step.
    rules["near"][:] = np.bitwise_or.reduce(rules["steps"], axis=2)[::-1]


def _fill_slides(rules: Any, variant: Variant) -> None:
    sets = [tuple(sorted(piece.rays)) for piece in variant.pieces]
    bundles = [(), *dict.fromkeys(rays for rays in sets if rays)]
    bundles.sort(key=lambda rays: len(ray_bundles(rays)))  # the empty bundle stays first
    wide = sum(len(ray_bundles(rays)) > 1 for rays in bundles)
    rules["slide_sets"] = len(bundles) - 1
    rules["first_wide"], rules["wide_sets"] = len(bundles) - wide, wide
    rules["slide_set"][1 : len(sets) + 1] = [bundles.index(rays) for rays in sets]
    if len(bundles) + wide > SLIDE_SETS or any(len(ray_bundles(rays)) > RAY_BUNDLES for rays in bundles):
        raise ValueError(f"variant {variant.name} has more kinds of sliders than the kernels have room for")
    for number, rays in enumerate(bundles):
        parts = ray_bundles(rays)
        for side in (0, 1):
            for square in range(variant.squares):
                for bundle, part in zip((number, number + wide), parts):
                    for slot, (vector, limit) in part.items():
                        way = walk(variant, square, side, vector, limit)
                        _put(rules["rays"], (side, bundle, square, slot if side == 0 else slot ^ 2), _bits(way))
                walks = [walk(variant, square, side, vector, limit) for vector, limit in rays]
                _put(rules["reach"], (side, number, square), _bits([to for way in walks for to in way]))


def _fill_lines(rules: Any, variant: Variant) -> None:
    longest = max(variant.files, variant.ranks)
    slides = [vector for piece in variant.pieces for vector, _ in piece.rays]
    for square in range(variant.squares):
        for vector in dict.fromkeys((*ORTHOGONALS, *DIAGONALS, *slides)):
            way = walk(variant, square, 0, vector, longest)
            back = walk(variant, square, 1, vector, longest)
            for distance, to in enumerate(way):
                _put(rules["between"], (square, to), _bits(way[:distance]))
                _put(rules["line"], (square, to), _bits([*back, square, *way]))
