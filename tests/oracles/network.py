"""The evaluation's network in plain Python, computed from the SFEN: the features of both views, and the output."""

from __future__ import annotations

import re

from kogoma.eval.features import Features
from kogoma.eval.network_file import Layers
from kogoma.rules.variants import Variant


def seen(variant: Variant, sfen: str, black: bool) -> list[int]:
    """Return the sorted numbers of a position's features. They are seen from Black's side of the board if `black` is
    true, and otherwise from White's side."""
    features = Features(variant)
    board, _, held = sfen.split()[:3]
    rows = [
        [cell for word in re.findall(r"\+?[A-Za-z]|\d", row) for cell in expanded(word)] for row in board.split("/")
    ]
    if not black:
        rows = [[cell.swapcase() for cell in reversed(row)] for row in reversed(rows)]
    royal = next(piece.letter for piece in variant.pieces if piece.royal)
    file = next((row.index(royal) for row in rows if royal in row), 0)  # a king in hand does not mirror the board
    if features.is_symmetric and file >= (variant.files + 1) // 2:
        rows = [row[::-1] for row in rows]
    found = list[int]()
    for square, cell in enumerate(cell for row in rows for cell in row):
        if cell:
            whose = int(cell.lower() == cell)
            found.append(features.on_board[whose, variant.letters[cell.upper()]] + square)
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
    return sorted(found)


def expanded(word: str) -> list[str]:
    """Return the squares that one token of an SFEN's rank describes. A letter describes a square with a piece, and a
    digit describes this number of empty squares."""
    return [""] * int(word) if word.isdigit() else [word]


def network(variant: Variant, sfen: str, layers: Layers) -> int:
    """Return the network's output in centipawns for the side to move."""
    rows = [[int(number) for number in row] for row in layers.rows]
    *_, biases, own, other = rows
    black = sfen.split()[1] == "b"
    total = 0
    for weights, features in ((own, seen(variant, sfen, black)), (other, seen(variant, sfen, not black))):
        for neuron, weight in enumerate(weights):
            sum_ = biases[neuron] + sum(rows[feature][neuron] for feature in features)
            total += min(max(sum_, 0), 181) ** 2 * weight
    return total >> layers.shift
