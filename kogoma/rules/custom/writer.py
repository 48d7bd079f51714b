"""Write a variant as a TOML file that `rules.custom.reader` reads back, and compute the digest of a variant."""

from __future__ import annotations

import hashlib
import json
from dataclasses import MISSING, Field, fields
from enum import IntEnum
from typing import Any

from kogoma.rules.custom.schema import DIRECTIONS, PIECES
from kogoma.rules.variants import BUILT_IN, Piece, Variant, Vector

WORDS = {vectors: word for word, vectors in DIRECTIONS.items()}
LONGEST_FIRST = sorted(WORDS, key=len, reverse=True)
GAME_FILE = "game_file"
DIGITS = 16  # hexadecimal digits of a digest


def write_game(variant: Variant) -> str:
    """Return the text of a file that defines the variant. Raises ValueError if a file cannot define it."""
    if variant.cards:
        raise ValueError(f"{variant.name} is played with cards, which a file can't describe")
    plain = [piece for piece in variant.pieces if not piece.letter.startswith("+")]
    lines = []
    for field in fields(variant):
        value = getattr(variant, field.name)
        if field.name == "pieces":
            lines.append(f"pieces = {_value([piece.letter for piece in plain])}")
        elif not _is_default(field, value):
            lines.append(f"{field.name} = {_value(value)}")
    for piece in variant.pieces:
        if PIECES.get(piece.letter) != piece:
            lines += ["", "[[piece]]", *_described(piece)]
    return "\n".join(lines) + "\n"


def _is_default(field: Field[Any], value: Any) -> bool:
    return field.default is not MISSING and value == field.default


def _described(piece: Piece) -> list[str]:
    lines = []
    for field in fields(piece):
        value = getattr(piece, field.name)
        if not _is_default(field, value):
            shown = _words(value) if field.name in ("steps", "slides") else value
            lines.append(f"{field.name} = {_value(shown)}")
    return lines


def _words(vectors: tuple[Vector, ...]) -> list[str | Vector]:
    """Return a list that describes `vectors`. It contains names of directions where possible, and the vectors
    themselves elsewhere."""
    found: list[str | Vector] = []
    while vectors:
        known = next((one for one in LONGEST_FIRST if vectors[: len(one)] == one), None)
        found.append(WORDS[known] if known else vectors[0])
        vectors = vectors[len(known) if known else 1 :]
    return found


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, IntEnum):
        return _value(value.name.lower())
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def definition_digest(variant: Variant) -> dict[str, str]:
    """Return {GAME_FILE: digest of the definition} of a custom variant, or {} for a built-in variant. Resumable runs
    store it to detect that the variant file has changed. Comments and formatting do not change the digest."""
    if variant.name in BUILT_IN:
        return {}
    return {GAME_FILE: hashlib.sha256(write_game(variant).encode()).hexdigest()[:DIGITS]}
