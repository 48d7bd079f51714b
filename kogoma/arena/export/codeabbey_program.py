"""The exported program that solves CodeAbbey's problem 469 in plain Python, with the pieces of the engine's variant."""

from __future__ import annotations

from collections.abc import Mapping

from kogoma.arena.export.bundle.bundle import Bundle, Changes
from kogoma.rules.variants import GENERALS

MAIN = """
from kogoma.arena.export.host.count import main

main()
"""


def write() -> str:
    """Return the program's text without the comments at its head."""
    letters = {piece.letter: piece.letter.replace("+P", "T") for piece in GENERALS.pieces}  # as the problem writes them
    tables: dict[str, Mapping[str, object]] = {
        "STEPS": {letters[piece.letter]: list(piece.steps) for piece in GENERALS.pieces},
        "SLIDES": {letters[piece.letter]: list(piece.slides) for piece in GENERALS.pieces},
        "PROMOTES": {piece.letter: letters[piece.promotes_to] for piece in GENERALS.pieces if piece.promotes_to},
    }
    lines = ["# (columns to the right, rows ahead) as the piece's owner sees the board: single steps, then slides."]
    for name, table in tables.items():
        lines.append(f"{name} = {{")
        lines += [f'    "{letter}": {value!r},'.replace("'", '"') for letter, value in table.items()]
        lines.append("}")
    lines.append(f"SIZE = {GENERALS.files}")
    return Bundle(Changes({"kogoma.arena.export.host.data": "\n".join(lines) + "\n"})).text(MAIN)
