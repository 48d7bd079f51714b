"""Piece relations in plain Python, from the text of a position: what each king sees, and what that is worth."""

from __future__ import annotations

import re
from itertools import combinations

from eval.tables import Features, Tables
from rules.variants import Variant


def seen(variant: Variant, sfen: str, black: bool) -> tuple[int, list[int]]:
    """(number of the king's square, numbers of the features), for the king of one side."""
    features = Features(variant)
    board, turn, held = sfen.split()[:3]
    rows = [
        [cell for word in re.findall(r"\+?[A-Za-z]|\d+", row) for cell in expanded(word)] for row in board.split("/")
    ]
    if not black:
        rows = [[cell.swapcase() for cell in reversed(row)] for row in reversed(rows)]
    royal = next(piece.letter for piece in variant.pieces if piece.royal)
    file = next(row.index(royal) for row in rows if royal in row)
    if features.is_symmetric and file >= (variant.files + 1) // 2:
        rows = [row[::-1] for row in rows]
    found, king = [], -1
    for square, cell in enumerate(cell for row in rows for cell in row):
        if cell == royal:
            row, column = divmod(square, variant.files)
            king = row * features.king_files + column
        elif cell:
            enemy = cell.lower() == cell
            found.append(features.on_board[int(enemy), variant.letters[cell.upper()]] + square)
    if variant.cards:
        hands = [[int(card) for card in part.split(",")] for part in held.split("/")]
        own, enemy_hand = (hands[0], hands[1]) if black else (hands[1], hands[0])
        found += [features.in_hand[0, card] for card in own] + [features.in_hand[1, card] for card in enemy_hand]
        found.append(features.in_centre[int((turn == "b") != black), hands[2][0]])
    else:
        for count, letter in re.findall(r"(\d*)([A-Za-z])", held):
            whose = int(letter.isupper() != black)
            first = features.in_hand[whose, variant.letters[letter.upper()]]
            found += range(first, first + int(count or 1))
    return king, found


def expanded(word: str) -> list[str]:
    """A piece as it is, a number as so many empty squares."""
    return [""] * int(word) if word.isdigit() else [word]


def relations(variant: Variant, sfen: str, tables: Tables, black: bool) -> int:
    """Centipawns for one side."""
    king, found = seen(variant, sfen, black)
    alone = sum(int(tables.king[king, feature]) for feature in found)
    return alone + sum(int(tables.pair[one, other]) for one, other in combinations(found, 2))
