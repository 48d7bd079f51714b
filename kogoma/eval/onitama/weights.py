"""Weights of Onitama's evaluation: the record that its kernels read, filled from eval/weights/onitama.json."""

from __future__ import annotations

from typing import Any

import numpy as np

from kogoma.eval.tables import Features
from kogoma.rules.cards import CARDS
from kogoma.rules.layout import TYPES, Field
from kogoma.rules.rules_record import rules_record
from kogoma.rules.variants import Variant

FLIGHTS = 9  # two cards have at most eight steps
SINGLE = ("king_attack", "king_attack_centre", "threat", "tempo")
BY_TURN = ("hanging", "exchange_offered")


def onitama_fields() -> list[Field]:
    """The fields of the record."""
    fields: list[Field] = [(name, np.int64) for name in SINGLE]
    fields += [(name, np.int64, (2,)) for name in BY_TURN]  # for the side that waits, for the side to move
    fields += [
        ("mobility", np.int64, (TYPES,)),  # by the type that moves
        ("centre_card", np.int64, (len(CARDS),)),  # for the side to move, which takes that card
        ("flight", np.int64, (FLIGHTS,)),  # by the number of safe squares that a master can go to
        ("value", np.int64, (TYPES,)),
        ("exchange", np.int64, (TYPES,)),  # what capturing a piece wins
        ("promotion_gain", np.int64, (TYPES,)),  # 0: for the search, which asks it of all games
    ]
    return fields


def onitama_records(
    variant: Variant, data: dict[str, Any], array: np.ndarray[Any, Any]
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """(rules with the running terms filled in, `array` filled with the weights)."""
    rules, weights = rules_record(variant).copy(), array[0]
    letters, n = variant.letters, variant.squares
    for letter, value in data["mobility"].items():
        weights["mobility"][letters[letter]] = value
    weights["centre_card"] = [data["centre_card"][card.name] for card in CARDS]
    for name in (*SINGLE, *BY_TURN, "flight"):
        weights[name] = data[name]
    for letter, number in letters.items():
        value = data["value"].get(letter, 0)
        weights["value"][number] = weights["exchange"][number] = value
        table = [cell for row in data["square"][letter] for cell in row]
        for square in range(n):
            rules[0]["term"][0, square, number] = value + table[square]
            rules[0]["term"][1, square, number] = -(value + table[n - 1 - square])
    Features(variant).fill(weights, data.get("table"))
    return rules, array
