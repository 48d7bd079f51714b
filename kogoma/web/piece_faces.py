"""The appearance of a custom variant's pieces on the page and in reports."""

from __future__ import annotations

from kogoma.rules.variants import BUILT_IN, Piece, Variant

Face = tuple[str, str, bool]  # name, text on the piece (both may be ""), and whether the piece is royal


def piece_faces(variant: Variant) -> dict[str, str | Face]:
    """Return a dict that maps the letter of each piece of a custom variant to the way it is shown. A string is the name
    of a built-in variant, whose piece with this letter is shown; a Face contains the piece's own name and text. Return
    {} for a built-in variant, whose pieces are defined in web/board/pieces.js."""
    if variant.name in BUILT_IN:
        return {}
    return {piece.letter: _face(piece) for piece in variant.pieces}


def _face(piece: Piece) -> str | Face:
    if not piece.name and not piece.face:
        for name, variant in BUILT_IN.items():
            if any(_rules(piece) == _rules(other) for other in variant.pieces):
                return name
    return piece.name, piece.face, piece.royal


def _rules(piece: Piece) -> tuple[object, ...]:
    """Return what two pieces have in common if they look alike: the letter and the moves."""
    return piece.letter, piece.royal, set(piece.steps), set(piece.rays)
