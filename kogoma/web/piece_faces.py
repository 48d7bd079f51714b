"""The appearance of pieces: of a custom variant on the page and in reports, of all variants in Python."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

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


def face_text(variant: Variant, letter: str) -> str:
    """Return the text on a piece, one or two characters: a kanji if it has one, otherwise its letter. `letter` is in
    upper case."""
    face = piece_faces(variant).get(letter, variant.name)
    if isinstance(face, tuple):
        return face[1] or letter
    texts, games = _page_tables()
    return texts.get(games.get(face, games["shogi"]).get(letter, ""), letter)


@cache
def _page_tables() -> tuple[dict[str, str], dict[str, dict[str, str]]]:
    """Return the texts of the kinds of pieces, and the kinds by variant and letter, as the page defines them. The
    variants that are not listed have shogi's."""
    source = (Path(__file__).parent / "board" / "pieces.js").read_text(encoding="utf-8")
    texts = dict(re.findall(r'^  (\w+): kind\("[^"]*", "([^"]*)"', source, re.MULTILINE))
    tables = re.findall(r"^(?:const |  )(\w+)(?: =|:) \{([^{}]*)\}", source, re.MULTILINE)
    games = {name.lower(): dict(re.findall(r'"?(\+?[A-Z])"?: "(\w+)"', table)) for name, table in tables}
    return texts, games
