"""Derive default weights for any variant from the mobility of its pieces.

They are used for the terms that the variant's file in eval/weights/ does not set. Their scale is that of minishogi's
tuned weights, which the search parameters assume.
"""

from __future__ import annotations

from typing import Any

from kogoma.rules.geometry import reach
from kogoma.rules.notation import pieces_of
from kogoma.rules.variants import Piece, Promotion, Variant

PER_MOVE = 150.0  # centipawns per square that a piece reaches
OPEN = 0.65  # probability that a square on a slider's ray is empty
# Share of the gain by promotion that is added to the value of the unpromoted piece, by the variant's way to promote.
PROMOTION_SHARE = {Promotion.IN_ZONE: 0.15, Promotion.EVERY_MOVE: 0.5, Promotion.CAPTURE: 0.3}


def piece_values(variant: Variant) -> dict[str, int]:
    """Return the value of each piece on the board, in centipawns, by the letter of the piece. The king is left out. A
    value includes a share of what the piece gains by promotion."""
    plain = {piece.letter: PER_MOVE * sum(reach(variant, piece, OPEN)) / variant.squares for piece in variant.pieces}
    share = PROMOTION_SHARE[variant.promotion]
    values = {}
    for piece in variant.pieces:
        value = plain[piece.letter]
        if piece.promotes_to and (variant.promotion is not Promotion.IN_ZONE or plain[piece.promotes_to] > value):
            value += share * (plain[piece.promotes_to] - value)
        if not piece.royal:
            values[piece.letter] = round(value)
    return values


def derived(variant: Variant) -> dict[str, Any]:
    """Compute the variant's evaluation weights from the mobility of its pieces, and return them in the form of the JSON
    files in eval/weights/."""
    values = piece_values(variant)
    pieces = [piece for piece in variant.pieces if not piece.royal]
    by_letter = {piece.letter: piece for piece in pieces}
    data: dict[str, Any] = {
        "value": values,
        "hand": {},
        "square": {},
        "mobility": {piece.letter: 12 if piece.rays else 20 for piece in pieces},
        "promotion_threat": {},
        "king_attack": {piece.letter: 12 if piece.rays else 25 for piece in pieces},
        "king_hand": {},
        "hanging": {letter: round(0.3 * value) for letter, value in values.items()},
        "hanging_to_move": {letter: round(0.12 * value) for letter, value in values.items()},
        "escape": [120, 100, 85, 70, 60, 50, 45, 40, 40],
        "tempo": 40,
        "king_weak_square": 20,
        "king_defender": 6,
        "danger_divisor": 75,
        "danger_limit": 600,
    }
    for letter, value in values.items():
        piece = by_letter[letter]
        if letter.startswith("+"):
            continue
        # A piece in hand can go almost anywhere. If it may be dropped with either side up, the value of the better side
        # counts.
        best = max(value, values[piece.promotes_to]) if variant.drop_either_side and piece.promotes_to else value
        worth = round(1.05 * best + 35)
        several = max(pieces_of(variant, letter), 2)
        data["hand"][letter] = [round(share * worth) for share in (1.0, 0.9, 0.8, 0.7)[:several]]
        data["king_hand"][letter] = round(0.03 * worth)
        if piece.promotes_to and variant.promotion is Promotion.IN_ZONE:
            data["promotion_threat"][letter] = round(0.15 * (values[piece.promotes_to] - value))
    for piece in variant.pieces:
        data["square"][piece.letter] = _square_table(variant, piece)
    return data


def _square_table(variant: Variant, piece: Piece) -> list[list[int]]:
    """Return the piece-square table of a piece, in centipawns, as a list of rows from the top of the board to the
    bottom. Squares from which the piece reaches more squares are better. For the king, squares nearer to its own side
    of the board are better."""
    if piece.royal:
        return [[-8 * (variant.ranks - 1 - row)] * variant.files for row in range(variant.ranks)]
    moves = reach(variant, piece, OPEN)
    mean = sum(moves) / len(moves)
    table = [round(30 * (count - mean)) for count in moves]
    return [table[row * variant.files : (row + 1) * variant.files] for row in range(variant.ranks)]
