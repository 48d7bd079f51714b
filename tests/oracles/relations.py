"""Piece relations in plain Python, from the text of a position: what the side to move sees, and what that is worth."""

from __future__ import annotations

import re
from itertools import combinations

from kogoma.eval.relation_table import Features, Table
from kogoma.rules.variants import Variant


def seen(variant: Variant, sfen: str) -> list[int]:
    """Numbers of the features, the two kings' first."""
    features = Features(variant)
    board, turn, held = sfen.split()[:3]
    black = turn == "b"
    rows = [
        [cell for word in re.findall(r"\+?[A-Za-z]|\d+", row) for cell in expanded(word)] for row in board.split("/")
    ]
    if not black:
        rows = [[cell.swapcase() for cell in reversed(row)] for row in reversed(rows)]
    royal = next(piece.letter for piece in variant.pieces if piece.royal)
    file = next(row.index(royal) for row in rows if royal in row)
    if features.is_symmetric and file >= (variant.files + 1) // 2:
        rows = [row[::-1] for row in rows]
    kings, found = list[int](), list[int]()
    for square, cell in enumerate(cell for row in rows for cell in row):
        if cell:
            whose = int(cell.lower() == cell)
            number = features.on_board[whose, variant.letters[cell.upper()]] + square
            (kings if cell.upper() == royal else found).append(number)
    if variant.cards:
        hands = [[int(card) for card in part.split(",")] for part in held.split("/")]
        own, enemy = (hands[0], hands[1]) if black else (hands[1], hands[0])
        found += [features.in_hand[0, card] for card in own] + [features.in_hand[1, card] for card in enemy]
        found.append(features.in_centre[hands[2][0]])
    else:
        for count, letter in re.findall(r"(\d*)([A-Za-z])", held):
            kind = variant.letters[letter.upper()]
            first = features.in_hand[int(letter.isupper() != black), kind]
            found += range(first, first + min(int(count or 1), dict(features.held)[kind]))
    return sorted(kings) + found


def expanded(word: str) -> list[str]:
    """A piece as it is, a number as so many empty squares."""
    return [""] * int(word) if word.isdigit() else [word]


def relations(variant: Variant, sfen: str, table: Table) -> int:
    """Centipawns for the side to move."""
    pairs = [sorted(pair) for pair in combinations(seen(variant, sfen), 2)]
    return sum(int(table[low, high]) for low, high in pairs if low < len(table))
