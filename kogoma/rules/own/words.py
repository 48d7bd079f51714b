"""The words of a game's file: directions, and the pieces of shogi by their letters."""

from __future__ import annotations

from kogoma.rules.variants import (
    BACK,
    BACK_LEFT,
    BACK_RIGHT,
    DIAGONALS,
    FORWARD,
    FORWARD_LEFT,
    FORWARD_RIGHT,
    GOLD_STEPS,
    KING,
    KNIGHT_STEPS,
    LEFT,
    ORTHOGONALS,
    RIGHT,
    SHOGI,
    SILVER,
    Piece,
    Vector,
)

SINGLE: dict[str, tuple[Vector, ...]] = {
    "forward": (FORWARD,),
    "back": (BACK,),
    "left": (LEFT,),
    "right": (RIGHT,),
    "forward_left": (FORWARD_LEFT,),
    "forward_right": (FORWARD_RIGHT,),
    "back_left": (BACK_LEFT,),
    "back_right": (BACK_RIGHT,),
}
GROUPS: dict[str, tuple[Vector, ...]] = {
    "king": KING.steps,
    "gold": GOLD_STEPS,
    "silver": SILVER.steps,
    "chess_knight": (*KNIGHT_STEPS, (-2, 1), (2, 1), (-2, -1), (2, -1), (-1, -2), (1, -2)),
    "orthogonals": ORTHOGONALS,
    "diagonals": DIAGONALS,
    "knight": KNIGHT_STEPS,
    "sideways": (LEFT, RIGHT),
}
DIRECTIONS = SINGLE | GROUPS  # word -> what it stands for

PIECES: dict[str, Piece] = {piece.letter: piece for piece in SHOGI.pieces}
